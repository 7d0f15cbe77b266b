#include "config/config.h"

#include "config/parse_pattern.h"
#include "config/problems.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;

LimitConfig limit(std::string name, std::vector<LimitKey> per, std::uint64_t per_second,
                  std::uint64_t per_minute) {
  return {.name = std::move(name),
          .per = std::move(per),
          .rates = {{.count = per_second, .window = milliseconds(1'000)},
                    {.count = per_minute, .window = milliseconds(60'000)}}};
}

}  // namespace

std::map<std::string, LimitConfig, std::less<>> default_limits() {
  return {{"everyone", limit("everyone", {}, 1'000, 60'000)},
          {"user", limit("user", {LimitKey::principal}, 200, 6'000)},
          {"tool", limit("tool", {LimitKey::principal, LimitKey::tool}, 100, 3'000)}};
}

Config::Config() = default;
Config::Config(const Config& other) = default;
Config::Config(Config&& other) noexcept = default;
Config& Config::operator=(const Config& other) = default;
Config& Config::operator=(Config&& other) noexcept = default;
Config::~Config() = default;

std::string text(const Config& config, const Position& where) {
  return place(config.files, where);
}

std::optional<std::string_view> path_of_agents(const EndpointConfig& endpoint,
                                               std::string_view path) {
  constexpr std::string_view kAgents = "/agents";
  const std::string_view base = endpoint.path == "/" ? std::string_view() : endpoint.path;
  if (!path.starts_with(base)) return std::nullopt;
  path.remove_prefix(base.size());
  if (!path.starts_with(kAgents)) return std::nullopt;
  path.remove_prefix(kAgents.size());
  return path.empty() || path.starts_with('/') ? std::optional(path) : std::nullopt;
}

std::optional<std::string_view> endpoint_at(const Config& config, std::string_view path) {
  if (config.endpoints.empty()) {
    return path == config.listen.path ? std::optional<std::string_view>("") : std::nullopt;
  }
  for (const auto& [name, endpoint] : config.endpoints) {
    if (endpoint.path == path) return name;
  }
  for (const auto& [name, endpoint] : config.endpoints) {
    const bool has_agents = endpoint.protocol == EndpointConfig::Protocol::fabricore;
    if (has_agents && path_of_agents(endpoint, path).has_value()) return name;
  }
  return std::nullopt;
}

std::optional<std::string_view> exact_tool_of(const ToolProfile& profile, std::string_view server) {
  std::string_view tool = profile.pattern;
  if (server_segment(tool) != server) return std::nullopt;
  tool.remove_prefix(server.size() + 1);
  return is_literal(tool) ? std::optional(tool) : std::nullopt;
}

std::vector<const ArgumentPredicate*> predicates_of(const Config& config) {
  std::vector<const ArgumentPredicate*> all;
  const auto add = [&all](const std::vector<ArgumentPredicate>& predicates) {
    for (const ArgumentPredicate& predicate : predicates)
      all.push_back(&predicate);
  };
  for (const ToolProfile& profile : config.tools)
    add(profile.arguments);
  for (const auto& [name, rule] : config.rules) {
    add(rule.when.arguments);
    add(rule.unless.arguments);
  }
  return all;
}

}  // namespace bartizan
