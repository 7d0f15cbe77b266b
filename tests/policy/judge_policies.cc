// Judges calls under policies, for a second evaluator to compare: each line of standard input has a
// policy with its calls, and each call gets a line of standard output with the decision. Some calls
// are explained, too, and what is explained has to come to the same.

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "config/load/load_config.h"
#include "policy/check/compile_policy.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "tests/policy/check_trace.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::size_t kCallsForATrace = 10;

KnownNames read_names(JsonValue servers) {
  KnownNames names;
  for (const JsonValue server : servers) {
    for (const JsonValue tool : server)
      names.tools[std::string(server.key())].emplace_back(tool.text());
  }
  return names;
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

std::string judge(const Config& config, const Policy& policy, JsonValue asked) {
  const JsonValue given = asked.find("arguments");
  const auto sample = sample_tool_call(asked.find("server").text(), asked.find("tool").text(),
                                       given.is(JsonType::null) ? std::string_view() : given.raw());
  Call& call = sample->call;
  call.server = asked.find("server").text();
  call.target = asked.find("tool").text();
  call.principal = policy.find_principal(asked.find("principal").text()).get();
  call.version = parse_protocol_version(asked.find("revision").text()).value();
  call.facts.now = asked.find("now").integer().value();
  const JsonValue transport = asked.find("transport");
  if (transport.is(JsonType::string)) {
    call.facts.transport = transport.text() == "http" ? Transport::http : Transport::stdio;
  }
  for (const JsonValue approval : asked.find("approvals")) {
    const PrincipalPtr approver = policy.find_principal(approval.find("by").text());
    call.facts.approvals.push_back({.approver = approver->id,
                                    .roles = approver->roles,
                                    .at = approval.find("at").integer().value()});
  }
  const JsonValue schema = asked.find("schema");
  if (schema) call.facts.tool = &tool_of(schema);
  // It takes longer than judging.
  static std::size_t count = 0;
  if (count++ % kCallsForATrace == 0) explain(config, policy, call);
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
    const Config config = read_policy(root.find("policy").text());
    const auto policy = compile_policy(config, read_names(root.find("names")));
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
