#include "policy/check/registered_tools.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "policy/check/renamed_arguments.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

std::string_view text(SandboxConfig::Level level) {
  for (const auto& [name, one] : kSandboxLevels) {
    if (one == level) return name;
  }
  return "none";
}

/// The reader has compiled it before; one that fails now lets nothing pass.
std::shared_ptr<const JsonSchema> compile(const std::string& text) {
  auto compiled = JsonSchema::compile(text, metaschemas());
  if (!compiled.has_value()) compiled = JsonSchema::compile("false", metaschemas());
  return std::make_shared<const JsonSchema>(std::move(*compiled));
}

/// The arguments of a tool that its profile renames.
RenamedArguments renames_of(const Config& config, std::string_view tool) {
  for (const ToolProfile& profile : config.tools) {
    const bool renames = !profile.renames.empty() && Glob(profile.pattern).matches(tool);
    if (renames) return RenamedArguments(profile.renames);
  }
  return {};
}

}  // namespace

std::string find_registration_flaw(
    const ToolRegistration& registration,
    const std::map<std::string, ServerConfig, std::less<>>& servers) {
  const auto found = servers.find(registration.server);
  if (found == servers.end()) {
    return fmt::format("there is no [server.{}]", registration.server);
  }
  const SandboxConfig& sandbox = found->second.sandbox;
  if (sandbox.level < registration.sandbox_level) {
    return fmt::format(
        "the registration asks for sandbox_level \"{}\": write [server.{}.sandbox] "
        "level = \"{}\"",
        text(registration.sandbox_level), registration.server, text(registration.sandbox_level));
  }
  const std::uint64_t memory = sandbox.total_memory;  // 0 is unlimited.
  const bool has_room =
      !registration.max_memory.has_value() || (memory != 0 && memory <= *registration.max_memory);
  if (has_room) return {};
  return fmt::format(
      "the registration asks for max_memory {}: write [server.{}.sandbox] "
      "total_memory with no more than that",
      *registration.max_memory, registration.server);
}

RegisteredTools::RegisteredTools(const Config& config)
    : registrations_(std::make_shared<const std::vector<ToolRegistration>>(config.registrations)) {
  for (const ToolRegistration& registration : *registrations_) {
    RegisteredTool& tool = tools_[QualifiedName(registration.server, registration.tool).text()];
    if (!registration.is_approved) {
      tool.flaw = fmt::format("the registration {} of version {} waits for a person",
                              registration.number, registration.version);
      continue;
    }
    const bool is_newest = tool.approved == nullptr || tool.approved->number < registration.number;
    if (is_newest) tool.approved = &registration;
  }
  for (auto& [name, tool] : tools_) {
    if (tool.approved == nullptr) continue;
    // Whoever registers a tool knows its arguments as they are listed, or as the server reads them.
    const auto input = renames_of(config, name).apply(tool.approved->input_schema);
    tool.input = compile(input.value_or("false"));
    if (!tool.approved->output_schema.empty()) tool.output = compile(tool.approved->output_schema);
    if (tool.flaw.empty()) tool.flaw = find_registration_flaw(*tool.approved, config.servers);
    if (tool.flaw.empty() && !input.has_value()) {
      tool.flaw = fmt::format(
          "the registered schema has both names of an argument that [tool.\"{}\"] renames, or "
          "names "
          "it where it cannot be renamed",
          name);
    }
  }
}

const RegisteredTool* RegisteredTools::find(std::string_view name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : &found->second;
}

}  // namespace bartizan
