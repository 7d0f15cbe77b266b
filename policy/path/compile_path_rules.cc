#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

#include "policy/path/path.h"
#include "policy/text/fold_name.h"
#include "schemas/base/limits.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

std::string_view without_slash(std::string_view root) {
  while (root.ends_with('/'))
    root.remove_suffix(1);
  return root;
}

/// Folded in the same way as paths are for comparison.
std::string folded_if(bool folds_case, const std::string& pattern) {
  if (!folds_case) return pattern;
  const auto folded = fold_name(pattern, std::pmr::get_default_resource());
  return folded ? std::string(*folded) : pattern;
}

PathPattern compile_pattern_of(std::string pattern) {
  const auto slashes = static_cast<std::size_t>(std::ranges::count(pattern, '/'));
  return {.glob = Glob(std::move(pattern)), .components = slashes + 1};
}

/// The existing days, with the separator between year, month and day.
std::string days_with(std::string_view separator) {
  constexpr std::string_view kLeapYears =
      "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
  return fmt::format(
      "(?:\\d{{4}}{0}(?:(?:0[13578]|1[02]){0}(?:0[1-9]|[12]\\d|3[01])|"
      "(?:0[469]|11){0}(?:0[1-9]|[12]\\d|30)|02{0}(?:0[1-9]|1\\d|2[0-8]))|{1}{0}02{0}29)",
      separator, kLeapYears);
}

/// A `writable` pattern for RE2.
std::string expression_of(std::string_view pattern) {
  const std::string dashed = days_with("-");
  const std::string packed = days_with("");
  const std::string days = "(?:" + dashed + "|" + packed + ")";
  const std::array<std::pair<std::string_view, std::string_view>, 6> kWords{{
      {"**", ".+"},
      {"*", "[^/]*"},
      {"{date}", days},
      {"{YYYY-MM-DD}", dashed},
      {"{YYYYMMDD}", packed},
      {"{nn}", R"(\d\d)"},
  }};
  std::string expression = "(?s)";
  while (!pattern.empty()) {
    const auto word = std::ranges::find_if(
        kWords, [&](const auto& one) { return pattern.starts_with(one.first); });
    if (word != kWords.end()) {
      expression += word->second;
      pattern.remove_prefix(word->first.size());
      continue;
    }
    if (std::string_view("\\^$.|?+()[]{}").contains(pattern.front())) expression += '\\';
    expression += pattern.front();
    pattern.remove_prefix(1);
  }
  return expression;
}

std::vector<CompiledPattern> compile_writable(const std::vector<std::string>& patterns) {
  std::vector<CompiledPattern> compiled;
  for (const std::string& pattern : patterns) {
    auto one = compile_re2_pattern(expression_of(pattern), limits::schema_pattern_bytes_max);
    if (one.has_value()) compiled.push_back(std::move(*one));
  }
  return compiled;
}

}  // namespace

PathRules compile_path_rules(const PathConfig& path) {
  PathRules rules{.root = std::string(without_slash(path.root)),
                  .has_root = path.root.starts_with('/'),
                  .base = path.base,
                  .kind = path.kind,
                  .extensions = path.extensions,
                  .refuse_hidden = path.refuse_hidden,
                  .folds_case = path.folds_case,
                  .refuse_windows_names = path.refuse_windows_names.value_or(path.folds_case),
                  .resolve = path.resolve,
                  .content = path.content};
  for (const std::string& pattern : path.allow)
    rules.allow.push_back(compile_pattern_of(pattern));
  for (const std::string& pattern : path.deny)
    rules.deny.push_back(compile_pattern_of(folded_if(path.folds_case, pattern)));
  for (const std::string& pattern : path.deny_names)
    rules.deny_names.emplace_back(folded_if(path.folds_case, pattern));
  if (path.writable) rules.writable = compile_writable(*path.writable);
  return rules;
}

}  // namespace bartizan
