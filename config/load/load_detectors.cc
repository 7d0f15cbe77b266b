#include <fmt/format.h>

#include <algorithm>

#include "config/check_name.h"
#include "config/check_regex.h"
#include "config/load/load_parts.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

constexpr std::size_t kDetectorsMax = 256;
constexpr std::size_t kWordBytesMax = 128;

/// Whether a pattern asks for the beginning or the end of a text: many are searched as one.
bool has_anchor(std::string_view pattern) {
  bool is_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      const char next = ++i < pattern.size() ? pattern[i] : '\0';
      if (next == 'A' || next == 'z') return true;
    } else if (is_class) {
      is_class = c != ']';
    } else if (c == '[') {
      is_class = true;
      // A bracket that comes first is one of the class.
      if (pattern.substr(i + 1).starts_with('^')) ++i;
      if (pattern.substr(i + 1).starts_with(']')) ++i;
    } else if (c == '^' || c == '$') {
      return true;
    }
  }
  return false;
}

void load_pattern(DetectorConfig& detector, const Text& pattern, Problems& problems) {
  detector.pattern = pattern.value;
  detector.pattern_where = pattern.where;
  if (!check_regex(pattern, "pattern", problems)) return;
  if (has_anchor(pattern.value)) {
    problems.error(pattern.where, "\"pattern\" asks where a text begins or ends",
                   "a detector looks anywhere: leave ^ and $ out, and write \\b for the edge of a "
                   "word");
    return;
  }
  if (!required_literals(pattern.value).empty()) return;
  problems.error(
      pattern.where,
      fmt::format("\"pattern\" may match without any literal of at least {} ASCII letters, digits "
                  "or marks",
                  kLiteralBytesMin),
      "write what each of its alternatives has in any case, such as \"ACME-[0-9]{6}\": texts are "
      "searched for that first");
}

void load_words(DetectorConfig& detector, TableReader& table) {
  table.refuse_empty("words");
  for (const Text& word : table.texts("words")) {
    detector.words.push_back(word.value);
    if (word.value.size() < kLiteralBytesMin) {
      table.problems().error(
          word.where,
          fmt::format("{} is shorter than {} bytes", quote(word.value), kLiteralBytesMin),
          "shorter ones stand in too many texts: write it with what stands beside it");
    } else if (word.value.size() > kWordBytesMax) {
      table.problems().error(
          word.where, fmt::format("{} is longer than {} bytes", quote(word.value), kWordBytesMax));
    } else if (std::ranges::any_of(word.value, [](char c) { return c >= 0 && c < ' '; })) {
      table.problems().error(word.where,
                             fmt::format("{} has control characters in it", quote(word.value)));
    }
  }
}

DetectorConfig load_detector(const Text& name, TableReader& table) {
  DetectorConfig detector{.name = name.value, .where = name.where};
  if (table.has("pattern") == table.has("words")) {
    table.problems().error(
        name.where,
        fmt::format("{} needs \"pattern\" or \"words\", and not both", quote(name.value)),
        "write a second [detector.NAME] for the other");
  }
  if (const auto pattern = table.text("pattern")) {
    load_pattern(detector, {.value = *pattern, .where = table.where("pattern")}, table.problems());
  }
  load_words(detector, table);
  table.finish();
  return detector;
}

}  // namespace

std::map<std::string, DetectorConfig, std::less<>> load_detectors(TableReader& root) {
  std::map<std::string, DetectorConfig, std::less<>> detectors;
  for (auto& [name, table] : root.named_tables("detector")) {
    check_name(name, "detector", root.problems());
    if (detectors.size() == kDetectorsMax) {
      root.problems().error(name.where,
                            fmt::format("there are more than {} detectors", kDetectorsMax),
                            "\"words\" and alternatives of a \"pattern\" make one of many");
    }
    detectors.insert_or_assign(name.value, load_detector(name, table));
  }
  return detectors;
}

}  // namespace bartizan
