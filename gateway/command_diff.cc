#include "gateway/command_diff.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load_config.h"
#include "policy/diff_policies.h"
#include "schemas/protocol_version.h"

namespace bartizan {
namespace {

using Kind = PolicyChange::Kind;

/// What was compared, or why it was not.
struct Compared {
  std::vector<ConfigProblem> problems = {};
  PolicyDiff diff = {};

  std::size_t count(Kind kind) const {
    return static_cast<std::size_t>(std::ranges::count(diff.changes, kind, &PolicyChange::kind));
  }
  /// What was not tried to its end may be gained.
  bool is_well() const {
    return problems.empty() && count(Kind::gained) == 0 && diff.unfinished.empty();
  }
};

Compared compare(const DiffOptions& options) {
  Compared compared;
  const LoadedConfig older = load_config(options.older);
  const LoadedConfig newer = load_config(options.newer);
  for (const LoadedConfig* loaded : {&older, &newer}) {
    for (const ConfigProblem& problem : loaded->problems) {
      if (problem.severity == ConfigProblem::Severity::error) compared.problems.push_back(problem);
    }
  }
  if (compared.problems.empty())
    compared.diff = diff_policies(older.config, newer.config, command_time());
  return compared;
}

std::string who(const PolicyChange& change) {
  return change.principal.empty() ? "role " + change.role : "principal " + change.principal;
}

std::string facts_json(const DescribedFacts& facts) {
  JsonObject json;
  if (facts.transport.has_value())
    json.add("transport", *facts.transport == Transport::http ? "http" : "stdio");
  if (facts.client_address.has_value()) json.add("client_address", *facts.client_address);
  if (facts.revision.has_value()) json.add("revision", text(*facts.revision));
  if (facts.time.has_value()) {
    const std::chrono::sys_seconds time{std::chrono::seconds(*facts.time)};
    json.add("time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", time));
  }
  JsonObject places;
  for (const auto& [path, place] : facts.places)
    places.add(path, text(place));
  if (!facts.places.empty()) json.add_json("places", places.text());
  JsonObject contents;
  for (const auto& [path, sha256] : facts.contents)
    contents.add(path, sha256);
  if (!facts.contents.empty()) json.add_json("contents", contents.text());
  JsonObject addresses;
  for (const auto& [name, all] : facts.addresses)
    addresses.add(name, all);
  if (!facts.addresses.empty()) json.add_json("addresses", addresses.text());
  return json.text();
}

/// The call as `bartizan explain` reads it.
std::string call_json(const DescribedCall& call) {
  JsonObject json;
  if (call.principal.empty()) {
    json.add("roles", call.roles);
  } else {
    json.add("principal", call.principal);
  }
  switch (call.target_kind) {
    case TargetKind::tool:
      json.add("tool", call.server + "/" + call.target);
      break;
    case TargetKind::prompt:
      json.add("prompt", call.server + "/" + call.target);
      break;
    case TargetKind::resource:
      json.add("resource", call.server + ":" + call.target);
      break;
    case TargetKind::none:
      json.add("method", call.method);
      break;
  }
  if (!call.arguments.empty()) json.add_json("arguments", call.arguments);
  const std::string facts = facts_json(call.facts);
  if (facts != "{}") json.add_json("facts", facts);
  return json.text();
}

/// `role analyst gains files/write_file, for example {…} (before: no_matching_rule)`
std::string sentence(const PolicyChange& change) {
  const bool is_gain = change.kind == Kind::gained;
  const std::string_view extent = change.is_whole ? "" : "more of ";
  std::string why(text(change.reason));
  if (!change.pointer.empty()) why += " at " + change.pointer;
  if (!change.rule.empty()) why += ", by rule " + change.rule;
  return fmt::format("{} {} {}{}, for example {} ({}: {})", who(change),
                     is_gain ? "gains" : "loses",
                     is_gain ? extent : (change.is_whole ? "" : "some of "), change.what,
                     call_json(change.witness), is_gain ? "before" : "now", why);
}

void write_text(const Compared& compared, const CommandOutput& output) {
  for (const ConfigProblem& problem : compared.problems)
    output.problems << text(problem) << '\n';
  if (!compared.problems.empty()) return;
  for (const PolicyChange& change : compared.diff.changes)
    output.results << sentence(change) << '\n';
  output.results << fmt::format("{} gained, {} lost\n", compared.count(Kind::gained),
                                compared.count(Kind::lost));
  if (compared.diff.unfinished.empty()) return;
  output.results << fmt::format("note: not every combination of arguments was tried of {}\n",
                                fmt::join(compared.diff.unfinished, ", "));
}

JsonObject change_json(const PolicyChange& change) {
  JsonObject json;
  json.add("change", change.kind == Kind::gained ? "gained" : "lost");
  if (change.principal.empty()) {
    json.add("role", change.role);
  } else {
    json.add("principal", change.principal);
  }
  json.add("what", change.what);
  json.add("whole", change.is_whole ? Answer::yes : Answer::no);
  json.add_json("example", call_json(change.witness));
  json.add("refused_as", text(change.reason));
  if (!change.pointer.empty()) json.add("pointer", change.pointer);
  if (!change.rule.empty()) json.add("rule", change.rule);
  return json;
}

void write_json(const Compared& compared, const CommandOutput& output) {
  std::vector<JsonObject> changes;
  for (const PolicyChange& change : compared.diff.changes)
    changes.push_back(change_json(change));
  JsonObject json;
  json.add("ok", compared.is_well() ? Answer::yes : Answer::no);
  json.add("gained", compared.count(Kind::gained));
  json.add("lost", compared.count(Kind::lost));
  json.add("changes", changes);
  json.add("unfinished", compared.diff.unfinished);
  json.add("problems", problems_json(compared.problems));
  output.results << json.text() << '\n';
}

}  // namespace

int diff_configurations(const DiffOptions& options, const CommandOutput& output) {
  const Compared compared = compare(options);
  switch (output.format) {
    case OutputFormat::text:
      write_text(compared, output);
      break;
    case OutputFormat::json:
      write_json(compared, output);
      break;
  }
  return finish(output, compared.is_well() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
