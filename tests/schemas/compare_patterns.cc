// Holds translated patterns against what Node said of the same patterns and texts, which it reads
// from standard input as patterns.mjs writes them. Prints each disagreement and a line of counts;
// exits with 1 if there was one, or if too much went without comparison.
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <re2/re2.h>

#include "schemas/json/json.h"
#include "schemas/regex/ecma_pattern.h"

namespace bartizan {
namespace {

/// Of a hundred rows with the flag `u`, those that may have no translation.
constexpr std::size_t kUntranslatedMax = 15;

struct Counts {
  std::size_t rows = 0, compared = 0, matched = 0;
  std::size_t with_u = 0, look_around = 0, back_references = 0, too_large = 0;
  std::size_t annex_b = 0, annex_b_taken = 0, wrong = 0;
  std::size_t disagreements = 0;
};

class Comparison {
 public:
  void take_row(std::string_view line) {
    const Bytes bytes{std::string(line)};
    JsonDocument document;
    const Result<JsonValue> row = document.read(bytes);
    if (!row.has_value()) return disagree(line, "no row");
    ++counts_.rows;
    const std::string_view pattern = row->find("pattern").text();
    const std::string_view verdict = row->find("verdict").text();
    const auto translated = translate_ecma_pattern(pattern);
    if (is_ecma_pattern(pattern) != (verdict == "u")) disagree(pattern, "valid for one of us only");
    if (verdict == "u") {
      ++counts_.with_u;
      if (!translated.has_value()) return take_reason(pattern, translated.error());
    } else if (verdict == "annex_b") {
      ++counts_.annex_b;
      if (!translated.has_value()) return;
      ++counts_.annex_b_taken;
    } else {
      ++counts_.wrong;
      if (translated.has_value()) disagree(pattern, "an error, and translated");
      return;
    }
    compare(pattern, *translated, *row);
  }

  bool finish() {
    const std::size_t untranslated =
        counts_.look_around + counts_.back_references + counts_.too_large;
    std::cout << counts_.rows << " patterns: " << counts_.with_u << " with u (" << untranslated
              << " untranslatable: " << counts_.look_around << " look-around, "
              << counts_.back_references << " back-references, " << counts_.too_large
              << " too large), " << counts_.annex_b << " of annex B (" << counts_.annex_b_taken
              << " taken), " << counts_.wrong << " wrong; " << counts_.compared
              << " texts compared, " << counts_.matched << " matching; " << counts_.disagreements
              << " disagreements\n";
    // A comparison that compares little, or only what does not match, would prove little.
    const bool is_fair = untranslated * 100 <= counts_.with_u * kUntranslatedMax &&
                         counts_.compared >= counts_.rows * 3 &&
                         counts_.matched * 4 >= counts_.compared;
    if (!is_fair) std::cout << "too little was compared\n";
    return is_fair && counts_.disagreements == 0;
  }

 private:
  void disagree(std::string_view pattern, std::string_view what) {
    constexpr std::size_t kShown = 20;
    constexpr std::size_t kShownBytes = 500;
    if (++counts_.disagreements > kShown) return;
    std::cout << pattern.substr(0, kShownBytes) << ": " << what.substr(0, kShownBytes) << '\n';
  }

  void take_reason(std::string_view pattern, std::string_view reason) {
    if (reason == "look-around") {
      ++counts_.look_around;
    } else if (reason == "a back-reference") {
      ++counts_.back_references;
    } else if (reason == "a pattern that is too large") {
      ++counts_.too_large;
    } else {
      disagree(pattern, "not translated: " + std::string(reason));
    }
  }

  void compare(std::string_view pattern, const std::string& translated, JsonValue row) {
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(std::int64_t{4} << 20);
    const re2::RE2 compiled(translated, options);
    if (!compiled.ok() && compiled.error_code() == re2::RE2::ErrorPatternTooLarge) {
      ++counts_.too_large;
      return;
    }
    if (!compiled.ok()) return disagree(pattern, "refused as " + translated);
    auto match = row.find("matches").begin();
    for (const JsonValue text : row.find("texts")) {
      const bool is_match = *(*match).boolean();
      ++match;
      const std::string_view view = text.text();
      ++counts_.compared;
      counts_.matched += is_match ? 1 : 0;
      if (re2::RE2::PartialMatch(re2::StringPiece(view.data(), view.size()), compiled) !=
          is_match) {
        disagree(pattern, (is_match ? "should match " : "should not match ") +
                              std::string(text.raw()) + " as " + translated);
      }
    }
  }

  Counts counts_;
};

}  // namespace
}  // namespace bartizan

int main() {
  bartizan::Comparison comparison;
  for (std::string line; std::getline(std::cin, line);)
    comparison.take_row(line);
  return comparison.finish() ? 0 : 1;
}
