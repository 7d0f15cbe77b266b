#include "gateway/upstream/in_flight.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/runtime/loop.h"
#include "schemas/base/limits.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

class InFlightTest : public testing::Test {
 protected:
  /// Until two calls have been told.
  Task<void> listen(std::shared_ptr<PendingCall> call) {
    const auto message = co_await call->next(std::chrono::hours(1));
    codes_.push_back(message.has_value() ? ErrorCode::not_found : message.error().code);
    if (codes_.size() == 2) loop_.stop();
  }
  std::shared_ptr<PendingCall> pending() { return std::make_shared<PendingCall>(loop_); }

  /// The call that this message of a server's is routed to, as the number it was added under; 0 for
  /// nobody.
  std::uint64_t routed(InFlight& in_flight, std::string_view message) {
    const SampleCall sample(message, Direction::server_to_client);
    const auto call = route(in_flight, sample.call.message);
    if (call == nullptr) return 0;
    return call == first_ ? 1 : call == second_ ? 2 : 99;
  }

  Loop loop_{0};
  std::shared_ptr<PendingCall> first_ = pending();
  std::shared_ptr<PendingCall> second_ = pending();
  std::vector<ErrorCode> codes_;
};

TEST_F(InFlightTest, RoutesByTheNumberAlone) {
  const std::string subscription =
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed",)"
      R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":)";
  const std::string progress =
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":)";
  const struct {
    std::string_view name;
    std::string message;
    std::uint64_t alone;  ///< With the first call alone in progress,
    std::uint64_t both;   ///< and with both.
  } cases[] = {
      {"an answer", R"({"jsonrpc":"2.0","id":1,"result":{}})", 1, 1},
      {"an error", R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}})", 1, 1},
      {"the second's answer", R"({"jsonrpc":"2.0","id":2,"result":{}})", 0, 2},
      {"an unknown number", R"({"jsonrpc":"2.0","id":3,"result":{}})", 0, 0},
      {"zero", R"({"jsonrpc":"2.0","id":0,"result":{}})", 0, 0},
      {"a negative number", R"({"jsonrpc":"2.0","id":-1,"result":{}})", 0, 0},
      {"a number in a string", R"({"jsonrpc":"2.0","id":"1","result":{}})", 1, 1},
      {"a number with a point", R"({"jsonrpc":"2.0","id":1.0,"result":{}})", 1, 1},
      {"a number with an exponent", R"({"jsonrpc":"2.0","id":2e0,"result":{}})", 0, 2},
      {"no whole number", R"({"jsonrpc":"2.0","id":1.5,"result":{}})", 0, 0},
      {"a number beyond all", R"({"jsonrpc":"2.0","id":1e300,"result":{}})", 0, 0},
      {"a number in a string with more", R"({"jsonrpc":"2.0","id":"1 ","result":{}})", 0, 0},
      {"an empty string", R"({"jsonrpc":"2.0","id":"","result":{}})", 0, 0},
      {"an error without id", R"({"jsonrpc":"2.0","error":{"code":-1,"message":"x"}})", 0, 0},
      {"progress", progress + "1}}", 1, 1},
      {"progress of the second", progress + "2}}", 0, 2},
      {"progress of nobody", progress + "7}}", 0, 0},
      {"progress of a string", progress + R"("1"}})", 1, 1},
      {"a subscription", subscription + "1}}}", 1, 1},
      {"a subscription of the second", subscription + "2}}}", 0, 2},
      {"a subscription of nobody", subscription + "7}}}", 0, 0},
      {"a subscription that is not a number", subscription + R"("abc"}}})", 0, 0},
      {"a subscription that is null", subscription + "null}}}", 0, 0},
      {"a notification that names nobody",
       R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})",
       1, 0},
      {"a request of the server's", R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})", 1, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool is_alone : {true, false}) {
      InFlight in_flight(4);
      in_flight.add(1, first_);
      if (!is_alone) in_flight.add(2, second_);
      EXPECT_EQ(routed(in_flight, c.message), is_alone ? c.alone : c.both);
    }
  }
}

TEST_F(InFlightTest, AnAnswerEndsTheEntryAndProgressDoesNot) {
  InFlight in_flight(4);
  in_flight.add(1, first_);
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  const std::string progress = R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                               R"("params":{"progress":1,"progressToken":1}})";
  EXPECT_EQ(routed(in_flight, progress), 1U);
  EXPECT_EQ(routed(in_flight, progress), 1U);
  EXPECT_EQ(in_flight.size(), 1U);
  EXPECT_EQ(routed(in_flight, answer), 1U);
  EXPECT_EQ(in_flight.size(), 0U);
  EXPECT_EQ(routed(in_flight, answer), 0U) << "an answer twice";
  EXPECT_EQ(routed(in_flight, progress), 0U) << "progress after the end";
}

// A number given twice would hand a late answer to somebody else (CVE-2026-25536).
TEST_F(InFlightTest, GivesNoNumberTwice) {
  InFlight in_flight(4);
  std::set<std::uint64_t> given;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = in_flight.next_id();
    EXPECT_GT(id, 0U);
    EXPECT_TRUE(given.insert(id).second);
    in_flight.add(id, first_);
    EXPECT_EQ(in_flight.take(id), first_);
  }
}

TEST_F(InFlightTest, FindsAndForgets) {
  InFlight in_flight(2);
  EXPECT_EQ(in_flight.only(), nullptr);
  in_flight.add(5, first_);
  EXPECT_EQ(in_flight.only(), first_);
  EXPECT_TRUE(in_flight.has_room());
  in_flight.add(9, second_);
  EXPECT_FALSE(in_flight.has_room());
  EXPECT_EQ(in_flight.only(), nullptr);
  EXPECT_EQ(in_flight.id_of(second_), 9U);
  EXPECT_EQ(in_flight.id_of(pending()), std::nullopt);
  EXPECT_EQ(in_flight.find(5), first_);
  EXPECT_EQ(in_flight.find(6), nullptr);
  EXPECT_EQ(in_flight.take(6), nullptr);
  EXPECT_EQ(in_flight.take(5), first_);
  EXPECT_EQ(in_flight.take(5), nullptr);
  EXPECT_EQ(in_flight.only(), second_);
}

TEST_F(InFlightTest, FailsEverybodyAtOnce) {
  InFlight in_flight(2);
  in_flight.add(1, first_);
  in_flight.add(2, second_);
  spawn(loop_, listen(first_));
  spawn(loop_, listen(second_));
  in_flight.fail_calls({ErrorCode::server_failed, Fault::server, "it ended"});
  EXPECT_EQ(in_flight.size(), 0U);
  loop_.run();
  EXPECT_EQ(codes_, (std::vector{ErrorCode::server_failed, ErrorCode::server_failed}));
}

TEST(NumberRequest, PutsTheNumberWhereTheClientsStood) {
  const std::string text = R"({"id":"client-1","params":{"_meta":{"progressToken":"token-1"}}})";
  const auto range = [&](std::string_view part) {
    const std::size_t at = text.find(part);
    return ByteRange{.begin = at, .end = at + part.size()};
  };
  OutboundRequest request{.permit = Permit::own(GatewayMessage::tools_list, text),
                          .id = range(R"("client-1")"),
                          .progress_token = range(R"("token-1")")};
  EXPECT_EQ(number_request(request, 42), R"({"id":42,"params":{"_meta":{"progressToken":42}}})");
  OutboundRequest without{.permit = Permit::own(GatewayMessage::tools_list, text),
                          .id = range(R"("client-1")")};
  EXPECT_EQ(number_request(without, 18446744073709551615ULL),
            R"({"id":18446744073709551615,"params":{"_meta":{"progressToken":"token-1"}}})");
}

TEST_F(InFlightTest, FindsWhoseAnswerCouldNotBeRead) {
  MemoryBudget memory(1 << 20);
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const struct {
    std::string_view name;
    std::string text;
    bool found;
  } cases[] = {
      {"a result that is not an object", R"({"jsonrpc":"2.0","id":1,"result":"x"})", true},
      {"an error that is none", R"({"jsonrpc":"2.0","id":1,"error":"x"})", true},
      {"a result and an error", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", true},
      {"no version", R"({"id":1,"result":{}})", true},
      {"another's number", R"({"jsonrpc":"2.0","id":2,"result":"x"})", false},
      {"a number in a string", R"({"jsonrpc":"2.0","id":"1","result":"x"})", false},
      {"a broken number", R"({"jsonrpc":"2.0","id":1.0,"result":"x"})", false},
      {"no number", R"({"jsonrpc":"2.0","result":"x"})", false},
      // The number of a request is the server's own, not ours.
      {"a broken request", R"({"jsonrpc":"2.0","id":1,"method":"roots/list","params":[]})", false},
      {"no JSON", R"({"jsonrpc":"2.0","id":1,"result":)", true},
      {"nested too deeply", R"({"jsonrpc":"2.0","result":)" + deep + R"(,"id":1})", true},
      {"no JSON, another's number", R"({"jsonrpc":"2.0","id":2,"result":)", false},
      {"no JSON, a number below", R"({"jsonrpc":"2.0","result":{"id":1},)", false},
      {"a request, nested too deeply", R"({"id":1,"method":"ping","params":)" + deep + "}", false},
      {"a member twice", R"({"jsonrpc":"2.0","id":1,"id":1,"result":{}})", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    InFlight in_flight(4);
    in_flight.add(1, first_);
    const Receipt receipt = receive_message(loop_, memory, Bytes(c.text), kResponseLimits);
    ASSERT_FALSE(receipt.has_value());
    EXPECT_EQ(route_refused(in_flight, receipt.error()), c.found ? first_ : nullptr);
    EXPECT_EQ(in_flight.size(), c.found ? 0U : 1U);
  }
}

TEST_F(InFlightTest, SaysWhatIsWrongWithAMessageAndWhere) {
  MemoryBudget memory(1 << 20);
  const std::string deep(limits::json_depth_max + 1, '[');
  const struct {
    std::string_view name;
    std::string text;
    std::string_view want;
  } cases[] = {
      {"bytes that are no text", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xFF\"}}",
       "the server's message cannot be read: bytes that are no UTF-8, at byte 39"},
      {"a control character", "{\"id\":1,\"result\":{\"a\":\"x\ty\"}}",
       "the server's message cannot be read: a control character within a string, at byte 24"},
      {"two members of one name", R"({"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}})",
       "the server's message cannot be read: a member name occurs twice, at byte 40"},
      {"depth", R"({"id":1,"result":{"a":)" + deep,
       "the server's message cannot be read: nested too deeply, at byte 84"},
      {"no JSON", "Listening on 3000", "the server's message cannot be read: not JSON, at byte 0"},
      {"no message", R"({"id":1,"result":{}})",
       "the server sent no JSON-RPC message: jsonrpc is not \"2.0\""},
      {"halves of characters that were two names", R"({"a\ud800":1,"a\udfff":2})",
       "the server's message cannot be read: a member name occurs twice, at byte 13"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Receipt receipt = receive_message(loop_, memory, Bytes(c.text), kResponseLimits);
    ASSERT_FALSE(receipt.has_value());
    const Error error = unreadable(receipt.error());
    EXPECT_EQ(error.fault, Fault::server);
    EXPECT_EQ(error.detail, c.want);
  }
}

}  // namespace
}  // namespace bartizan
