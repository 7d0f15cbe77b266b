#include "gateway/review/policy_widening.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "config/load/call_json.h"
#include "config/load/load_config.h"
#include "gateway/review/command_output.h"
#include "gateway/review/format_change.h"
#include "gateway/review/last_config.h"
#include "gateway/runtime/processor_time.h"

namespace bartizan {
namespace {

/// Calls compared before a configuration is loaded. They take far less time than a reload waits for
/// its review.
constexpr std::size_t kCallsMax = 5'000;
/// Processor time of the thread, so that the result does not depend on the machine's load.
constexpr std::chrono::seconds kComparisonMax{3};
/// Log lines about wider permissions. One more line has the number of the others.
constexpr std::size_t kLoggedMax = 20;

ConfigProblem warning(std::string where, std::string message) {
  return {.severity = ConfigProblem::Severity::warning,
          .where = std::move(where),
          .message = std::move(message),
          .hint = {}};
}

/// The place of problems without a line.
std::string top_of(const Config& config) {
  return text(config, {.file = 0, .line = 1, .column = 1});
}

/// A warning about an entry. Lines of the earlier configuration are not lines of the present file.
ConfigProblem placed(const Config& config, const std::string& where, DiffSide side,
                     const std::string& message) {
  if (where.empty()) return warning(top_of(config), message);
  if (side == DiffSide::newer) return warning(where, message);
  return warning(top_of(config), fmt::format("{} (was at {})", message, where));
}

void add_problems(const Config& config, const PolicyDiff& diff,
                  std::vector<ConfigProblem>& problems) {
  if (!diff.unfinished.empty()) {
    problems.push_back(
        warning("", fmt::format("not compared to the end with what was loaded: {}; bartizan diff "
                                "tries more",
                                few_of(diff.unfinished))));
  }
  for (const PolicyChange& change : diff.changes) {
    if (change.kind != PolicyChange::Kind::gained) continue;
    const std::string message = fmt::format("wider than what was loaded: {} (before: {})",
                                            few_text(change), refusal_text(change));
    problems.push_back(placed(config, change.where, change.where_in, message));
    problems.back().example = call_json(change.witness);
  }
  for (const SettingChange& setting : diff.settings) {
    if (setting.kind != SettingChange::Kind::gained) continue;
    const std::string message =
        fmt::format("wider than what was loaded: {} {}", setting.what, setting.how);
    problems.push_back(placed(config, setting.where, setting.where_in, message));
  }
}

}  // namespace

PolicyWidening find_widening(const Config& config, const DiffEffort& effort) {
  PolicyWidening widening;
  const std::string kept = last_loaded_path(config.audit.file);
  const auto loaded = load_last_loaded(config.audit.file);
  if (!loaded.has_value()) {
    widening.why_not = loaded.error().detail;
    widening.problems.push_back(
        warning("", "not compared with what was loaded last: " + widening.why_not));
    return widening;
  }
  if (!loaded->has_value()) {
    widening.why_not = fmt::format("no gateway has kept what it loaded: there is no {}", kept);
    return widening;
  }
  const LastLoaded& last = **loaded;
  widening.compared_with =
      fmt::format("what was loaded at {} from {} ({})", last.time, last.file, kept);
  if (last.config.digest == config.digest) return widening;
  const PolicyDiff diff = diff_policies(last.config, config, command_time(), effort);
  add_problems(config, diff, widening.problems);
  return widening;
}

std::vector<ConfigProblem> review_widening(const ConfigSources& before, const Config& config,
                                           const std::function<bool()>& is_over) {
  const LoadedConfig last = load_config(before);
  // A key may have another meaning in this version.
  if (!last.usable()) {
    return {warning("",
                    "not compared with what was loaded last: that is not a configuration of this "
                    "version")};
  }
  if (last.config.digest == config.digest) return {};
  const auto end = thread_processor_time() + kComparisonMax;
  const DiffEffort effort{.tries_max = kCallsMax, .is_over = [&is_over, end] {
                            return (is_over && is_over()) || thread_processor_time() > end;
                          }};
  std::vector<ConfigProblem> wider;
  add_problems(config, diff_policies(last.config, config, command_time(), effort), wider);
  if (wider.size() <= kLoggedMax) return wider;
  const std::size_t more = wider.size() - kLoggedMax;
  wider.resize(kLoggedMax);
  wider.push_back(warning(
      "",
      fmt::format("wider than what was loaded in {} more ways; bartizan diff tells all", more)));
  return wider;
}

}  // namespace bartizan
