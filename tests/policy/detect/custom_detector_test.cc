// The detectors that an operator defines: what they find, under which names, and how they are
// compiled beside those that are built in.
#include "policy/detect/custom_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policy/detect/detector_set.h"
#include "policy/detect/scanner.h"
#include "policy/redact/redaction_rules.h"
#include "policy/redact/redactor.h"
#include "schemas/base/required_literals.h"
#include "tests/policy/fake_secrets.h"

namespace bartizan {
namespace {

Config config_with(const std::vector<DetectorConfig>& own) {
  Config config;
  for (const DetectorConfig& detector : own)
    config.detectors.emplace(detector.name, detector);
  config.redactions["own"] = {.name = "own",
                              .detectors = {"custom"},
                              .in = {Carrier::results},
                              .action = RedactionAction::mask};
  return config;
}

using Found = std::vector<std::string>;

Found found_in(const DetectorConfig& own, std::string_view text) {
  const Config config = config_with({own});
  const DetectorSet names(config);
  Scanner scanner(compile_scan_database(config).value());
  Found found;
  for (const DetectorMatch& sighting : scanner.scan(text)) {
    found.push_back(std::string(names.name(sighting.detector)) + ": " +
                    std::string(text.substr(sighting.begin, sighting.end - sighting.begin)));
  }
  return found;
}

TEST(OwnDetector, FindsPatterns) {
  const std::string longer(2 * CustomDetector::kReach, '7');
  const struct {
    std::string_view name;
    std::string pattern;
    std::string text;
    Found found;
  } rows[] = {
      {"one", R"(\bACME-[0-9]{6}\b)", "see ACME-123456.", {"custom.a: ACME-123456"}},
      {"two",
       "ACME-[0-9]{6}",
       "ACME-123456ACME-654321",
       {"custom.a: ACME-123456", "custom.a: ACME-654321"}},
      {"almost", R"(\bACME-[0-9]{6}\b)", "ACME-12345 acme-123456 xACME-123456 ACME-1234567", {}},
      {"any case", "(?i)acme-[0-9]{6}", "Acme-123456", {"custom.a: Acme-123456"}},
      {"the literal behind", "[0-9]{6}-ACME", "123456-ACME", {"custom.a: 123456-ACME"}},
      {"alternatives",
       "(falcon|heron)-[a-z]+",
       "a heron-egg and a falcon-egg",
       {"custom.a: heron-egg", "custom.a: falcon-egg"}},
      {"not over a NUL", "ACME.[0-9]{6}", std::string("ACME") + '\0' + "123456", {}},
      {"none of these", "ACME-[0-9]{6}", std::string(5000, 'x'), {}},
      {"cut where it is too long",
       "ACME-[0-9]+",
       "ACME-" + longer + " x",
       {"custom.a: ACME-" + longer}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(found_in({.name = "a", .pattern = row.pattern}, row.text), row.found) << row.name;
  }
}

TEST(OwnDetector, LooksThroughOneEncoding) {
  const std::string encoded = base64_of("the ticket is ACME-123456, and there is no other");
  EXPECT_EQ(found_in({.name = "a", .pattern = "ACME-[0-9]{6}"}, "x " + encoded).size(), 1U);
  EXPECT_EQ(found_in({.name = "a", .words = {"ticket"}}, "x " + encoded).size(), 1U);
}

TEST(OwnDetector, FindsWholeWords) {
  const DetectorConfig words{
      .name = "w", .words = {"Project Falcon", "Blaubär", "C++17", "über alles", "an ox"}};
  const struct {
    std::string text;
    Found found;
  } rows[] = {
      {"of Project Falcon.", {"custom.w: Project Falcon"}},
      {"PROJECT FALCON", {"custom.w: PROJECT FALCON"}},
      {"project falcon_1", {"custom.w: project falcon"}},
      {"BLAUBÄR blaubär", {"custom.w: BLAUBÄR", "custom.w: blaubär"}},
      {"计划Project Falcon已经", {"custom.w: Project Falcon"}},
      {"in C++17, too", {"custom.w: C++17"}},
      {"Project Falcons", {}},
      {"xProject Falcon", {}},
      {"éProject Falcon", {}},
      {"Project Falconé", {}},
      {"Project  Falcon", {"custom.w: Project  Falcon"}},
      {"project\r\n\tfalcon", {"custom.w: project\r\n\tfalcon"}},
      {"project" + std::string(65, ' ') + "falcon", {}},
      {"projectfalcon", {}},
      {"Project the Falcon", {}},
      {"Falcon Project", {}},
      {"the project Falcon falcon", {"custom.w: project Falcon"}},
      {std::string("Project") + '\0' + "Falcon", {}},
      {"Über  alles", {"custom.w: Über  alles"}},
      {"ÜBER\nALLES", {"custom.w: ÜBER\nALLES"}},
      {"an ox", {"custom.w: an ox"}},
      {"an  ox", {}},
      {"Blaubärs", {}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(found_in(words, row.text), row.found) << row.text;
}

/// A text full of a word that a thousand phrases have costs no more than others.
TEST(OwnDetector, ReadsFewPhrasesAroundOneWord) {
  constexpr int kWords = 1000;
  DetectorConfig words{.name = "w", .words = {}};
  words.words.reserve(kWords);
  for (int i = 0; i < kWords; ++i)
    words.words.push_back("x" + std::to_string(i) + " International");
  const Config config = config_with({words});
  Scanner scanner(compile_scan_database(config).value());
  std::string text;
  for (int i = 0; i < 10'000; ++i)
    text += "International ";
  constexpr std::uint64_t kReadsMax = 256;
  EXPECT_TRUE(scanner.scan(text).empty());
  EXPECT_LE(scanner.work(), kReadsMax * text.size());
  EXPECT_EQ(scanner.scan("x3 International, x999 International").size(), 2U);
  EXPECT_EQ(scanner.scan("International" + std::string(1 << 20, ' ')).size(), 0U);
  EXPECT_LE(scanner.work(), kReadsMax * text.size());
}

/// Everything is found wherever it stands, also where literals stand close together for long.
TEST(OwnDetector, FindsAllOfMany) {
  const Config config = config_with({{.name = "a", .pattern = "item-[0-9]{4}"}});
  Scanner scanner(compile_scan_database(config).value());
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "item-" + std::to_string(1000 + i) + (i % 7 == 0 ? std::string(600, ' ') : ",");
  EXPECT_EQ(scanner.scan(text).size(), 5000U);
  constexpr std::uint64_t kReadsMax = 48;
  EXPECT_LE(scanner.work(), kReadsMax * text.size());
}

/// A search of a pattern may read to the end of its region before it knows where its match ends,
/// and the work that is told says so.
TEST(OwnDetector, TellsTheWorkOfEachSearch) {
  const Config config = config_with({{.name = "a", .pattern = "item-"}});
  Scanner scanner(compile_scan_database(config).value());
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "item-";
  EXPECT_EQ(scanner.scan(text).size(), 1000U);
  EXPECT_GT(scanner.work(), 64 * text.size());
}

/// In capitals the two are `SS`, which stands everywhere.
TEST(OwnDetector, RefusesWordsThatGrowShort) {
  const Config config = config_with({{.name = "a", .words = {"ſſ"}}});
  EXPECT_FALSE(compile_scan_database(config).has_value());
  const std::vector<ConfigProblem> problems = find_redaction_problems(config);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].severity, ConfigProblem::Severity::error);
  EXPECT_EQ(problems[0].message,
            "\"ſſ\" of the detector \"a\" is also written \"SS\", which is too short to be looked "
            "for");
  EXPECT_TRUE(find_redaction_problems(config_with({{.name = "a", .words = {"Straße"}}})).empty());
}

TEST(OwnDetector, HasItsNameInMarksAndCounts) {
  const Config config = config_with(
      {{.name = "ticket", .pattern = "ACME-[0-9]{6}"}, {.name = "bird", .words = {"falcon"}}});
  const RedactionRules rules(config, compile_scan_database(config).value());
  // It was made for another configuration, as workers are before a reload.
  Redactor redactor(compile_scan_database().value(), HashSeed{1, 2});
  const std::string text = "ACME-123456 is about a Falcon";
  const Redaction redaction = redactor.redact(rules, {.carrier = Carrier::results}, text);
  std::string left;
  append_redacted(left, text, redaction.edits);
  EXPECT_EQ(left, "[redacted:custom.ticket] is about a [redacted:custom.bird]");
  std::vector<std::string> counts;
  counts.reserve(redaction.redacted.size());
  for (const Redacted& one : redaction.redacted)
    counts.push_back(bartizan::text(one));
  EXPECT_EQ(counts, (std::vector<std::string>{"custom.ticket mask 1", "custom.bird mask 1"}));
  // The configuration before has none of them, and its rules are not asked about any.
  const RedactionRules before{Config{}};
  EXPECT_TRUE(redactor.redact(before, {.carrier = Carrier::results}, text).redacted.empty());
}

TEST(DetectorSet, SelectsByFamilyNameAndGroup) {
  const DetectorSet names(
      config_with({{.name = "a", .words = {"falcon"}}, {.name = "b", .words = {"heron"}}}));
  EXPECT_EQ(names.size(), detectors().size() + 2);
  const struct {
    std::string_view name;
    std::size_t selected;
  } rows[] = {{"custom", 2},   {"custom.*", 2}, {"custom.a", 1}, {"custom.c", 0},
              {"github.*", 1}, {"custo", 0},    {"a", 0}};
  for (const auto& row : rows)
    EXPECT_EQ(names.select(row.name).size(), row.selected) << row.name;
  EXPECT_EQ(names.name(own_detector_id(1)), "custom.b");
  EXPECT_EQ(names.name(own_detector_id(7)), "custom");
}

TEST(RequiredLiterals, AreInEveryMatch) {
  const struct {
    std::string pattern;
    std::vector<std::string> literals;
  } rows[] = {
      {"ACME-[0-9]{6}", {"acme-"}},
      {"falcon|heron", {"falcon", "heron"}},
      {"(ab|cd)efgh", {"abefgh", "cdefgh"}},
      {"[0-9]+", {}},
      {"falcon|[0-9]+", {}},
      {"(falcon)?[0-9]+", {}},
      {"fal[^x]con", {}},
      {"Blaub\xC3\xA4r", {"blaub"}},
      {"\xE5\xAF\x86\xE7\xA0\x81", {}},
      {"(", {}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(required_literals(row.pattern), row.literals) << row.pattern;
}

}  // namespace
}  // namespace bartizan
