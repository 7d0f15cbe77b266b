#include "gateway/schema_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "schemas/json.h"

namespace bartizan {
namespace {

SchemaCache::Compiled compile() {
  const Bytes bytes(std::string_view(R"({"inputSchema":{"type":"object"}})"));
  JsonDocument document;
  return ToolSchemas::read(document.read(bytes).value());
}

TEST(SchemaCache, SharesWhatSomebodyHolds) {
  SchemaCache cache;
  EXPECT_EQ(cache.find("a"), nullptr);
  auto first = compile();
  EXPECT_EQ(cache.keep("a", first), first);
  EXPECT_EQ(cache.find("a"), first);
  // Whoever compiled the same meanwhile uses what is there.
  EXPECT_EQ(cache.keep("a", compile()), first);
  EXPECT_EQ(cache.find("b"), nullptr);
  first.reset();
  EXPECT_EQ(cache.find("a"), nullptr);
  const auto second = compile();
  EXPECT_EQ(cache.keep("a", second), second);
}

TEST(SchemaCache, ForgetsFingerprintsThatNobodyUses) {
  SchemaCache cache;
  const auto held = compile();
  cache.keep("held", held);
  for (int i = 0; i < 10'000; ++i)
    cache.keep(std::to_string(i), compile());
  EXPECT_LE(cache.size(), 65U);
  EXPECT_EQ(cache.find("held"), held);
}

}  // namespace
}  // namespace bartizan
