#include "gateway/command/command_replay.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load/load_config.h"
#include "config/parse_units.h"
#include "gateway/record/read_capture.h"
#include "policy/check/compile_policy.h"
#include "policy/learn/replay_calls.h"
#include "policy/learn/toml_text.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Outcome = ReplayedCall::Outcome;

/// The replay and its source, or why there was none.
struct Replayed {
  std::vector<ConfigProblem> problems = {};
  std::string failure = {};
  Capture capture = {};
  Replay replay = {};

  bool is_read() const { return problems.empty() && failure.empty(); }
  bool is_same() const {
    return replay.count(Outcome::newly_refused) + replay.count(Outcome::newly_permitted) == 0;
  }
  /// New refusals for a missing approval, which a capture cannot have.
  std::size_t unapproved() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(replay.calls, [](const ReplayedCall& call) {
          return call.outcome == Outcome::newly_refused &&
                 call.answer.reason == text(Reason::needs_approval);
        }));
  }
  /// New refusals because the disk or name servers were not queried.
  std::size_t unasked() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(replay.calls, [](const ReplayedCall& call) {
          return call.outcome == Outcome::newly_refused && call.lacks_facts;
        }));
  }
};

Replayed replay(const ReplayOptions& options) {
  Replayed replayed;
  const LoadedConfig loaded = load_config(options.policy);
  std::vector<ConfigProblem> problems = loaded.problems;
  if (loaded.usable()) {
    const std::vector<ConfigProblem> found = find_policy_problems(loaded.config, {});
    problems.insert(problems.end(), found.begin(), found.end());
  }
  for (const ConfigProblem& problem : problems) {
    if (problem.severity == ConfigProblem::Severity::error) replayed.problems.push_back(problem);
  }
  Result<Capture> capture = read_capture(options.capture);
  if (!capture.has_value()) replayed.failure = capture.error().detail;
  if (!replayed.is_read()) return replayed;
  replayed.capture = *std::move(capture);
  replayed.replay = replay_calls(loaded.config, replayed.capture);
  return replayed;
}

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::same:
      return "same";
    case Outcome::newly_refused:
      return "newly_refused";
    case Outcome::newly_permitted:
      return "newly_permitted";
    case Outcome::refused_otherwise:
      return "refused_otherwise";
    case Outcome::apart:
      return "apart";
  }
  return "same";
}

/// Whether it is listed individually.
bool is_told(const ReplayedCall& call) {
  return call.outcome != Outcome::same && call.outcome != Outcome::apart;
}

/// The reason and rule of the deciding refusal: the new one, or the old one of a call that is
/// permitted now.
std::tuple<Outcome, std::string, std::string> cause(const ReplayedCall& call) {
  if (call.outcome == Outcome::newly_permitted || call.outcome == Outcome::apart) {
    return {call.outcome, call.call->reason, call.call->rule};
  }
  return {call.outcome, call.answer.reason, call.answer.rule};
}

std::map<std::tuple<Outcome, std::string, std::string>, std::size_t> causes(const Replay& replay) {
  std::map<std::tuple<Outcome, std::string, std::string>, std::size_t> all;
  for (const ReplayedCall& call : replay.calls) {
    if (is_told(call)) ++all[cause(call)];
  }
  return all;
}

/// A name that a client chose must not control a terminal or end a line.
std::string shown(std::string_view name) {
  if (!has_control_character(name)) return std::string(name);
  const std::string quoted = toml_string(name);
  return quoted.substr(1, quoted.size() - 2);
}

std::string what_of(const DescribedCall& call) {
  switch (call.target_kind) {
    case TargetKind::tool:
    case TargetKind::prompt:
      return shown(call.server + "/" + call.target);
    case TargetKind::resource:
      return shown(call.server + ":" + call.target);
    case TargetKind::none:
      break;
  }
  return shown(call.method);
}

std::string when(const CapturedCall& call) {
  const std::chrono::sys_seconds time{std::chrono::seconds(call.time_ms / 1000)};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", time, call.time_ms % 1000);
}

std::string sentence(std::string_view reason, std::string_view pointer, std::string_view rule) {
  std::string told = reason.empty() ? "permitted" : fmt::format("refused, {}", shown(reason));
  if (!pointer.empty()) told += fmt::format(" at {}", shown(pointer));
  if (!rule.empty()) told += fmt::format(", by {}", shown(rule));
  return told;
}

/// `2026-11-22T10:00:00.000Z ann files/read_file: was permitted, by readers; now refused, … (ID)`
std::string sentence(const ReplayedCall& replayed) {
  const CapturedCall& call = *replayed.call;
  return fmt::format(
      "{} {} {}: was {}; now {} ({})", when(call), shown(call.call.principal), what_of(call.call),
      sentence(call.reason, call.pointer, call.rule),
      sentence(replayed.answer.reason, replayed.answer.pointer, replayed.answer.rule),
      shown(call.decision_id));
}

std::string_view words(Outcome outcome) {
  switch (outcome) {
    case Outcome::newly_refused:
      return "newly refused";
    case Outcome::newly_permitted:
      return "newly permitted, refused before";
    case Outcome::refused_otherwise:
      return "refused for another reason";
    default:
      return "";
  }
}

std::vector<std::string> notes(const Replayed& replayed) {
  std::vector<std::string> all;
  const Replay& replay = replayed.replay;
  if (replayed.capture.missing > 0) {
    all.push_back(fmt::format("the capture lacks {}: limits and flows did not see missing calls",
                              format_count(replayed.capture.missing, "call")));
  }
  if (replayed.capture.garbage > 0) {
    all.push_back(fmt::format("left out: {} that cannot be read",
                              format_count(replayed.capture.garbage, "line")));
  }
  if (const std::size_t apart = replay.count(Outcome::apart); apart > 0) {
    all.push_back(
        fmt::format("still refused for reasons outside the policy (a server that was down, a "
                    "header, a quarantined tool): {}",
                    format_count(apart, "call")));
  }
  if (const std::size_t unapproved = replayed.unapproved(); unapproved > 0) {
    all.push_back(
        fmt::format("{} of the newly refused calls need an approval, which a capture does not have",
                    unapproved));
  }
  if (const std::size_t unasked = replayed.unasked(); unasked > 0) {
    all.push_back(
        fmt::format("{} of the newly refused calls need facts of the disk or name servers that the "
                    "capture does not have",
                    unasked));
  }
  if (!replay.assumed_tools.empty()) {
    all.push_back(fmt::format(
        "the definitions of {} are not known: arguments were not validated against a schema",
        shown(fmt::format("{}", fmt::join(replay.assumed_tools, ", ")))));
  }
  return all;
}

void write_text(const ReplayOptions& options, const Replayed& replayed,
                const CommandOutput& output) {
  const Replay& replay = replayed.replay;
  std::size_t told = 0;
  std::size_t untold = 0;
  for (const ReplayedCall& call : replay.calls) {
    if (!is_told(call)) continue;
    const bool is_within = options.listed_max == 0 || told < options.listed_max;
    if (is_within) output.results << sentence(call) << '\n';
    ++(is_within ? told : untold);
  }
  if (untold > 0) output.results << fmt::format("and {} more; --all lists them\n", untold);
  for (const auto& [cause, count] : causes(replay)) {
    const auto& [outcome, reason, rule] = cause;
    output.results << fmt::format("{} {}: {}{}\n", count, words(outcome), shown(reason),
                                  rule.empty() ? "" : ", by " + shown(rule));
  }
  output.results << fmt::format(
      "{}: {} as before, {} newly refused, {} newly permitted, {} refused for another reason\n",
      format_count(replay.calls.size(), "call"),
      replay.count(Outcome::same) + replay.count(Outcome::apart),
      replay.count(Outcome::newly_refused), replay.count(Outcome::newly_permitted),
      replay.count(Outcome::refused_otherwise));
  for (const std::string& note : notes(replayed))
    output.results << "note: " << note << '\n';
}

JsonObject answer_json(std::string_view reason, std::string_view check, std::string_view rule,
                       std::string_view pointer) {
  JsonObject json;
  json.add("decision", reason.empty() ? "permit" : "deny");
  if (!reason.empty()) json.add("reason", reason);
  if (!check.empty()) json.add("check", check);
  if (!rule.empty()) json.add("rule", rule);
  if (!pointer.empty()) json.add("pointer", pointer);
  return json;
}

JsonObject call_json(const ReplayedCall& replayed) {
  const CapturedCall& call = *replayed.call;
  const ReplayedAnswer& now = replayed.answer;
  JsonObject json;
  json.add("difference", text(replayed.outcome));
  json.add("decision_id", call.decision_id);
  json.add("time", when(call));
  json.add("principal", call.call.principal);
  json.add("method", call.call.method);
  json.add("what", what_of(call.call));
  if (!call.call.arguments.empty()) json.add_json("arguments", call.call.arguments);
  json.add_json("before", answer_json(call.reason, call.check, call.rule, call.pointer).text());
  json.add_json("now", answer_json(now.reason, now.check, now.rule, now.pointer).text());
  return json;
}

void write_json(const ReplayOptions& options, const Replayed& replayed,
                const CommandOutput& output) {
  const Replay& replay = replayed.replay;
  std::vector<JsonObject> calls;
  std::vector<JsonObject> summary;
  for (const ReplayedCall& call : replay.calls) {
    const bool is_within = options.listed_max == 0 || calls.size() < options.listed_max;
    if (is_told(call) && is_within) calls.push_back(call_json(call));
  }
  for (const auto& [cause, count] : causes(replay)) {
    const auto& [outcome, reason, rule] = cause;
    JsonObject one;
    one.add("difference", text(outcome));
    one.add("reason", reason);
    if (!rule.empty()) one.add("rule", rule);
    one.add("calls", count);
    summary.push_back(std::move(one));
  }
  JsonObject json;
  json.add_flag("ok", replayed.is_same());
  json.add("calls", replay.calls.size());
  for (const Outcome outcome : {Outcome::same, Outcome::newly_refused, Outcome::newly_permitted,
                                Outcome::refused_otherwise, Outcome::apart}) {
    json.add(text(outcome), replay.count(outcome));
  }
  json.add("missing", replayed.capture.missing);
  json.add("unreadable_lines", replayed.capture.garbage);
  json.add("without_approval", replayed.unapproved());
  json.add("without_facts", replayed.unasked());
  json.add("tools_without_definition",
           std::vector<std::string>(replay.assumed_tools.begin(), replay.assumed_tools.end()));
  json.add("summary", summary);
  json.add("differences", calls);
  output.results << json.text() << '\n';
}

int refuse(const Replayed& replayed, const CommandOutput& output) {
  for (const ConfigProblem& problem : replayed.problems)
    output.problems << text(problem) << '\n';
  if (!replayed.failure.empty()) {
    output.problems << "bartizan replay: " << replayed.failure << '\n';
  }
  return finish(output, kExitUsage);
}

}  // namespace

int replay_capture(const ReplayOptions& options, const CommandOutput& output) {
  const Replayed replayed = replay(options);
  if (!replayed.is_read()) return refuse(replayed, output);
  switch (output.format) {
    case OutputFormat::text:
      write_text(options, replayed, output);
      break;
    case OutputFormat::json:
      write_json(options, replayed, output);
      break;
  }
  return finish(output, replayed.is_same() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
