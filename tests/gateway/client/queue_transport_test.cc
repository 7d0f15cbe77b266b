// Whether a new transport needs nothing but `admit_message`, `begin_call` and an `Exchange`.
#include "tests/gateway/client/queue_transport.h"

#include "tests/gateway/call/worker_test.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

class QueueTransportTest : public WorkerTest {
 protected:
  QueueTransportTest() {
    begin(sample_config(), {});
    auto directory = std::make_shared<Directory>();
    directory->probed = true;
    directory->servers["files"].legacy = ServerHandshake{.capabilities = R"({"tools":{}})"};
    worker().directory = std::move(directory);
    transport_ = std::make_shared<QueueTransport>(worker(), "ann");
  }

  /// Has the client send a message, and waits for its end. Answers the last thing it was sent.
  std::string ask(std::string_view text) {
    run(ask_and_stop(text));
    worker().loop.io().restart();
    return transport_->sent().empty() ? std::string() : transport_->sent().back();
  }

  Task<void> ask_and_stop(std::string_view text) {
    const std::size_t before = transport_->ended();
    transport_->take(text);
    while (transport_->ended() == before)
      co_await yield_turn(worker().loop);
    worker().loop.stop();
  }

  std::string begin_session(std::string_view version) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
               std::string(version) +
               R"(","capabilities":{},"clientInfo":{"name":"queue","version":"1"}}})");
  }

  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  std::shared_ptr<QueueTransport> transport_;
};

TEST_F(QueueTransportTest, ServesASession) {
  EXPECT_TRUE(has(ask(R"({"jsonrpc":"2.0","id":0,"method":"ping"})"), "session_missing"));
  EXPECT_TRUE(has(begin_session("2025-11-25"), R"("protocolVersion":"2025-11-25")"));
  const std::size_t before = transport_->sent().size();
  ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(transport_->sent().size(), before) << "a notification is owed nothing";
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_TRUE(has(begin_session("2025-11-25"), "invalid_request")) << "it has begun already";
}

TEST_F(QueueTransportTest, ServesBatchesOfTheRevisionThatHasThem) {
  EXPECT_TRUE(has(begin_session("2025-03-26"), R"("protocolVersion":"2025-03-26")"));
  const std::string answers =
      ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])");
  EXPECT_TRUE(answers.starts_with('[')) << answers;
  EXPECT_TRUE(has(answers, R"("id":1)") && has(answers, R"("id":2)")) << answers;
}

TEST_F(QueueTransportTest, JudgesItsCalls) {
  begin_session("2025-11-25");
  const std::string answer = ask(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such","arguments":{}}})");
  EXPECT_TRUE(has(answer, R"("id":3)") && has(answer, "no_matching_rule")) << answer;
  EXPECT_TRUE(has(ask("{"), "-32700"));
}

TEST_F(QueueTransportTest, SendsNothingToAClientThatHasGone) {
  begin_session("2025-11-25");
  const std::size_t before = transport_->sent().size();
  transport_->leave();
  ask(R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
  EXPECT_EQ(transport_->sent().size(), before);
}

}  // namespace
}  // namespace bartizan
