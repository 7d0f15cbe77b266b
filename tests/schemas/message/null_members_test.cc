#include "schemas/message/null_members.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bartizan {
namespace {

const struct {
  std::string_view name;
  std::string_view text;
  std::string_view want;  ///< Empty where nothing is taken out.
  std::uint32_t nulls = 0;
  std::uint32_t empty_lists = 0;
} kCases[] = {
    {"nothing", R"({"method":"tools/call","params":{"name":"t","arguments":{}}})", ""},
    {"no params", R"({"id":1,"method":"ping"})", ""},
    {"params", R"({"id":1,"method":"ping","params":null})", R"({"id":1,"method":"ping"})", 1},
    {"params in front", R"({ "params" : null , "method":"ping"})", R"({"method":"ping"})", 1},
    {"params, a list", R"({"method":"ping","params":[ ]})", R"({"method":"ping"})", 0, 1},
    {"params, a list of something", R"({"method":"ping","params":[1]})", ""},
    {"params, a list of null", R"({"method":"ping","params":[null]})", ""},
    {"arguments of a tool", R"({"method":"tools/call","params":{"name":"t","arguments":null}})",
     R"({"method":"tools/call","params":{"name":"t"}})", 1},
    {"arguments of a prompt", R"({"method":"prompts/get","params":{"arguments":[],"name":"p"}})",
     R"({"method":"prompts/get","params":{"name":"p"}})", 0, 1},
    {"arguments of nothing", R"({"method":"tools/list","params":{"arguments":null}})", ""},
    {"cursor", R"({"method":"tools/list","params":{"cursor":null}})",
     R"({"method":"tools/list","params":{}})", 1},
    {"cursor, a list", R"({"method":"tools/list","params":{"cursor":[]}})", ""},
    {"_meta", R"({"method":"tools/list","params":{"_meta":null}})",
     R"({"method":"tools/list","params":{}})", 1},
    {"all",
     R"({"params":{"_meta":[],"arguments":null,"name":"t","cursor":null},)"
     R"("method":"tools/call"})",
     R"({"params":{"name":"t"},"method":"tools/call"})", 2, 1},
    {"with blanks",
     "{\"method\":\"tools/call\", \"params\" : {\n \"name\": \"t\",\n"
     " \"arguments\": null\n} }",
     R"({"method":"tools/call", "params" : {"name": "t"} })", 1},
    {"within arguments",
     R"({"method":"tools/call","params":{"arguments":{"arguments":null,"_meta":[],"cursor":null}}})",
     ""},
    {"within _meta", R"({"method":"ping","params":{"_meta":{"arguments":null}}})", ""},
    {"a name that is escaped", R"({"method":"ping","\u0070arams":null})", R"({"method":"ping"})",
     1},
    {"another name", R"({"method":"tools/call","params":{"name":null,"uri":null,"x":[]}})", ""},
    {"an id", R"({"id":null,"method":"ping"})", ""},
    {"false, 0 and the empty text",
     R"({"method":"tools/call","params":{"arguments":false,"_meta":0,"cursor":""}})", ""},
    {"an answer", R"({"id":1,"result":{},"params":null})", ""},
    {"a method that is not a text", R"({"method":1,"params":null})", ""},
    {"a list", R"([null])", ""},
};

TEST(NullMembers, AreTakenOutWhereTheyAreOptional) {
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes{c.text};
    JsonDocument document;
    const auto root = document.read(bytes);
    ASSERT_TRUE(root.has_value());
    const auto left = without_null_members(*root);
    ASSERT_EQ(left.has_value(), !c.want.empty());
    if (!left.has_value()) continue;
    EXPECT_EQ(left->text, c.want);
    EXPECT_EQ(left->nulls, c.nulls);
    EXPECT_EQ(left->empty_lists, c.empty_lists);
    const Bytes again{std::string_view(left->text)};
    EXPECT_TRUE(JsonDocument().read(again).has_value());
  }
}

}  // namespace
}  // namespace bartizan
