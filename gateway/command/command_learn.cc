#include "gateway/command/command_learn.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load/load_config.h"
#include "config/parse_units.h"
#include "gateway/process/write_file.h"
#include "gateway/record/read_capture.h"
#include "policy/check/compile_policy.h"
#include "policy/learn/learn_policy.h"
#include "policy/learn/replay_calls.h"
#include "policy/learn/write_learned.h"

namespace bartizan {
namespace {

/// The learned policy, and its replay against the capture.
struct Learned {
  LearnedPolicy policy;
  std::string text;
  bool is_usable = true;          ///< Whether the configuration that includes it loads.
  std::size_t refused_again = 0;  ///< Permitted calls that would be refused.
  std::vector<std::string> notes = {};

  bool is_whole() const { return is_usable && refused_again == 0; }
};

/// Why permitted calls would be refused, by tool. The cause is outside of the learned permits, such
/// as a definition that is no longer approved.
void note_refused(Learned& learned, const Replay& replay) {
  constexpr std::size_t kNotesMax = 16;
  std::map<std::string, std::size_t> refused;
  for (const ReplayedCall& one : replay.calls) {
    if (one.outcome != ReplayedCall::Outcome::newly_refused) continue;
    const DescribedCall& call = one.call->call;
    const std::string what = call.target.empty() ? call.method : call.server + "/" + call.target;
    ++refused[fmt::format("{} would be refused: {}", what, one.answer.reason)];
  }
  for (const auto& [what, count] : refused) {
    if (learned.notes.size() >= kNotesMax) break;
    learned.notes.push_back(fmt::format("{} of {}", format_count(count, "call"), what));
  }
}

/// Replays the capture under the written policy. It is loaded as a gateway would, because TOML
/// cannot express all of JSON.
void verify(Learned& learned, const Config& config, const Capture& capture,
            const std::string& name) {
  LoadedConfig loaded = load_with_permits(
      *config.sources, {.name = name, .text = learned.text, .tools = learned.policy.replaced});
  if (loaded.usable()) {
    const std::vector<ConfigProblem> found = find_policy_problems(loaded.config, {});
    loaded.problems.insert(loaded.problems.end(), found.begin(), found.end());
  }
  for (const ConfigProblem& problem : loaded.problems) {
    if (problem.severity == ConfigProblem::Severity::error) learned.notes.push_back(text(problem));
  }
  learned.is_usable = loaded.usable();
  if (!learned.is_usable) return;
  const Replay replay = replay_calls(loaded.config, capture);
  learned.refused_again = replay.count(ReplayedCall::Outcome::newly_refused);
  note_refused(learned, replay);
}

/// Few calls of a tool hardly show all its necessary uses.
constexpr std::size_t kCallsOfToolMin = 10;
constexpr std::size_t kCallsMin = 100;

void note_little_data(Learned& learned) {
  constexpr std::size_t kNamedMax = 8;
  std::vector<std::string> seldom;
  for (const LearnedTool& tool : learned.policy.tools) {
    if (tool.calls >= kCallsOfToolMin) continue;
    seldom.push_back(
        fmt::format("{} ({})", tool.profile.pattern, format_count(tool.calls, "call")));
  }
  if (learned.policy.calls < kCallsMin) {
    learned.notes.push_back(
        fmt::format("warning: {} are little to learn from: the policy refuses all that nobody did "
                    "while calls were captured. Capture some days of ordinary work",
                    format_count(learned.policy.calls, "permitted call")));
  }
  if (seldom.empty()) return;
  const std::size_t others = seldom.size() - std::min(seldom.size(), kNamedMax);
  seldom.resize(std::min(seldom.size(), kNamedMax));
  learned.notes.push_back(
      fmt::format("warning: called fewer than {} times: {}{}. Read their rules before you use them",
                  kCallsOfToolMin, fmt::join(seldom, ", "),
                  others == 0 ? "" : fmt::format(" and {} more", others)));
}

Learned learn(const Config& config, const Capture& capture, const std::string& name) {
  Learned learned{.policy = learn_policy(config, capture), .text = {}};
  learned.text = write_learned(learned.policy);
  learned.notes = learned.policy.unlearned;
  verify(learned, config, capture, name);
  if (!learned.policy.rules.empty()) note_little_data(learned);
  if (capture.missing > 0) {
    learned.notes.push_back(fmt::format("the capture lacks {}: missing calls are not learned",
                                        format_count(capture.missing, "call")));
  }
  if (capture.garbage > 0) {
    learned.notes.push_back(
        fmt::format("left out: {} that cannot be read", format_count(capture.garbage, "line")));
  }
  if (config.policy.allow_unguarded_arguments) {
    learned.notes.emplace_back(
        "[policy] unguarded_arguments = \"allow\" also permits arguments that were never sent");
  }
  if (config.policy.mode == PolicySettings::Mode::observe) {
    learned.notes.emplace_back(
        "[policy] mode = \"observe\": calls that rules refuse were learned, too");
  }
  return learned;
}

std::string summary(const Learned& learned) {
  const LearnedPolicy& policy = learned.policy;
  return fmt::format(
      "{}, {} and {} from {}; {} not learned; {} would be refused",
      format_count(policy.rules.size(), "rule"), format_count(policy.tools.size(), "tool"),
      format_count(policy.paths.size(), "path"), format_count(policy.calls, "permitted call"),
      format_count(policy.refused, "refused call"),
      format_count(learned.refused_again, "permitted call"));
}

void write_text(const LearnOptions& options, const Learned& learned, const CommandOutput& output) {
  // A pipe from the results gets either the policy or the report.
  if (options.output.empty()) output.results << learned.text;
  std::ostream& told = options.output.empty() ? output.problems : output.results;
  told << summary(learned) << '\n';
  for (const std::string& note : learned.notes)
    told << (note.starts_with("warning: ") ? "" : "note: ") << note << '\n';
}

void write_json(const Learned& learned, const CommandOutput& output) {
  JsonObject json;
  json.add_flag("ok", learned.is_whole());
  json.add("permitted", learned.policy.calls);
  json.add("refused", learned.policy.refused);
  json.add("refused_again", learned.refused_again);
  json.add("rules", learned.policy.rules.size());
  json.add("tools", learned.policy.tools.size());
  json.add("paths", learned.policy.paths.size());
  json.add("replaces_tools", learned.policy.replaced);
  json.add("notes", learned.notes);
  json.add("policy", learned.text);
  output.results << json.text() << '\n';
}

/// The remedy for a file that could not be written.
std::string_view hint_of(const std::error_code& error) {
  if (error == std::errc::file_exists) {
    return "; give --output another name, or replace it with --replace";
  }
  if (error == std::errc::invalid_argument) {
    return "; this file system supports neither hard links nor renaming without replacement: give "
           "--output a file on another";
  }
  return "";
}

int refuse(const CommandOutput& output, std::string_view why, int exit_code) {
  output.problems << "bartizan learn: " << why << '\n';
  return finish(output, exit_code);
}

}  // namespace

int learn_capture(const LearnOptions& options, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.config);
  if (!loaded.usable()) {
    for (const ConfigProblem& problem : loaded.problems)
      output.problems << text(problem) << '\n';
    return finish(output, kExitUsage);
  }
  const Result<Capture> capture = read_capture(options.capture);
  if (!capture.has_value()) return refuse(output, capture.error().detail, kExitUsage);
  const std::string name = options.output.empty() ? "what was learned" : options.output;
  const Learned learned = learn(loaded.config, *capture, name);
  if (learned.policy.rules.empty()) {
    return refuse(output, "no call was permitted, so there is nothing to learn", kExitFailed);
  }
  if (!options.output.empty()) {
    // It has some values of arguments, so only the owner may read it. No file is replaced.
    const auto write = options.is_replaced ? write_file : write_new_file;
    if (const std::error_code error = write(options.output, learned.text)) {
      return refuse(output,
                    fmt::format("{} cannot be written: {}{}", options.output, error.message(),
                                hint_of(error)),
                    kExitFailed);
    }
  }
  switch (output.format) {
    case OutputFormat::text:
      write_text(options, learned, output);
      break;
    case OutputFormat::json:
      write_json(learned, output);
      break;
  }
  return finish(output, learned.is_whole() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
