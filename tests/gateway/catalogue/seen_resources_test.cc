#include "gateway/catalogue/seen_resources.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

ServerList list_of(const std::vector<std::string>& uris) {
  ServerList list;
  for (const std::string& uri : uris)
    list.entries.push_back({.name = uri, .raw = {}, .name_range = {}, .tool = nullptr, .flaw = {}});
  return list;
}

TEST(SeenResources, HasWhatEachServerListedLast) {
  MemoryBudget memory(1 << 20);
  SeenResources seen(memory);
  seen.note("a", ListKind::resources, list_of({"memo://1", "memo://2"}));
  seen.note("b", ListKind::resources, list_of({"memo://2"}));
  seen.note("a", ListKind::tools, list_of({"memo://3"}));
  EXPECT_TRUE(seen.lists("a", ListKind::resources, "memo://1"));
  EXPECT_FALSE(seen.lists("b", ListKind::resources, "memo://1"));
  EXPECT_FALSE(seen.lists("a", ListKind::resource_templates, "memo://1"));
  EXPECT_FALSE(seen.lists("a", ListKind::resources, "memo://3"));
  seen.note("a", ListKind::resources, list_of({"memo://2"}));
  EXPECT_FALSE(seen.lists("a", ListKind::resources, "memo://1"));
  EXPECT_TRUE(seen.lists("a", ListKind::resources, "memo://2"));
}

TEST(SeenResources, SaysHowMuchOfAUriATemplateCovers) {
  MemoryBudget memory(1 << 20);
  SeenResources seen(memory);
  seen.note("a", ListKind::resource_templates, list_of({"memo://{x}", "memo://day/{x}", "{+any}"}));
  const struct {
    std::string_view server;
    std::string_view uri;
    std::size_t match;
  } cases[] = {
      {"a", "memo://1", 7},  {"a", "memo://day/1", 11}, {"a", "memo:/1", 0},
      {"a", "file:///x", 0}, {"b", "memo://1", 0},
  };
  for (const auto& c : cases)
    EXPECT_EQ(seen.template_match(c.server, c.uri), c.match) << c.uri;
}

TEST(SeenResources, ForgetsAListThatFindsNoRoom) {
  MemoryBudget memory(100 << 10);
  SeenResources seen(memory);
  seen.note("a", ListKind::resources, list_of({"memo://1"}));
  seen.note("a", ListKind::resources, list_of({std::string(200 << 10, 'x')}));
  EXPECT_FALSE(seen.lists("a", ListKind::resources, "memo://1"));
  EXPECT_EQ(memory.used(), 0U);
}

}  // namespace
}  // namespace bartizan
