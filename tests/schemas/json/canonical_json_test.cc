#include "schemas/json/canonical_json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

std::string canonical(std::string_view text, NumberForm numbers) {
  JsonDocument document;
  const Bytes bytes(text);
  const JsonLimits limits{.numbers = JsonLimits::Numbers::keep_as_text};
  return canonical_json(document.read(bytes, limits).value(), numbers);
}

TEST(CanonicalJson, SortsAndKeepsNumbers) {
  const struct {
    std::string_view text;
    std::string_view canonical;
  } cases[] = {
      {R"({"b":1,"a":[ ],"":{ }})", R"({"":{},"a":[],"b":1})"},
      {R"([1.0, 1e0, -0, true, null, "\u0041\n\/"])", R"([1.0,1e0,-0,true,null,"A\n/"])"},
      {R"({"\u00e9":1,"z":2})", "{\"z\":2,\"\xC3\xA9\":1}"},
      {R"({"a":{"d":1,"c":[{"f":1,"e":2}]}})", R"({"a":{"c":[{"e":2,"f":1}],"d":1}})"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(canonical(c.text, NumberForm::as_spelled), c.canonical);
}

TEST(CanonicalJson, LeavesOutWhatPointersSelect) {
  const std::string_view text = R"({"b":{"c":1,"c/d":2},"a":[1,{"c":3},4],"c":5})";
  const struct {
    std::vector<std::string> pointers;
    std::string_view canonical;
  } cases[] = {
      {{}, R"({"a":[1,{"c":3},4],"b":{"c":1,"c/d":2},"c":5})"},
      {{"/b/c"}, R"({"a":[1,{"c":3},4],"b":{"c/d":2},"c":5})"},
      {{"/b/c~1d", "/c"}, R"({"a":[1,{"c":3},4],"b":{"c":1}})"},
      {{"/a/1/c", "/a/0"}, R"({"a":[{},4],"b":{"c":1,"c/d":2},"c":5})"},
      {{"/b", "/b/c", "/nowhere", "/a/7"}, R"({"a":[1,{"c":3},4],"c":5})"},
  };
  JsonDocument document;
  const Bytes bytes(text);
  const JsonValue value = document.read(bytes).value();
  for (const auto& c : cases)
    EXPECT_EQ(canonical_json_without(value, c.pointers, NumberForm::as_spelled), c.canonical);
}

TEST(CanonicalJson, SpellsNumbersByTheirValue) {
  const struct {
    std::string_view text;
    std::string_view canonical;
  } cases[] = {
      {"[1,1.0,1e0,10e-1,0.1e1]", "[1,1,1,1,1]"},
      {"[0,-0,0.0,0e9]", "[0,0,0,0]"},
      {"[-1.50,-15e-1]", "[-15e-1,-15e-1]"},
      {"[100,1e2]", "[1e2,1e2]"},
      {"[9007199254740993,9007199254740992]", "[9007199254740993,9007199254740992]"},
      {R"(["1","1.0"])", R"(["1","1.0"])"},
      // What a reader with doubles takes for one number is one.
      {"[0.1,0.10000000000000000001,1e-1]", "[1e-1,1e-1,1e-1]"},
      {"[1,1.00000000000000000001]", "[1,1]"},
      {"[1e-400,-1e-500,0]", "[0,0,0]"},
      {"[1e400,2e500,-1e400]", "[1e999,1e999,-1e999]"},
      {"[18446744073709551616,18446744073709551617]",
       "[18446744073709551616,18446744073709551616]"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(canonical(c.text, NumberForm::by_value), c.canonical);
}

TEST(CanonicalJson, WritesNumbersExactlyWhateverTheirSize) {
  const struct {
    std::string_view text;
    std::string_view canonical;
  } cases[] = {
      {"[1,1.0,1e0,10e-1,0.1e1]", "[1,1,1,1,1]"},
      {"[0,-0,0.0,0e9]", "[0,0,0,0]"},
      {"[0.1,0.10000000000000000001,1e-1]", "[1e-1,10000000000000000001e-20,1e-1]"},
      {"[1e-400,-1e-500,0]", "[1e-400,-1e-500,0]"},
      {"[1e400,2e500,-1e400]", "[1e400,2e500,-1e400]"},
      {"[18446744073709551616,18446744073709551617]",
       "[18446744073709551616,18446744073709551617]"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(canonical(c.text, NumberForm::exact), c.canonical);
}

}  // namespace
}  // namespace bartizan
