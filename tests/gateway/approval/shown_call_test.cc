#include "gateway/approval/shown_call.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// A message, and what it was read from.
struct Read {
  explicit Read(std::string_view arguments)
      : bytes(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":)" +
              std::string(arguments) + "}}"),
        message(parse_message(document.read(bytes).value()).value()) {}

  Bytes bytes;
  JsonDocument document;
  Message message;
};

std::string params(std::string_view arguments) {
  return R"({"name":"t","arguments":)" + std::string(arguments) + "}";
}

TEST(ShownCall, ShowsWhatLeavesWithoutItsSecrets) {
  const struct {
    std::string_view name, received, leaves, tokened;  ///< An empty token: it has no secrets.
    std::string_view want;                             ///< Behind `params`.
  } rows[] = {
      {"as it came", R"({"a":1})", R"({"a":1})", "", ""},
      {"with other arguments", R"({"a":1})", R"({"b":1})", "",
       R"(,"sent_as":{"name":"t","arguments":{"b":1}})"},
      {"with a secret", R"({"a":"TOKEN"})", R"({"a":"SECRET"})", R"({"a":"TOKEN"})",
       R"(,"has_secrets":true)"},
      {"with a secret under another name", R"({"a":"TOKEN"})", R"({"b":"SECRET"})",
       R"({"b":"TOKEN"})",
       R"(,"sent_as":{"name":"t","arguments":{"b":"TOKEN"}},"has_secrets":true)"},
      {"with a token that stands for nothing", R"({"a":"TOKEN"})", R"({"a":"TOKEN"})",
       R"({"a":"TOKEN"})", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Read received(row.received);
    const Read leaves(row.leaves);
    const Read tokened(row.tokened.empty() ? row.leaves : row.tokened);
    const auto shown = shown_call({.message = received.message,
                                   .judged = leaves.message,
                                   .has_secrets = !row.tokened.empty(),
                                   .shown_arguments = tokened.message.arguments});
    EXPECT_EQ(shown, R"({"params":)" + params(row.received) + std::string(row.want) + "}");
  }
}

}  // namespace
}  // namespace bartizan
