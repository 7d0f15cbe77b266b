#include "gateway/catalogue/quarantine.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

/// An entry as a catalogue has it.
ListedEntry entry_of(std::string_view text) {
  JsonDocument document;
  const Bytes bytes(text);
  const Result<JsonValue> value = document.read(bytes, kResponseLimits);
  EXPECT_TRUE(value.has_value());
  ListedEntry entry{.name = std::string(value->find("name").text())};
  Result<ToolDefinition> tool = read_tool_definition(*value);
  if (!tool.has_value()) {
    entry.quarantined = true;
    entry.flaw = tool.error().detail;
    return entry;
  }
  tool->schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*value));
  entry.tool = std::make_shared<const ToolDefinition>(std::move(*tool));
  return entry;
}

std::string tell_nothing(const PinnedTool&, const ToolDefinition&) {
  return {};
}

TEST(QuarantineReason, IsWhatKeepsAToolFromEverybody) {
  constexpr std::string_view kLooks =
      R"-({"name":"t","inputSchema":{"type":"object","properties":{"a":{"pattern":"(?=a)"}}}})-";
  constexpr std::string_view kPattern =
      "inputSchema: untranslatable_pattern at /properties/a/pattern";
  using Patterns = ToolProfile::UntranslatablePatterns;
  const struct {
    std::string_view name, entry, profile;
    ToolProfile::UntranslatablePatterns patterns;
    std::string_view reason;
  } cases[] = {
      {"a tool", R"({"name":"t","inputSchema":{"type":"object"}})", "far/t", Patterns::quarantine,
       ""},
      {"no tool", R"({"name":"t"})", "far/t", Patterns::accept,
       "inputSchema is not of type object"},
      {"a schema that is none", R"({"name":"t","inputSchema":{"type":"object","required":1}})",
       "far/t", Patterns::accept, "inputSchema: invalid_keyword at /required"},
      {"a pattern", kLooks, "far/t", Patterns::quarantine, kPattern},
      {"a pattern that is accepted", kLooks, "far/t", Patterns::accept, ""},
      {"… of another tool", kLooks, "far/other", Patterns::accept, kPattern},
      {"… of another server", kLooks, "near/t", Patterns::accept, kPattern},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Config config;
    config.tools.emplace_back();
    config.tools.back().pattern = c.profile;
    config.tools.back().untranslatable_patterns = c.patterns;
    EXPECT_EQ(
        quarantine_reason(ToolProfiles(config, {}), "far", entry_of(c.entry), tell_nothing).text(),
        c.reason);
  }
}

TEST(ReleasableFingerprint, IsThatOfADefinitionThatAReleaseWouldFree) {
  constexpr std::string_view kTool = R"({"name":"t","inputSchema":{"type":"object"}})";
  const ToolProfiles profiles(Config(), {});
  const ListedEntry usable = entry_of(kTool);
  EXPECT_EQ(releasable_fingerprint(profiles, "far", usable), usable.tool->fingerprint);
  EXPECT_EQ(usable.tool->fingerprint.size(), 64U);
  for (const std::string_view flawed :
       {std::string_view(R"({"name":"t"})"),
        std::string_view(R"({"name":"t","inputSchema":{"type":"object","required":1}})")}) {
    SCOPED_TRACE(flawed);
    EXPECT_EQ(releasable_fingerprint(profiles, "far", entry_of(flawed)), "");
  }
  ListedEntry dangerous = entry_of(kTool);
  ToolDefinition tool = *dangerous.tool;
  tool.standing =
      std::make_shared<const ToolStanding>(ToolStanding{.danger_beside = "an order to the model"});
  dangerous.tool = std::make_shared<const ToolDefinition>(std::move(tool));
  EXPECT_EQ(releasable_fingerprint(profiles, "far", dangerous), "");
}

TEST(Quarantine, TellsDefinitionsOfOneToolApart) {
  Quarantine all;
  all.take({.name = "t", .fingerprint = "1"}, "of one caller's own instance");
  Quarantine other;
  other.take({.name = "t", .fingerprint = "2"}, "of another's");
  all.merge(other);
  all.merge(other);
  EXPECT_EQ(all.tools.size(), 2U);
  EXPECT_EQ(all.tools.at({.name = "t", .fingerprint = "2"}), "of another's");
}

TEST(Quarantine, ShowsNoNameThatNoToolHas) {
  EXPECT_EQ(shown_name({.name = "a-b.c_d"}), "a-b.c_d");
  for (const char* name : {"", "\x1b[31m", "a b", "a/b"})
    EXPECT_EQ(shown_name({.name = name}), "(unnamed)");
  EXPECT_EQ(shown_name({.name = std::string(200, 'x')}), "(unnamed)");
}

TEST(Quarantine, KeepsTheFirstOfManyAndTheirNumber) {
  Quarantine one;
  for (int i = 99; i >= 10; --i, ++one.count)
    one.take({.name = std::to_string(i)}, "why");
  EXPECT_EQ(one.tools.size(), Quarantine::shown_max);
  EXPECT_EQ(one.tools.begin()->first.name, "10");
  EXPECT_EQ(one.tools.rbegin()->first.name, "25");

  Quarantine all;
  all.merge(one);
  all.merge(one);  // The same list, as another worker has it.
  EXPECT_EQ(all.count, 90U);
  EXPECT_EQ(all.tools, one.tools);

  Quarantine other;
  other.take({.name = "0"}, "of one caller's own instance");
  other.count = 1;
  all.merge(other);
  EXPECT_EQ(all.count, 90U);
  EXPECT_EQ(all.tools.begin()->first.name, "0");
  EXPECT_EQ(all.tools.size(), Quarantine::shown_max);

  Quarantine few;
  few.merge(other);
  Quarantine another;
  another.take({.name = "1"}, "of another's");
  another.count = 1;
  few.merge(another);
  EXPECT_EQ(few.count, 2U);
}

}  // namespace
}  // namespace bartizan
