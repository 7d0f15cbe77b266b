#include "schemas/canonical_json.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

std::string canonical(std::string_view text, NumberForm numbers) {
  JsonDocument document;
  const Bytes bytes(text);
  return canonical_json(document.read(bytes).value(), numbers);
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
  };
  for (const auto& c : cases)
    EXPECT_EQ(canonical(c.text, NumberForm::by_value), c.canonical);
}

}  // namespace
}  // namespace bartizan
