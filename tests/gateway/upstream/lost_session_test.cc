#include "gateway/upstream/lost_session.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

struct LostCase {
  const char* name;
  int status;
  bool is_lost;
  const char* id;  ///< As JSON; empty for none. The request's own is 7.
  int code;
  const char* message;
};

void PrintTo(const LostCase& test, std::ostream* out) {
  *out << test.name;
}

class LostSession : public testing::TestWithParam<LostCase> {};

TEST_P(LostSession, IsSaid) {
  const LostCase& test = GetParam();
  std::string text = R"({"jsonrpc":"2.0",)";
  if (*test.id != '\0') text.append(R"("id":)").append(test.id).append(",");
  text.append(R"("error":{"code":)").append(std::to_string(test.code));
  text.append(R"(,"message":")").append(test.message).append(R"("}})");
  const SampleCall sample(text, Direction::server_to_client);
  EXPECT_EQ(says_session_lost(sample.call.message, test.status), test.is_lost) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Answers, LostSession,
    testing::Values(
        LostCase{"Official", 400, true, "", -32000, "Bad Request: No valid session ID provided"},
        LostCase{"OfficialWithNull", 400, true, "null", -32000, "No valid session ID provided"},
        LostCase{"OfficialWithId", 400, true, "7", -32000,
                 "Bad Request: No valid session ID provided"},
        LostCase{"Python", 400, true, R"("server-error")", -32600,
                 "Bad Request: Missing session ID"},
        LostCase{"NotInitialized", 400, true, "null", -32000,
                 "Bad Request: Server not initialized"},
        LostCase{"NotFound", 400, true, "7", -32001, "Session not found: 4711"},
        LostCase{"WithPrefix", 400, true, "7", -32600, "MCP error -32600: session EXPIRED"},
        LostCase{"SuccessWithoutRequest", 200, true, "null", -32001, "Session not found"},
        // Almost: the answer to the call, by which it may well have been done.
        LostCase{"SuccessOfTheCall", 200, false, "7", -32001, "Session not found"},
        LostCase{"ToolsOwn", 200, false, "7", -32600,
                 "MCP error -32600: paid, but the browser session closed before the receipt"},
        LostCase{"ToolsOwnWith400", 400, false, "7", -32600, "No active browser session"},
        LostCase{"OtherCodeOfTheCall", 400, false, "7", -32602, "Invalid session"},
        LostCase{"OtherCodeOfNobody", 200, false, "null", -32603, "Session not found"},
        // Almost: words that a client may have chosen.
        LostCase{"Argument", 400, false, "7", -32602, "unknown argument 'session'"},
        LostCase{"Quoted", 400, false, "null", -32600,
                 "Bad Request: unexpected argument: No valid session ID provided"},
        LostCase{"Within", 400, false, "null", -32600, "the session not found"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LostSessionSentence, IsKnownAtTheBeginningOfATextOnly) {
  EXPECT_TRUE(names_lost_session("Invalid Session"));
  EXPECT_TRUE(names_lost_session("Invalid session ID\n"));
  EXPECT_TRUE(names_lost_session("\"Session terminated\""));
  EXPECT_FALSE(names_lost_session(""));
  EXPECT_FALSE(names_lost_session("session"));
  EXPECT_FALSE(names_lost_session("<h1>Bad Request</h1> Invalid session"));
}

}  // namespace
}  // namespace bartizan
