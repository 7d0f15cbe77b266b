#include "config/same_entry.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

ToolProfile profile() {
  ToolProfile profile;
  profile.pattern = "s/t";
  profile.permissions = {"read:files"};
  profile.arguments = {{.pointer = "/a", .predicate = PathPredicate{"docs"}}};
  profile.schema = "{}";
  return profile;
}

TEST(SameEntry, ComparesAllOfAPredicate) {
  const std::vector<Predicate> all = {PathPredicate{"a"},
                                      PathPredicate{"b"},
                                      NumberPredicate{},
                                      NumberPredicate{"1", ""},
                                      NumberPredicate{"", "1"},
                                      OneOfPredicate{{"1"}},
                                      OneOfPredicate{{"1", "2"}},
                                      TextPredicate{},
                                      TextPredicate{1, {}, ""},
                                      TextPredicate{0, 1, ""},
                                      TextPredicate{0, {}, "a"},
                                      TextPredicate{.classes = {CharacterClass::tabs}},
                                      TextPredicate{.compact = true},
                                      FixedPredicate{},
                                      FixedPredicate{"1"},
                                      AbsentPredicate{},
                                      CommandPredicate{},
                                      CommandPredicate{"a", {}},
                                      CommandPredicate{"", {.programs = {"ls"}}},
                                      CommandPredicate{"", {.arguments = {{"ls", {"a"}}}}},
                                      CommandPredicate{"", {.allow_pipes = true}},
                                      UrlPredicate{},
                                      UrlPredicate{"a", {}},
                                      UrlPredicate{"", {.schemes = {"http"}}},
                                      UrlPredicate{"", {.hosts = {"a"}}},
                                      UrlPredicate{"", {.ports = {1}}},
                                      UrlPredicate{"", {.allow_private = true}},
                                      UrlPredicate{"", {.resolve = true}},
                                      DigestPredicate{},
                                      DigestPredicate{{"a"}, ""},
                                      DigestPredicate{{}, "a"},
                                      SqlPredicate{},
                                      SqlPredicate{"a", {}},
                                      SqlPredicate{"", {.dialect = SqlDialect::sqlite}},
                                      SqlPredicate{"", {.statements = {SqlClass::show}}},
                                      SqlPredicate{"", {.tables = {"a"}}},
                                      SqlPredicate{"", {.deny_tables = {"a"}}},
                                      SqlPredicate{"", {.functions = std::vector<std::string>()}},
                                      SqlPredicate{"", {.deny_functions = {"a"}}},
                                      SqlPredicate{"", {.allow_comments = true}},
                                      SqlPredicate{"", {.begins_with_letter = true}}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      ToolProfile one = profile(), other = profile();
      one.arguments[0].predicate = all[i];
      other.arguments[0].predicate = all[j];
      EXPECT_EQ(is_same(one, other), i == j) << i << " " << j;
    }
  }
}

TEST(SameEntry, ComparesAllOfAProfileButItsPlaces) {
  const struct {
    std::string_view name;
    void (*change)(ToolProfile&);
    bool is_same;
  } rows[] = {
      {"nothing", [](ToolProfile&) {}, true},
      {"place", [](ToolProfile& p) { p.where.line = 7; }, true},
      {"place of the schema", [](ToolProfile& p) { p.schema_where.line = 7; }, true},
      {"pattern", [](ToolProfile& p) { p.pattern = "s/u"; }, false},
      {"permissions", [](ToolProfile& p) { p.permissions.clear(); }, false},
      {"timeout", [](ToolProfile& p) { p.timeout = std::chrono::milliseconds(1); }, false},
      {"slow", [](ToolProfile& p) { p.slow = std::chrono::milliseconds(1); }, false},
      {"cost", [](ToolProfile& p) { p.cost = 0; }, false},
      {"labels", [](ToolProfile& p) { p.labels = {ToolLabel::untrusted}; }, false},
      {"argument", [](ToolProfile& p) { p.arguments[0].optional = true; }, false},
      {"place of an argument", [](ToolProfile& p) { p.arguments[0].where.line = 7; }, true},
      {"path", [](ToolProfile& p) { p.arguments[0].predicate = PathPredicate{"notes"}; }, false},
      {"predicate", [](ToolProfile& p) { p.arguments[0].predicate = AbsentPredicate(); }, false},
      {"rename", [](ToolProfile& p) { p.renames = {{.listed = "/a", .sent = "/b"}}; }, false},
      {"schema", [](ToolProfile& p) { p.schema = "{} "; }, false},
      {"additional properties",
       [](ToolProfile& p) { p.additional_properties = ToolProfile::AdditionalProperties::refuse; },
       false},
      {"formats", [](ToolProfile& p) { p.formats = ToolProfile::Formats::assert_them; }, false},
      {"patterns",
       [](ToolProfile& p) {
         p.untranslatable_patterns = ToolProfile::UntranslatablePatterns::accept;
       },
       false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    ToolProfile other = profile();
    row.change(other);
    EXPECT_EQ(is_same(profile(), other), row.is_same);
    EXPECT_EQ(is_same(other, profile()), row.is_same);
  }
}

TEST(SameEntry, ComparesAllOfAPathButItsPlace) {
  const PathConfig same{.name = "p", .root = "/p"};
  const std::vector<PathConfig> others{
      {.name = "q", .root = "/p"},
      {.name = "p", .root = "/q"},
      {.name = "p", .root = "/p", .base = "/b"},
      {.name = "p", .root = "/p", .kind = PathConfig::Kind::file},
      {.name = "p", .root = "/p", .extensions = {".md"}},
      {.name = "p", .root = "/p", .refuse_hidden = true},
      {.name = "p", .root = "/p", .allow = {"a"}},
      {.name = "p", .root = "/p", .deny = {"a"}},
      {.name = "p", .root = "/p", .deny_names = {"a"}},
      {.name = "p", .root = "/p", .writable = std::vector<std::string>()},
      {.name = "p", .root = "/p", .folds_case = true},
      {.name = "p", .root = "/p", .refuse_windows_names = false},
      {.name = "p", .root = "/p", .resolve = PathConfig::Resolve::filesystem},
      {.name = "p", .root = "/p", .content = PathConfig::Content::text}};
  PathConfig moved = same;
  moved.where.line = 7;
  EXPECT_TRUE(is_same(same, moved));
  for (const PathConfig& one : others) {
    EXPECT_FALSE(is_same(same, one));
    for (const PathConfig& other : others)
      EXPECT_EQ(is_same(one, other), &one == &other);
  }
}

}  // namespace
}  // namespace bartizan
