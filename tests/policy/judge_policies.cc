// Judges requests under policies, for a second evaluator to compare: each line of standard input
// has a policy with its requests, and each gets a line of standard output with the decision, or
// with what a list shows. Some calls of tools are explained, too, and what is explained has to come
// to the same.

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load_config.h"
#include "policy/check_access.h"
#include "policy/compile_policy.h"
#include "policy/list_filter.h"
#include "schemas/json.h"
#include "schemas/json_text.h"
#include "tests/policy/check_trace.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::size_t kCallsForATrace = 10;

using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

Names read_names(JsonValue servers) {
  Names names;
  for (const JsonValue server : servers) {
    for (const JsonValue name : server)
      names[std::string(server.key())].emplace_back(name.text());
  }
  return names;
}

/// Definitions here have no fingerprint, so that any other one is that of another definition.
PinnedTools read_pins(JsonValue servers) {
  PinnedTools pins;
  for (const JsonValue server : servers) {
    for (const JsonValue tool : server) {
      pins[std::string(server.key())][std::string(tool.key())] = {
          .fingerprint = tool.find("same").boolean().value() ? "" : "another",
          .hints = read_tool_hints(tool.find("annotations")),
          .is_approved = tool.find("approved").boolean().value()};
    }
  }
  return pins;
}

Config read_policy(std::string_view text) {
  const LoadedConfig loaded = load_config_text(text, "policy.toml");
  for (const ConfigProblem& problem : loaded.problems) {
    if (problem.severity == ConfigProblem::Severity::error) {
      throw std::invalid_argument(bartizan::text(problem) + "\n" + std::string(text));
    }
  }
  return loaded.config;
}

/// Schemas are few, and compiling one costs more than judging a call.
const ToolDefinition& tool_of(JsonValue schema) {
  static std::map<std::string, ToolDefinition, std::less<>> tools;
  const auto found = tools.find(schema.raw());
  if (found != tools.end()) return found->second;
  return tools.emplace(schema.raw(), sample_tool(schema.raw())).first->second;
}

std::string write(std::string_view check, const Decision& decision,
                  const std::vector<Decision>& observed) {
  std::string line = "{\"check\":";
  append_json_string(line, check);
  line += ",\"reason\":";
  append_json_string(line, text(decision.reason));
  line += ",\"rule\":";
  append_json_string(line, decision.rule_name());
  line += ",\"pointer\":";
  append_json_string(line, decision.pointer);
  line += std::string(",\"hidden\":") + (decision.is_hidden ? "true" : "false");
  line += ",\"observed\":[";
  for (const Decision& would : observed) {
    if (!line.ends_with('[')) line += ',';
    append_json_string(line, would.rule_name());
  }
  return line + "]}\n";
}

/// Explains a call, and holds what was explained against what the checks said.
void explain(const Config& config, const Policy& policy, const Call& call) {
  const std::string disagreement = find_disagreement(trace_call(config, policy, call));
  if (!disagreement.empty()) throw std::invalid_argument("the trace disagrees: " + disagreement);
}

TargetKind kind_of(JsonValue asked) {
  const std::string_view kind = asked.find("kind").text();
  if (kind == "tools") return TargetKind::tool;
  if (kind == "resources") return TargetKind::resource;
  return kind == "prompts" ? TargetKind::prompt : TargetKind::none;
}

std::unique_ptr<SampleCall> read_message(JsonValue asked) {
  const std::string_view server = asked.find("server").text();
  const std::string_view name = asked.find("name").text();
  const TargetKind kind = kind_of(asked);
  if (kind == TargetKind::tool) {
    const JsonValue given = asked.find("arguments");
    return sample_tool_call(server, name,
                            given.is(JsonType::null) ? std::string_view() : given.raw());
  }
  // Each method takes the member of these that it knows.
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":)";
  append_json_string(text, asked.find("method").text());
  text += R"(,"params":{"level":"info","name":)";
  append_json_string(text, name);
  text += ",\"uri\":";
  append_json_string(text, name);
  auto sample = std::make_unique<SampleCall>(text + "}}");
  sample->call.server = server;
  sample->call.target = name;
  sample->call.target_kind = kind;
  return sample;
}

std::unique_ptr<SampleCall> read_call(const Policy& policy, JsonValue asked) {
  std::unique_ptr<SampleCall> sample = read_message(asked);
  Call& call = sample->call;
  call.principal = policy.find_principal(asked.find("principal").text());
  call.version = parse_protocol_version(asked.find("revision").text()).value();
  call.facts.now = asked.find("now").integer().value();
  const JsonValue transport = asked.find("transport");
  if (transport.is(JsonType::string)) {
    call.facts.transport = transport.text() == "http" ? Transport::http : Transport::stdio;
  }
  const JsonValue address = asked.find("client_address");
  if (address.is(JsonType::string)) call.facts.client_address = address.text();
  for (const JsonValue approval : asked.find("approvals")) {
    call.facts.approvals.push_back({.approver = policy.find_principal(approval.find("by").text()),
                                    .at = approval.find("at").integer().value()});
  }
  const JsonValue schema = asked.find("schema");
  if (schema) call.facts.tool = &tool_of(schema);
  return sample;
}

/// Whether a list shows an entry, as the gateway asks it.
bool shows(const Policy& policy, const Call& call, const ListFilter& filter, JsonValue entry) {
  const TargetKind kind = kind_of(entry);
  const std::string_view server = entry.find("server").text();
  const std::string_view name = entry.find("name").text();
  Circumstances of = circumstances_of(call);
  of.about = Circumstances::About::any_call;
  of.method.reset();
  if (kind != TargetKind::tool) {
    of.tool = nullptr;
    return policy.shows(*call.principal, kind, server, name, of);
  }
  ToolDefinition tool = *call.facts.tool;
  tool.name = name;
  of.method = "tools/call";
  of.tool = &tool;
  return policy.shows(*call.principal, server, tool, of) && policy.fits(filter, server, name);
}

std::string list(const Policy& policy, const Call& call, JsonValue asked) {
  const ListFilter filter = read_list_filter(asked.find("params")).value();
  std::string line = "{\"shown\":[";
  for (const JsonValue entry : asked.find("entries")) {
    if (!shows(policy, call, filter, entry)) continue;
    if (!line.ends_with('[')) line += ',';
    line += entry.raw();
  }
  return line + "]}\n";
}

std::string judge(const Config& config, const Policy& policy, JsonValue asked) {
  const std::unique_ptr<SampleCall> sample = read_call(policy, asked);
  Call& call = sample->call;
  if (asked.find("open").boolean().value()) return list(policy, call, asked);
  // It takes longer than judging.
  static std::size_t count = 0;
  const bool is_traced = call.target_kind == TargetKind::tool && count++ % kCallsForATrace == 0;
  if (is_traced) explain(config, policy, call);
  const Verdict verdict = policy.judge(call);
  if (const auto* denial = std::get_if<Denial>(&verdict)) {
    return write(denial->check, denial->decision, denial->observed);
  }
  const Permit& permit = std::get<Permit>(verdict);
  return write("", Decision::permit(permit.rule()), permit.observed());
}

void run() {
  std::ios::sync_with_stdio(false);
  JsonDocument document;
  for (std::string line; std::getline(std::cin, line);) {
    const Bytes bytes(line);
    const JsonValue root = document.read(bytes).value();
    Config config = read_policy(root.find("policy").text());
    config.pins.tools = read_pins(root.find("pins"));
    const auto policy = compile_policy(config, {.tools = read_names(root.find("tools")),
                                                .prompts = read_names(root.find("prompts"))});
    std::string answers;
    for (const JsonValue call : root.find("calls"))
      answers += judge(config, *policy, call);
    std::cout << answers << std::flush;
  }
}

}  // namespace
}  // namespace bartizan

int main() {
  try {
    bartizan::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "judge_policies: %s\n", error.what());
    return 1;
  }
  return 0;
}
