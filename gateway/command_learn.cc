#include "gateway/command_learn.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "config/load_config.h"
#include "gateway/read_capture.h"
#include "policy/learn_policy.h"
#include "policy/replay_calls.h"
#include "policy/with_learned.h"
#include "policy/write_learned.h"

namespace bartizan {
namespace {

/// What was learned, and how it fares with what it was learned from.
struct Learned {
  LearnedPolicy policy;
  std::string text;
  std::size_t refused_again = 0;  ///< Calls that were permitted, and would not be.
  std::vector<std::string> notes = {};

  bool is_whole() const { return refused_again == 0; }
};

/// Some values of arguments stand in it: nobody else is to read it, and nothing is replaced.
Result<void> write_file(const std::string& path, std::string_view text) {
  const auto failed = [&path] {
    return fail(ErrorCode::io_failed, Fault::client,
                path + " cannot be written: " + std::system_category().message(errno));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed();
  const ssize_t written = ::write(file, text.data(), text.size());
  const bool is_written = written == static_cast<ssize_t>(text.size());
  if (written >= 0 && !is_written) errno = ENOSPC;
  Result<void> done;
  if (!is_written) done = failed();
  ::close(file);
  return done;
}

Learned learn(const Config& config, const Capture& capture) {
  Learned learned{.policy = learn_policy(config, capture), .text = {}};
  learned.text = write_learned(learned.policy);
  const Replay replay = replay_calls(with_learned(config, learned.policy), capture);
  learned.refused_again = replay.count(ReplayedCall::Outcome::newly_refused);
  learned.notes = learned.policy.unlearned;
  if (capture.missing > 0) {
    learned.notes.push_back(fmt::format(
        "{} calls are missing from the capture: what they did is not learned", capture.missing));
  }
  if (capture.garbage > 0) {
    learned.notes.push_back(
        fmt::format("{} lines are none of a capture, and were left out", capture.garbage));
  }
  if (config.policy.allow_unguarded_arguments) {
    learned.notes.emplace_back(
        "[policy] unguarded_arguments = \"allow\" lets arguments pass that nobody ever sent");
  }
  if (config.policy.mode == PolicySettings::Mode::observe) {
    learned.notes.emplace_back("[policy] mode = \"observe\": what rules refuse was learned, too");
  }
  return learned;
}

std::string summary(const Learned& learned) {
  const LearnedPolicy& policy = learned.policy;
  return fmt::format(
      "{} rules, {} tools and {} paths from {} permitted calls; {} refused ones taught nothing; "
      "{} permitted ones would be refused",
      policy.rules.size(), policy.tools.size(), policy.paths.size(), policy.calls, policy.refused,
      learned.refused_again);
}

void write_text(const LearnOptions& options, const Learned& learned, const CommandOutput& output) {
  // A pipe behind the results holds the policy, or else what became of it.
  if (options.output.empty()) output.results << learned.text;
  std::ostream& told = options.output.empty() ? output.problems : output.results;
  told << summary(learned) << '\n';
  for (const std::string& note : learned.notes)
    told << "note: " << note << '\n';
}

void write_json(const Learned& learned, const CommandOutput& output) {
  JsonObject json;
  json.add("ok", learned.is_whole() ? Answer::yes : Answer::no);
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
  const Learned learned = learn(loaded.config, *capture);
  if (learned.policy.rules.empty()) {
    return refuse(output, "no call was permitted, so there is nothing to learn", kExitFailed);
  }
  if (!options.output.empty()) {
    const Result<void> written = write_file(options.output, learned.text);
    if (!written.has_value()) return refuse(output, written.error().detail, kExitFailed);
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
