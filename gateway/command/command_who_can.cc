#include "gateway/command/command_who_can.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/record_lines.h"
#include "config/check_name.h"
#include "config/load/case_file.h"
#include "config/load/load_config.h"
#include "config/problems.h"
#include "gateway/command/command_audit.h"
#include "gateway/command/format_who_can.h"
#include "gateway/command/read_arguments.h"
#include "gateway/command/read_moment.h"
#include "gateway/review/kept_policies.h"
#include "gateway/review/last_config.h"
#include "policy/explain/case_call.h"

namespace bartizan {
namespace {

/// Why a question is invalid, one reason per line.
using Complaint = std::vector<std::string>;

std::unexpected<Complaint> complain(std::string why) {
  return std::unexpected(Complaint{std::move(why)});
}

/// The policy of the question, and its description.
struct AskedPolicy {
  Config config;
  std::string source;
  std::string note = {};
};

std::expected<Config, Complaint> load_file(const std::string& file) {
  LoadedConfig loaded = load_config(file);
  if (loaded.usable()) return std::move(loaded.config);
  Complaint problems;
  for (const ConfigProblem& problem : loaded.problems)
    problems.push_back(text(problem));
  return std::unexpected(std::move(problems));
}

std::string short_digest(std::string_view digest) {
  return std::string(digest.substr(0, 12));
}

/// The configuration that a gateway loaded last, found by its record.
std::expected<AskedPolicy, Complaint> last_policy(const std::string& record) {
  auto last = load_last_loaded(record);
  if (!last.has_value()) return complain(last.error().detail);
  if (!last->has_value()) {
    return complain(fmt::format("there is no {}: name a configuration with --config FILE",
                                last_loaded_path(record)));
  }
  const std::string digest = short_digest((*last)->config.digest);
  return AskedPolicy{std::move((*last)->config),
                     fmt::format("policy {}, loaded at {}", digest, (*last)->time)};
}

/// A note if the running configuration differs from the file.
std::string note_of_running(const Config& config) {
  const auto last = load_last_loaded(config.audit.file);
  const bool is_other =
      last.has_value() && last->has_value() && (*last)->config.digest != config.digest;
  if (!is_other) return {};
  return fmt::format("the gateway loaded another policy last, {}: ask about it with --policy",
                     short_digest((*last)->config.digest));
}

std::expected<AskedPolicy, Complaint> kept_policy(const std::string& record,
                                                  const std::string& digest,
                                                  const std::string& when) {
  Result<Config> kept = load_kept_policy(record, digest);
  if (!kept.has_value()) return complain(kept.error().detail);
  std::string source = fmt::format("policy {}{}", short_digest(kept->digest), when);
  return AskedPolicy{*std::move(kept), std::move(source)};
}

/// Follows the records of activated configurations, in the order of the chain.
class PolicyInForce {
 public:
  /// Input: microseconds since 1970 UTC.
  explicit PolicyInForce(std::int64_t at) : at_(at) {}

  void take(const Record& record) {
    const auto time = std::chrono::floor<std::chrono::microseconds>(record.time.time_since_epoch());
    if (time.count() > at_) return;
    const bool is_taken_back = record.kind == RecordKind::reload && record.decision == "deny";
    if (is_taken_back) {
      digest_ = before_;
    } else {
      before_ = std::exchange(digest_, std::string(record.policy));
    }
  }
  const std::string& digest() const { return digest_; }

 private:
  std::int64_t at_;
  std::string digest_, before_;
};

/// The digest of the policy active at that time; empty if the record starts later.
std::string find_in_force(const std::string& record, std::int64_t at) {
  PolicyInForce force(at);
  RecordReader reader;
  for (const std::string& path : chain_paths(record)) {
    auto file = RecordLines::open(path);
    while (file.has_value()) {
      const auto line = file->next();
      if (!line.has_value() || line->number == 0) break;
      // A quote within a text is escaped, so these bytes can only be the member.
      const bool is_meant =
          line->text.contains(R"("kind":"start")") || line->text.contains(R"("kind":"reload")");
      if (line->too_long || !is_meant) continue;
      const auto parts = split_chain_line(line->text);
      if (!parts) continue;
      const auto read = reader.read(parts->body);
      if (read.has_value()) force.take(**read);
    }
  }
  return force.digest();
}

std::expected<AskedPolicy, Complaint> policy_at(const std::string& record,
                                                const std::string& moment) {
  const auto at = read_moment(moment, command_time());
  if (!at.has_value()) {
    return complain(fmt::format("{} is not a date and time: write {}", quote(moment), kMomentHint));
  }
  const std::string digest = find_in_force(record, *at);
  if (digest.empty()) {
    return complain(fmt::format("{} has no gateway start before {}", record, moment));
  }
  return kept_policy(record, digest, ", in force at " + moment);
}

/// The record of the configuration, or the default one of `make run`.
std::expected<std::string, Complaint> record_of(const WhoCanOptions& options) {
  if (options.config.empty()) return kDefaultRecordFile;
  LoadedConfig loaded = load_config(options.config);
  // A configuration that no longer loads may still name its record.
  if (!loaded.config.audit.file.empty()) return loaded.config.audit.file;
  return complain(options.config + " names no record: write [audit] file = \"PATH\"");
}

std::expected<AskedPolicy, Complaint> find_policy(const WhoCanOptions& options) {
  const bool is_past = !options.policy.empty() || !options.at.empty();
  if (!is_past && options.config.empty()) return last_policy(kDefaultRecordFile);
  if (!is_past) {
    auto config = load_file(options.config);
    if (!config.has_value()) return std::unexpected(std::move(config.error()));
    std::string source = fmt::format("{}, policy {}", options.config, short_digest(config->digest));
    std::string note = note_of_running(*config);
    return AskedPolicy{*std::move(config), std::move(source), std::move(note)};
  }
  if (options.policy.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return complain(
        fmt::format("--policy {} is no digest of an earlier policy; for a file, "
                    "write --config FILE",
                    quote(options.policy)));
  }
  const auto record = record_of(options);
  if (!record.has_value()) return std::unexpected(record.error());
  return options.at.empty() ? kept_policy(*record, options.policy, "")
                            : policy_at(*record, options.at);
}

/// The question, with names that the policy knows.
std::expected<WhoCanQuestion, Complaint> read_question(const WhoCanOptions& options,
                                                       const Config& config) {
  const std::size_t slash = options.tool.find('/');
  const bool has_both = slash != std::string::npos && slash > 0 && slash + 1 < options.tool.size();
  if (!has_both) {
    return complain(fmt::format("{} is not SERVER/TOOL: write, for example, files/read_file",
                                quote(options.tool)));
  }
  auto arguments = read_arguments(options.arguments);
  if (!arguments.has_value()) return complain(std::move(arguments.error()));
  if (options.tool.contains('*')) {
    return complain("name one tool, not a pattern: each tool has its own answer");
  }
  WhoCanQuestion question{.server = options.tool.substr(0, slash),
                          .tool = options.tool.substr(slash + 1),
                          .arguments = *std::move(arguments),
                          .now = command_time()};
  if (!config.servers.contains(question.server)) {
    return complain(fmt::format("the policy has no server {}{}", quote(question.server), [&] {
      const std::string hint = hint_near(question.server, names_of(config.servers));
      return hint.empty() ? hint : ": " + hint;
    }()));
  }
  return question;
}

/// Warnings about a tool that no other entry names.
std::vector<std::string> find_doubts(const WhoCanOptions& options, const WhoCanQuestion& question,
                                     const Config& config) {
  CaseFile file{.files = {options.tool}, .cases = {{}}};
  file.cases.front().call = {
      .target_kind = TargetKind::tool, .server = question.server, .target = question.tool};
  const auto pinned = config.pins.tools.find(question.server);
  if (pinned != config.pins.tools.end()) {
    for (const auto& [name, tool] : pinned->second)
      file.tools[fmt::format("{}/{}", question.server, name)] = {.entry = tool.definition};
  }
  std::vector<std::string> doubts;
  for (const ConfigProblem& problem : find_case_doubts(config, file))
    doubts.push_back(problem.hint.empty() ? problem.message
                                          : problem.message + ": " + problem.hint);
  return doubts;
}

int refuse(const Complaint& complaint, const CommandOutput& output) {
  for (const std::string& line : complaint)
    output.problems << "bartizan who-can: " << line << '\n';
  return kExitUsage;
}

}  // namespace

int who_can(const WhoCanOptions& options, const CommandOutput& output) {
  const auto policy = find_policy(options);
  if (!policy.has_value()) return refuse(policy.error(), output);
  const auto question = read_question(options, policy->config);
  if (!question.has_value()) return refuse(question.error(), output);
  const auto asked = who_can(policy->config, *question);
  if (!asked.has_value()) return refuse({asked.error().detail}, output);
  for (const std::string& doubt : find_doubts(options, *question, policy->config))
    output.problems << "bartizan who-can: warning: " << doubt << '\n';
  const ToldWhoCan told{policy->config, *asked, options.tool, policy->source};
  switch (output.format) {
    case OutputFormat::text:
      write_who_can(told, output);
      if (!policy->note.empty()) output.results << "note: " << policy->note << '\n';
      break;
    case OutputFormat::json:
      output.results << who_can_json(told).text() << '\n';
      break;
  }
  const bool can_anybody = std::ranges::any_of(asked->answers, [](const WhoCanAnswer& answer) {
    return answer.can != WhoCanAnswer::Can::never;
  });
  return finish(output, can_anybody ? kExitDone : kExitFailed);
}

}  // namespace bartizan
