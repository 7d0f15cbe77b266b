#include "policy/redact/restore_tokens.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/redact/redaction_mark.h"

namespace bartizan {
namespace {

std::string mark(std::string_view more) {
  return redaction_mark("github.token", more);
}

TEST(RestoreTokens, PutsInWhatTheyStandFor) {
  const std::string known = mark("00ff");
  const std::string other = mark("11ee");
  const struct {
    std::string_view name;
    std::string arguments;
    std::string want;  ///< Empty: nothing is changed.
  } rows[] = {
      {"a whole value", R"({"a":")" + known + "\"}", R"({"a":"s\"cret\n"})"},
      {"within a text, twice", R"({"a":"x )" + known + known + " y\"}",
       R"({"a":"x s\"cret\ns\"cret\n y"})"},
      {"deep", R"({"a":[{"b":[")" + known + "\"]}]}", R"({"a":[{"b":["s\"cret\n"]}]})"},
      {"escapes around it are kept", R"({"a":"\u00e9\t)" + known + "\"}",
       R"({"a":"\u00e9\ts\"cret\n"})"},
      {"spelled with escapes", R"({"a":"\u005b)" + known.substr(1) + "\"}", R"({"a":"s\"cret\n"})"},
      {"a token that nobody knows", R"({"a":")" + other + "\"}", ""},
      {"a mark that is not a token", R"({"a":")" + mark("") + "\"}", ""},
      {"of no detector", R"({"a":"[redacted:nothing:00ff]"})", ""},
      {"cut", R"({"a":")" + known.substr(0, known.size() - 1) + "\"}", ""},
      {"a name", R"({")" + known + R"(":1})", ""},
      {"none", R"({"a":"b","c":[1,null]})", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string message = R"({ "params" :{"arguments":)" + row.arguments + "} }";
    const Bytes bytes{std::string_view(message)};
    JsonDocument document;
    const JsonValue root = *document.read(bytes);
    const auto result =
        restore_tokens(root.at_pointer("/params/arguments"), message, [&](std::string_view token) {
          return token == known ? std::optional<std::string>("s\"cret\n") : std::nullopt;
        });
    ASSERT_TRUE(result.has_value());
    const std::optional<std::string>& restored = result->text;
    if (row.want.empty()) {
      EXPECT_EQ(restored, std::nullopt);
    } else {
      EXPECT_EQ(restored, R"({ "params" :{"arguments":)" + row.want + "} }");
    }
  }
  EXPECT_EQ(restore_tokens(JsonValue(), "{}", [](auto) { return std::nullopt; })->text,
            std::nullopt);
}

// A mask that is written back takes the place of what it masked.
TEST(RestoreTokens, TellsOfEveryMark) {
  const std::string custom = "[redacted:custom.whatever-a-client-says]";
  const std::string arguments =
      R"({"a":")" + mark("00ff") + mark("11ee") + R"(","b":")" + mark("") + custom + custom + "\"}";
  const Bytes bytes{std::string_view(arguments)};
  JsonDocument document;
  const auto result = restore_tokens(*document.read(bytes), arguments, [](std::string_view token) {
    return token == mark("00ff") ? std::optional<std::string>("x") : std::nullopt;
  });
  std::vector<std::string> told;
  told.reserve(result->found.size());
  for (const Redacted& one : result->found)
    told.push_back(text(one));
  EXPECT_EQ(told, (std::vector<std::string>{"github.token restore 1", "github.token unknown 2",
                                            "custom unknown 2"}));
}

// A short token may stand for much, and be there often.
TEST(RestoreTokens, MakesNothingLargerThanARequest) {
  const std::string value(16'000, 'x');
  std::string message = R"({"a":")";
  for (int i = 0; i < 1'000; ++i)
    message += mark("00ff");
  message += "\"}";
  const Bytes bytes{std::string_view(message)};
  JsonDocument document;
  int asked = 0;
  const auto restored = restore_tokens(*document.read(bytes), message, [&](std::string_view) {
    ++asked;
    return std::optional(value);
  });
  ASSERT_FALSE(restored.has_value());
  EXPECT_EQ(restored.error(), Reason::invalid_params);
  EXPECT_EQ(asked, 1);
}

// A tool that repeats what it was given would tell what the token hides.
TEST(HideRestored, MakesTokensOfValuesAgain) {
  const std::vector<Redaction::Token> tokens{
      {mark("01"), "s3cret\"x"}, {mark("02"), "s3cret\"x-and-more"}, {mark("03"), "73912846"}};
  const struct {
    std::string_view name;
    std::string message;
    std::string want;
  } rows[] = {
      {"a whole text", R"({"a":"s3cret\"x"})", R"({"a":")" + mark("01") + "\"}"},
      {"within texts, twice", R"({"a":["x s3cret\"x","s3cret\u0022xs3cret\"x y"]})",
       R"({"a":["x )" + mark("01") + R"(",")" + mark("01") + mark("01") + R"( y"]})"},
      {"the longer of two", R"({"a":"s3cret\"x-and-more"})", R"({"a":")" + mark("02") + "\"}"},
      {"a number", R"({"a":73912846,"b":7391284})", R"({"a":")" + mark("03") + R"(","b":7391284})"},
      {"a name stays", R"({"73912846":1})", R"({"73912846":1})"},
      {"a cursor stays", R"({"tools":[],"nextCursor":"73912846"})",
       R"({"tools":[],"nextCursor":"73912846"})"},
      {"almost", R"({"a":"s3cret"})", R"({"a":"s3cret"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes{std::string_view(row.message)};
    JsonDocument document;
    const JsonValue root = *document.read(bytes);
    std::string left;
    append_redacted(left, row.message, hide_restored(root, root, {MethodId::tools_list}, tokens));
    EXPECT_EQ(left, row.want);
  }
  const Bytes bytes(R"({"tools":[],"nextCursor":"73912846"})");
  JsonDocument document;
  const JsonValue root = *document.read(bytes);
  EXPECT_EQ(hide_restored(root, root, {MethodId::tools_call}, tokens).size(), 1U)
      << "a cursor of what is not a list";
}

TEST(RedactionMarks, AreNoLongerThanANameAndAHash) {
  const std::string known = mark("00ff");
  EXPECT_EQ(find_redaction_marks(std::string(kRedactionMarkOpening) + known).size(), 1U);
  EXPECT_TRUE(find_redaction_marks(known.substr(0, known.size() - 1) + std::string(200, '0') + "]")
                  .empty());
}

}  // namespace
}  // namespace bartizan
