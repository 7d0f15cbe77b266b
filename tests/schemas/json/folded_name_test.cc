#include "schemas/json/folded_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {
namespace {

/// What two readers took for the members `owner`, `ask` and `id` of a structure: Go 1.26
/// `encoding/json`, and Jackson 2.14 with ACCEPT_CASE_INSENSITIVE_PROPERTIES. Made once by running
/// them; both keep the last of several values, in whatever case they are named.
TEST(FoldedName, KnowsWhatReadersTakeForAName) {
  const struct {
    std::string_view name;
    std::string_view go, jackson;  ///< The member it was taken for.
    std::string_view folds_as;
  } cases[] = {
      {"owner", "owner", "owner", "owner"},
      {"Owner", "owner", "owner", "owner"},
      {"OWNER", "owner", "owner", "owner"},
      {"oWner", "owner", "owner", "owner"},
      {"ASK", "ask", "ask", "ask"},
      {"as\xE2\x84\xAA", "ask", "ask", "ask"},  // U+212A
      {"a\xC5\xBFk", "ask", "", "ask"},         // U+017F
      {"ID", "id", "id", "id"},
      {"\xC4\xB0"
       "d",
       "", "", "id"},  // U+0130, by Java's equalsIgnoreCase
      {"\xC4\xB1"
       "d",
       "", "", "id"},  // U+0131
      {"own-er", "", "", ""},
      {"ownerx", "", "", ""},
      {"owne", "", "", ""},
      {"\xEF\xBD\x8Fwner", "", "", ""},  // U+FF4F, a full-width o
      {"\xC3\xB6wner", "", "", ""},      // U+00F6
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string_view found;
    for (const std::string_view member : {"owner", "ask", "id"}) {
      if (folds_alike(c.name, member)) found = member;
      EXPECT_EQ(folds_alike(c.name, member), folds_alike(member, c.name));
      EXPECT_EQ(folded_name(c.name) == member, folds_alike(c.name, member));
    }
    EXPECT_EQ(found, c.folds_as);
    for (const std::string_view reader : {c.go, c.jackson}) {
      if (!reader.empty()) EXPECT_EQ(found, reader);
    }
  }
}

TEST(FoldedName, FoldsNamesOfOtherLettersAndStopsAtANul) {
  const struct {
    std::string_view one, other;
    bool are_alike;
  } cases[] = {
      {"stra\xC3\x9F"
       "e",
       "STRA\xE1\xBA\x9E"
       "E",
       true},  // U+00DF and U+1E9E, as Go has it
      {"stra\xC3\x9F"
       "e",
       "STRASSE", false},  // Simple folding keeps the length.
      {"\xD0\x98\xD0\xBC\xD1\x8F", "\xD0\xB8\xD0\xBC\xD1\x8F", true},
      {"\xCE\xA3", "\xCF\x82", true},  // Capital and final sigma
      {std::string_view("owner\0x", 7), "Owner", true},
      {std::string_view("owner\0x", 7), std::string_view("owner\0y", 7), true},
      {"", "", true},
      {"", "a", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.one);
    EXPECT_EQ(folds_alike(c.one, c.other), c.are_alike);
    EXPECT_EQ(folded_name(c.one) == folded_name(c.other), c.are_alike);
  }
  EXPECT_TRUE(is_folded("a_name-1"));
  EXPECT_TRUE(is_folded(""));
  for (const std::string_view name :
       {std::string_view("aName"), std::string_view("\xC3\xB6"), std::string_view("a\0", 2)}) {
    EXPECT_FALSE(is_folded(name));
  }
}

std::vector<std::string> pairs_in(std::string_view text, std::size_t most = 10) {
  const Bytes bytes(text);
  JsonDocument document;
  std::vector<std::string> found;
  for (const FoldedPair& pair : find_folded_pairs(document.read(bytes).value(), most)) {
    found.push_back(std::string(pair.first.key()) + " " + std::string(pair.second.key()));
    EXPECT_LT(pair.first.key_range().begin, pair.second.key_range().begin);
  }
  return found;
}

TEST(FoldedName, FindsPairsOfOneObject) {
  using Pairs = std::vector<std::string>;
  EXPECT_EQ(pairs_in(R"({"a":1,"b":{"A":1}})"), Pairs());
  EXPECT_EQ(pairs_in(R"([{"a":1},{"A":1}])"), Pairs());
  EXPECT_EQ(pairs_in(R"({"a":1,"A":1})"), Pairs{"a A"});
  EXPECT_EQ(pairs_in(R"({"A":1,"a":1})"), Pairs{"A a"});
  EXPECT_EQ(pairs_in(R"({"Ab":1,"aB":1})"), Pairs{"Ab aB"});
  EXPECT_EQ(pairs_in(R"({"a":1,"\u0041":1})"), Pairs{"a A"});
  EXPECT_EQ(pairs_in(R"({"x":[{"k":1,"\u212a":1}],"B":1,"b":1})").size(), 2U);
  EXPECT_EQ(pairs_in(R"({"a":1,"A":1,"b":1,"B":1})", 1).size(), 1U);
  EXPECT_EQ(pairs_in(R"("a")"), Pairs());
}

TEST(FoldedName, FindsPairsAmongManyMembers) {
  std::string text = "{\"Last\":1";
  for (int i = 0; i < 500; ++i)
    text += ",\"Name" + std::to_string(i) + "\":1";
  EXPECT_TRUE(pairs_in(text + "}").empty());
  EXPECT_EQ(pairs_in(text + ",\"lAST\":1}"), std::vector<std::string>{"Last lAST"});
  EXPECT_EQ(pairs_in(text + ",\"nAME499\":1}"), std::vector<std::string>{"Name499 nAME499"});
}

}  // namespace
}  // namespace bartizan
