#include "policy/check/argument_rewrites.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/listed_tool.h"
#include "policy/check/tool_profiles.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ArgumentPredicate fixed(std::string pointer, std::string json) {
  return {.pointer = std::move(pointer), .predicate = FixedPredicate{std::move(json)}};
}

ArgumentPredicate compact(std::string pointer) {
  return {.pointer = std::move(pointer), .predicate = TextPredicate{.compact = true}};
}

/// What a profile of the tool makes of a call with those arguments; empty where it changes nothing.
std::string rewritten(const std::vector<ArgumentPredicate>& predicates,
                      std::string_view arguments) {
  Config config = sample_config();
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments = predicates;
  config.tools = {profile};
  const ToolProfiles profiles(config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  const auto found = profiles.find("files", "read_text");
  const auto text = found->rewrites.apply(sample->call.message, sample->call.bytes.view());
  if (!text.has_value()) return "";
  // What was changed is changed no further.
  JsonDocument document;
  const Bytes bytes{std::string_view(*text)};
  const Result<JsonValue> root = document.read(bytes);
  EXPECT_TRUE(root.has_value()) << *text;
  const Result<Message> message = parse_message(*root);
  EXPECT_TRUE(message.has_value()) << *text;
  EXPECT_FALSE(found->rewrites.apply(*message, bytes.view()).has_value()) << *text;
  return std::string(message->arguments.raw());
}

TEST(ArgumentRewrites, ForcesAndCompacts) {
  using Predicates = std::vector<ArgumentPredicate>;
  const Predicates one{fixed("/limit", "10")};
  const Predicates two{fixed("/a", "true"), fixed("/b", R"("x")")};
  const Predicates deep{fixed("/o/a", "1"), fixed("/o/p/b", "2"), fixed("/c", "3")};
  const Predicates texts{compact("/note"), compact("/lines/*")};
  const Predicates odd{fixed("/a~1b/%", "1")};
  const Predicates both{fixed("/note", R"("a\nb")"), compact("/note"), compact("/note/*")};
  const struct {
    std::string_view name;
    Predicates predicates;
    std::string_view arguments;
    std::string_view want;  ///< Empty: as it was.
  } rows[] = {
      {"nothing to do", {}, R"({"limit":5})", ""},
      {"forced over another", one, R"({"limit":500,"q":"x"})", R"({"limit":10,"q":"x"})"},
      {"forced over another type", one, R"({"limit":[1,{"a":2}]})", R"({"limit":10})"},
      {"forced over null", one, R"({"limit":null})", R"({"limit":10})"},
      {"forced where it is missing", one, R"({"q":"x"})", R"({"limit":10,"q":"x"})"},
      {"forced into nothing", one, "{}", R"({"limit":10})"},
      {"forced where there are no arguments", one, "", R"({"limit":10})"},
      {"as it was", one, R"({ "limit" : 10 })", ""},
      {"in another spelling", one, R"({"limit":1e1})", R"({"limit":10})"},
      {"white space stays", one, "{ \"q\" : 1 ,\n\"limit\": 2 }", "{ \"q\" : 1 ,\n\"limit\": 10 }"},
      {"an escaped name", one, R"({"l\u0069mit":2})", R"({"l\u0069mit":10})"},
      {"two at once", two, R"({"c":1})", R"({"a":true,"b":"x","c":1})"},
      {"one of two", two, R"({"b":"x","c":1})", R"({"a":true,"b":"x","c":1})"},
      {"deep, made", deep, "{}", R"({"o":{"a":1,"p":{"b":2}},"c":3})"},
      {"deep, where a part is there", deep, R"({"o":{"x":0,"p":{}}})",
       R"({"c":3,"o":{"a":1,"x":0,"p":{"b":2}}})"},
      {"deep, where another shape is in the way", deep, R"({"o":"x","c":3})", ""},
      {"names are escaped", odd, "{}", R"({"a/b":{"%":1}})"},
      {"a line", texts, R"({"note":"a b"})", ""},
      {"several lines", texts, R"({"note":"a\r\n\tb\n"})", R"({"note":"a b "})"},
      {"blanks around a line end", texts, R"({"note":"a  \n  b  c"})", R"({"note":"a b  c"})"},
      {"what stands for itself", texts, R"({"note":"\"ä\\n\n\u0000"})",
       R"({"note":"\"ä\\n \u0000"})"},
      {"elements", texts, R"({"lines":["a","b\nc",1,["d\ne"]]})",
       R"({"lines":["a","b c",1,["d\ne"]]})"},
      {"no text", texts, R"({"note":1,"lines":"a\nb"})", ""},
      {"what is forced is not compacted", both, R"({"note":"x\ny"})", R"({"note":"a\nb"})"},
      {"nor what it replaces", both, R"({"note":["x\ny"]})", R"({"note":"a\nb"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(rewritten(row.predicates, row.arguments), row.want);
  }
}

TEST(ArgumentRewrites, LeaveTheListedSchema) {
  ArgumentRewrites rewrites;
  for (const auto& [pointer, json] : std::vector<std::pair<std::string, std::string>>{
           {"/limit", "10"}, {"/o/a", "1"}, {"/gone/x", "1"}}) {
    rewrites.force(parse_pointer(pointer), json);
  }
  EXPECT_EQ(
      listed_tool(R"({ "name":"find", "x":1e400, "inputSchema":{"type":"object","properties":{)"
                  R"("limit":{"type":"integer"}, "q":{"const":"limit"},)"
                  R"("o":{"properties":{"a":{},"b":{}},"required":["a","b"]}},)"
                  R"("required":["q","limit","o"],"additionalProperties":false},)"
                  R"("outputSchema":{"properties":{"limit":{}}}})",
                  "db_find", rewrites, ListedOutputSchema::shown),
      R"({"name":"db_find","x":1e400,"inputSchema":{"type":"object","properties":{)"
      R"("q":{"const":"limit"},"o":{"properties":{"b":{}},"required":["b"]}},)"
      R"("required":["q","o"],"additionalProperties":false},)"
      R"("outputSchema":{"properties":{"limit":{}}}})");
  EXPECT_EQ(listed_tool(R"({"name":"x","inputSchema":{"properties":true,"required":[1,"limit"]}})",
                        "y", rewrites, ListedOutputSchema::shown),
            R"({"name":"y","inputSchema":{"properties":true,"required":[1]}})");
  // What says nothing is left out, and an output schema that nobody can hold results against.
  constexpr std::string_view kNulls =
      R"({"name":"x","title":null,"description":null,"annotations":{"readOnlyHint":null,"title":"T"},)"
      R"("_meta":{"a":null},"more":null,"inputSchema":{"type":"object","default":null},)"
      R"("outputSchema":null})";
  EXPECT_EQ(listed_tool(kNulls, "x", {}, ListedOutputSchema::shown),
            R"({"name":"x","annotations":{"title":"T"},"_meta":{"a":null},"more":null,)"
            R"("inputSchema":{"type":"object","default":null}})");
  EXPECT_EQ(listed_tool(R"({"name":"x","outputSchema":{"type":"object"},"title":"T"})", "x", {},
                        ListedOutputSchema::left_out),
            R"({"name":"x","title":"T"})");
  EXPECT_FALSE(listed_tool("{", "y", rewrites, ListedOutputSchema::shown).has_value());
}

}  // namespace
}  // namespace bartizan
