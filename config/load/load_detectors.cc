#include <fmt/format.h>

#include <algorithm>

#include "config/check_name.h"
#include "config/check_regex.h"
#include "config/load/load_gitleaks.h"
#include "config/load/load_parts.h"
#include "schemas/base/has_anchor.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

constexpr std::size_t kDetectorsMax = 256;
constexpr std::size_t kWordBytesMax = 128;

void load_pattern(DetectorConfig& detector, const Text& pattern, Problems& problems) {
  detector.pattern = pattern.value;
  detector.pattern_where = pattern.where;
  if (!check_regex(pattern, "pattern", problems)) return;
  // The detector searches many texts joined into one.
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
          "shorter ones stand in too many texts: write it with the text around it");
    } else if (word.value.size() > kWordBytesMax) {
      table.problems().error(
          word.where, fmt::format("{} is longer than {} bytes", quote(word.value), kWordBytesMax));
    } else if (std::ranges::any_of(word.value, [](char c) { return c >= 0 && c < ' '; })) {
      table.problems().error(word.where,
                             fmt::format("{} has control characters in it", quote(word.value)));
    }
  }
}

/// The file was read with the configuration, and its read errors were reported then.
void load_rules(DetectorConfig& detector, TableReader& table, const RuleFiles& files,
                GitleaksUse& use) {
  detector.pattern_where = table.where("gitleaks");
  const TomlEntry* gitleaks = table.find("gitleaks", TomlValue::Type::text);
  if (gitleaks == nullptr) return;
  Problems& problems = table.problems();
  const auto path = named_rule_file(gitleaks->value, problems);
  if (!path) {
    problems.error(gitleaks->value.where, "\"gitleaks\" must be the path of a file");
    return;
  }
  const auto file = files.find(*path);
  if (file == files.end()) return;
  const auto name = std::ranges::find(problems.files(), *path);
  load_gitleaks(detector, file->second, static_cast<std::uint32_t>(name - problems.files().begin()),
                use, problems);
}

DetectorConfig load_detector(const Text& name, TableReader& table, const RuleFiles& files,
                             GitleaksUse& use) {
  DetectorConfig detector{.name = name.value, .where = name.where};
  const int given = static_cast<int>(table.has("pattern")) + static_cast<int>(table.has("words")) +
                    static_cast<int>(table.has("gitleaks"));
  if (given != 1) {
    table.problems().error(
        name.where,
        fmt::format("{} needs \"pattern\", \"words\" or \"gitleaks\", and only one of them",
                    quote(name.value)),
        "write a [detector.NAME] for each");
  }
  if (const auto pattern = table.text("pattern")) {
    load_pattern(detector, {.value = *pattern, .where = table.where("pattern")}, table.problems());
  }
  load_words(detector, table);
  if (table.has("gitleaks")) load_rules(detector, table, files, use);
  table.finish();
  return detector;
}

}  // namespace

std::map<std::string, DetectorConfig, std::less<>> load_detectors(TableReader& root,
                                                                  const RuleFiles& files) {
  std::map<std::string, DetectorConfig, std::less<>> detectors;
  GitleaksUse use;
  for (auto& [name, table] : root.named_tables("detector")) {
    check_name(name, "detector", root.problems());
    if (detectors.size() == kDetectorsMax) {
      root.problems().error(name.where,
                            fmt::format("there are more than {} detectors", kDetectorsMax),
                            "\"words\" and alternatives of a \"pattern\" make one of many");
    }
    detectors.insert_or_assign(name.value, load_detector(name, table, files, use));
  }
  return detectors;
}

}  // namespace bartizan
