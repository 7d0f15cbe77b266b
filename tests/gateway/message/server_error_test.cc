#include "gateway/message/server_error.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// What the server says beside the code, none of which may be in a sentence.
constexpr std::string_view kSaid =
    R"(,"message":"no table payroll","data":{"sql":"select 1"},"more":"payroll")";

class ServerErrorTest : public testing::Test {
 protected:
  /// The answer of a server with that code, as it is spelled.
  Message answer(std::string_view code) {
    text_ = R"({"jsonrpc":"2.0","id":"s1","error":{"code":)" + std::string(code) +
            std::string(kSaid) + "}}";
    bytes_ = Bytes(std::string_view(text_));
    const auto root = document_.read(bytes_, kResponseLimits);
    EXPECT_TRUE(root.has_value()) << text_;
    return parse_message(root.value_or(JsonValue())).value();
  }

 private:
  std::string text_;
  Bytes bytes_;
  JsonDocument document_;
};

TEST_F(ServerErrorTest, IsASentenceForItsCodeToWhoIsNotTrusted) {
  const struct {
    std::string_view name;
    std::string_view code;
    std::string_view told;  ///< Empty where the client gets the error itself.
  } rows[] = {
      {"no JSON", "-32700", R"(-32700,"message":"The server could not read the request.")"},
      {"no request", "-32600", R"(-32600,"message":"The server rejected the request as invalid.")"},
      {"no method", "-32601", R"(-32601,"message":"The server does not have the method.")"},
      {"wrong parameters are for the model", "-32602", ""},
      {"an outage", "-32603", R"(-32603,"message":"The server failed.")"},
      {"no resource", "-32002", R"(-32002,"message":"The server does not have the resource.")"},
      {"a code without meaning", "-32000",
       R"(-32000,"message":"The server answered with an error.")"},
      {"just before the codes of the protocol", "-32019",
       R"(-32019,"message":"The server answered with an error.")"},
      {"headers that differ", "-32020", ""},
      {"a feature is missing", "-32021", ""},
      {"no such revision", "-32022", ""},
      {"just after them", "-32023", R"(-32023,"message":"The server answered with an error.")"},
      {"just before the user's visit", "-32041",
       R"(-32041,"message":"The server answered with an error.")"},
      {"the user has to visit a page", "-32042", ""},
      {"just after it", "-32043", R"(-32043,"message":"The server answered with an error.")"},
      {"an application's", "404", R"(404,"message":"The server answered with an error.")"},
      {"-32602 once more, if cut to 32 bits", "4294934694",
       R"(-32603,"message":"The server failed.")"},
      {"beyond 64 bits", "-99999999999999999999", R"(-32603,"message":"The server failed.")"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    for (const Trust trust : {Trust::untrusted, Trust::community}) {
      const std::optional<std::string> told = error_by_trust(answer(row.code), "7", trust);
      EXPECT_EQ(told.has_value(), !row.told.empty());
      if (!told.has_value()) continue;
      EXPECT_EQ(*told,
                R"({"jsonrpc":"2.0","id":7,"error":{"code":)" + std::string(row.told) + "}}");
    }
    // The trusted get the error itself, whatever its code.
    EXPECT_EQ(error_by_trust(answer(row.code), "7", Trust::verified), std::nullopt);
    EXPECT_EQ(error_by_trust(answer(row.code), "7", Trust::system), std::nullopt);
  }
}

TEST_F(ServerErrorTest, IsRecordedWithItsMessageAndItsData) {
  EXPECT_EQ(recorded_error(answer("-32603")),
            R"(server error: "no table payroll" {"sql":"select 1"})");
}

}  // namespace
}  // namespace bartizan
