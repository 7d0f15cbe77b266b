#include "gateway/catalogue/schema_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

ToolSchemas compile() {
  const Bytes bytes(std::string_view(R"({"inputSchema":{"type":"object"}})"));
  JsonDocument document;
  return ToolSchemas::read(document.read(bytes).value());
}

TEST(SchemaCache, SharesWhatSomebodyHolds) {
  MemoryBudget memory{std::uint64_t{1} << 20};
  SchemaCache cache{memory};
  EXPECT_EQ(cache.find("a"), nullptr);
  auto first = cache.keep("a", compile());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(cache.find("a"), first);
  // Whoever compiled the same meanwhile uses what is there.
  EXPECT_EQ(cache.keep("a", compile()), first);
  EXPECT_EQ(cache.find("b"), nullptr);
  first.reset();
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_NE(cache.keep("a", compile()), nullptr);
}

TEST(SchemaCache, TakesItsMemoryOnceAndGivesItBack) {
  std::string many;
  for (int i = 0; i < 500; ++i)
    many += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"string"})";
  const Bytes bytes(R"({"inputSchema":{"properties":{)" + many + "}}}");
  JsonDocument document;
  const JsonValue entry = document.read(bytes).value();
  MemoryBudget memory{std::uint64_t{1} << 20};
  SchemaCache cache{memory};
  auto first = cache.keep("a", ToolSchemas::read(entry));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.used(), first->memory());
  EXPECT_EQ(cache.keep("a", ToolSchemas::read(entry)), first);
  EXPECT_EQ(memory.used(), first->memory());
  first.reset();
  EXPECT_EQ(memory.used(), 0U);
  MemoryBudget small{1};
  EXPECT_EQ(SchemaCache(small).keep("a", ToolSchemas::read(entry)), nullptr);
}

TEST(SchemaCache, ForgetsFingerprintsThatNobodyUses) {
  MemoryBudget memory{std::uint64_t{1} << 20};
  SchemaCache cache{memory};
  const auto held = cache.keep("held", compile());
  for (int i = 0; i < 10'000; ++i)
    cache.keep(std::to_string(i), compile());
  EXPECT_LE(cache.size(), 65U);
  EXPECT_EQ(cache.find("held"), held);
}

}  // namespace
}  // namespace bartizan
