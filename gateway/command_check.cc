#include "gateway/command_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load_config.h"
#include "gateway/config_review.h"

namespace bartizan {
namespace {

/// Until gateways share state, each one counts for itself, which nobody should learn in an attack.
constexpr std::string_view kLimitScope =
    "note: limits count in this process only: a second gateway grants the same again";

using Severity = ConfigProblem::Severity;

std::size_t count(const std::vector<ConfigProblem>& problems, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(problems, severity, &ConfigProblem::severity));
}

/// What the loader finds; where that is nothing wrong, what only the schema finds, and what is
/// doubtful. The schema's sentences about one mistake are many, and worse.
std::vector<ConfigProblem> find_problems(const std::string& file, const LoadedConfig& loaded) {
  std::vector<ConfigProblem> problems = loaded.problems;
  if (!loaded.usable()) return problems;
  std::ranges::move(check_against_schema(file), std::back_inserter(problems));
  std::ranges::move(review_config(loaded.config), std::back_inserter(problems));
  return problems;
}

/// `100/s`, `3000/min`: as it is written.
std::string rate_text(const Rate& rate) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kWindows{
      {{1'000, "s"}, {60'000, "min"}, {3'600'000, "h"}, {86'400'000, "d"}}};
  for (const auto& [window, unit] : kWindows) {
    if (rate.window.count() == window) return fmt::format("{}/{}", rate.count, unit);
  }
  return fmt::format("{} in {} ms", rate.count, rate.window.count());
}

std::vector<std::string> rate_texts(const LimitConfig& limit) {
  std::vector<std::string> texts;
  texts.reserve(limit.rates.size());
  for (const Rate& rate : limit.rates)
    texts.push_back(rate_text(rate));
  return texts;
}

bool is_default(const LimitConfig& limit) {
  return limit.where.line == 0;
}

/// One limit as a sentence: `tool: 100/s, 3000/min for each principal and tool (default)`.
std::string limit_text(const LimitConfig& limit) {
  std::vector<std::string> bounds = rate_texts(limit);
  if (limit.concurrency.has_value())
    bounds.push_back(fmt::format("{} at once", *limit.concurrency));
  std::vector<std::string_view> keys;
  keys.reserve(limit.per.size());
  for (const LimitKey key : limit.per)
    keys.push_back(text(key));
  std::string line = fmt::format("{}: {} ", limit.name, fmt::join(bounds, ", "));
  line += keys.empty() ? "for all together" : fmt::format("for each {}", fmt::join(keys, " and "));
  if (!limit.tools.empty()) line += fmt::format(" of {}", fmt::join(limit.tools, ", "));
  if (!limit.except_tools.empty()) {
    line += fmt::format(" of all but {}", fmt::join(limit.except_tools, ", "));
  }
  return is_default(limit) ? line + " (default)" : line;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

void write_text(const std::string& file, const Config& config,
                const std::vector<ConfigProblem>& problems, const CommandOutput& output) {
  for (const ConfigProblem& problem : problems)
    output.problems << text(problem) << '\n';
  const std::size_t errors = count(problems, Severity::error);
  const std::size_t warnings = count(problems, Severity::warning);
  if (errors != 0) {
    output.results << fmt::format("{}: {}, {}\n", file, counted(errors, "error"),
                                  counted(warnings, "warning"));
    return;
  }
  output.results << fmt::format(
      "{}: ok, {}, {}, {}, {}\n", file, counted(config.servers.size(), "server"),
      counted(config.rules.size(), "rule"), counted(config.limits.size(), "limit"),
      counted(warnings, "warning"));
  for (const auto& [name, limit] : config.limits)
    output.results << "limit " << limit_text(limit) << '\n';
  output.results << kLimitScope << '\n';
}

JsonObject limit_json(const LimitConfig& limit) {
  std::vector<std::string> keys;
  keys.reserve(limit.per.size());
  for (const LimitKey key : limit.per)
    keys.emplace_back(text(key));
  JsonObject json;
  json.add("name", limit.name);
  json.add("default", is_default(limit) ? Answer::yes : Answer::no);
  json.add("per", keys);
  json.add("rate", rate_texts(limit));
  if (limit.burst.has_value()) json.add("burst", *limit.burst);
  if (limit.concurrency.has_value()) json.add("concurrency", std::uint64_t{*limit.concurrency});
  if (!limit.tools.empty()) json.add("tools", limit.tools);
  if (!limit.except_tools.empty()) json.add("except_tools", limit.except_tools);
  return json;
}

void write_json(const std::string& file, const Config& config,
                const std::vector<ConfigProblem>& problems, const CommandOutput& output) {
  const std::size_t errors = count(problems, Severity::error);
  std::vector<JsonObject> found(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool is_error = problems[i].severity == Severity::error;
    found[i].add("severity", is_error ? "error" : "warning");
    found[i].add("where", problems[i].where);
    found[i].add("message", problems[i].message);
    if (!problems[i].hint.empty()) found[i].add("hint", problems[i].hint);
  }
  JsonObject json;
  json.add("file", file);
  json.add("ok", errors == 0 ? Answer::yes : Answer::no);
  json.add("errors", errors);
  json.add("warnings", count(problems, Severity::warning));
  json.add("limit_scope", "process");
  std::vector<JsonObject> limits;
  // What is wrong holds nothing.
  for (const auto& [name, limit] : config.limits) {
    if (errors == 0) limits.push_back(limit_json(limit));
  }
  json.add("limits", limits);
  json.add("problems", found);
  output.results << json.text() << '\n';
}

}  // namespace

int check_configuration(const std::string& file, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(file);
  const std::vector<ConfigProblem> problems = find_problems(file, loaded);
  switch (output.format) {
    case OutputFormat::text:
      write_text(file, loaded.config, problems, output);
      break;
    case OutputFormat::json:
      write_json(file, loaded.config, problems, output);
      break;
  }
  return finish(output, count(problems, Severity::error) == 0 ? kExitDone : kExitFailed);
}

}  // namespace bartizan
