#include "gateway/framing/stream_wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using Kind = WebSocketEvent::Kind;

constexpr std::array<std::uint8_t, 4> kMask{1, 2, 3, 4};

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::json_size:
      return "json_size";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::timed_out:
      return "timed_out";
    case ErrorCode::io_failed:
      return "io_failed";
    default:
      return "another";
  }
}

/// A wire whose peer is a bare descriptor in the test's hands.
class StreamWireTest : public testing::Test {
 public:
  ~StreamWireTest() override { hang_up(); }

  void begin(Framing framing, milliseconds silence = milliseconds(5000), std::string begun = {}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    UnixSocket socket(loop_.executor());
    socket.assign(asio::local::stream_protocol(), ends[0]);
    wire_ = std::make_shared<StreamWire>(loop_, memory_, random_,
                                         std::make_unique<Stream>(std::move(socket), loop_),
                                         StreamWireTerms{.framing = framing,
                                                         .message_bytes_max = 100,
                                                         .queue_bytes_max = std::size_t{1} << 20,
                                                         .silence_max = silence,
                                                         .message_max = silence},
                                         std::move(begun));
    wire_->on_broken([this](std::string_view why) { broken_ = why; });
    peer_ = ends[1];
  }
  void hang_up() {
    if (peer_ >= 0) ::close(std::exchange(peer_, -1));
  }
  void say(std::string_view bytes) {
    ASSERT_EQ(::write(peer_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  /// Takes in what the peer was sent.
  void hear() {
    std::array<char, 65536> room;
    for (ssize_t size = 1; size > 0;) {
      size = ::recv(peer_, room.data(), room.size(), MSG_DONTWAIT);
      if (size > 0) heard_.append(room.data(), static_cast<std::size_t>(size));
    }
  }

  /// Reads to the end: each message, and each error, as text.
  std::vector<std::string> read_all() {
    std::vector<std::string> seen;
    spawn(loop_, [](StreamWireTest& test, std::vector<std::string>& all) -> Task<void> {
      while (true) {
        Result<Bytes> next = co_await test.wire_->next();
        all.emplace_back(next.has_value() ? std::string(next->view())
                                          : "! " + std::string(name_of(next.error().code)));
        if (!next.has_value() && !goes_on(next.error())) break;
      }
      test.loop_.stop();
    }(*this, seen));
    loop_.run();
    loop_.io().restart();
    hear();
    return seen;
  }
  /// Lets the loop run for a while.
  void pass(milliseconds time) {
    spawn(loop_, [](Loop& loop, milliseconds wait) -> Task<void> {
      Signal pause(loop);
      co_await pause.wait(wait);
      loop.stop();
    }(loop_, time));
    loop_.run();
    loop_.io().restart();
    hear();
  }

  using Seen = std::vector<std::string>;

  Loop loop_{0};
  MemoryBudget memory_{std::uint64_t{64} << 20};
  Random random_;
  std::shared_ptr<StreamWire> wire_;
  int peer_ = -1;
  std::string heard_;
  std::string broken_;
};

TEST_F(StreamWireTest, ReadsLines) {
  begin(Framing::lines, milliseconds(5000), "{\"beg");
  say("un\":1}\r\n\n{}\n" + std::string(101, 'x') + "\n{\"last\":");
  ::shutdown(peer_, SHUT_WR);
  EXPECT_EQ(read_all(), (Seen{R"({"begun":1})", "{}", "! json_size", "! closed"}));
}

TEST_F(StreamWireTest, WritesEachMessageAsOneLine) {
  begin(Framing::lines);
  wire_->write("{\"a\":\n1}");
  wire_->write("{}");
  pass(milliseconds(100));
  EXPECT_EQ(heard_, "{\"a\": 1}\n{}\n");
  EXPECT_TRUE(wire_->is_flushed());
}

TEST_F(StreamWireTest, LeavesAPeerThatDoesNotEndALineThatIsTooLong) {
  begin(Framing::lines, milliseconds(100));
  say(std::string(200, 'x'));
  const Seen seen = read_all();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "! timed_out");
  EXPECT_EQ(broken_, "the peer does not end its message");
}

TEST_F(StreamWireTest, LeavesAPeerThatDoesNotEndItsLine) {
  begin(Framing::lines, milliseconds(150));
  say("{\"half\":");
  EXPECT_EQ(read_all(), Seen{"! timed_out"});
  EXPECT_EQ(broken_, "the peer does not end its message");
}

TEST_F(StreamWireTest, WaitsForAPeerThatIsSilentBetweenLines) {
  begin(Framing::lines, milliseconds(100));
  spawn(loop_, [](StreamWireTest& test) -> Task<void> {
    Signal pause(test.loop_);
    co_await pause.wait(milliseconds(400));
    test.say("{}\n");
    test.hang_up();
  }(*this));
  EXPECT_EQ(read_all(), (Seen{"{}", "! closed"}));
}

TEST_F(StreamWireTest, ReadsMessagesOfAWebSocketAndAnswersPings) {
  begin(Framing::web_socket_server);
  say(write_frame(Kind::message, "{\"a\":1}", kMask) + write_frame(Kind::ping, "well?", kMask) +
      write_frame(Kind::message, "{}", kMask) + write_close(CloseCode::normal, "bye", kMask));
  EXPECT_EQ(read_all(), (Seen{"{\"a\":1}", "{}", "! closed"}));
  pass(milliseconds(100));
  EXPECT_EQ(heard_, write_frame(Kind::pong, "well?") + write_close(CloseCode::normal, ""));
  EXPECT_EQ(broken_, "");
}

TEST_F(StreamWireTest, TellsWhyAWebSocketIsClosed) {
  begin(Framing::web_socket_server);
  say(write_frame(Kind::message, std::string(101, 'x'), kMask));
  EXPECT_EQ(read_all(), Seen{"! io_failed"});
  pass(milliseconds(100));
  EXPECT_TRUE(heard_.contains("\x03\xf1")) << "1009";
}

TEST_F(StreamWireTest, AsksASilentWebSocketOnceAndThenLeavesIt) {
  begin(Framing::web_socket_server, milliseconds(150));
  EXPECT_EQ(read_all(), Seen{"! timed_out"});
  EXPECT_EQ(heard_, write_frame(Kind::ping, ""));
  EXPECT_EQ(broken_, "the peer answers no ping");
}

TEST_F(StreamWireTest, KeepsAWebSocketThatAnswers) {
  begin(Framing::web_socket_server, milliseconds(150));
  spawn(loop_, [](StreamWireTest& test) -> Task<void> {
    Signal pause(test.loop_);
    for (int i = 0; i < 4; ++i) {
      co_await pause.wait(milliseconds(200));
      test.say(write_frame(Kind::pong, "", kMask));
    }
    test.say(write_frame(Kind::message, "{}", kMask));
    test.hang_up();
  }(*this));
  EXPECT_EQ(read_all(), (Seen{"{}", "! closed"}));
}

TEST_F(StreamWireTest, MasksWhatAClientSendsAndReadsWhatServersDoNot) {
  begin(Framing::web_socket_client);
  wire_->write("{\"to\":\"a server\"}");
  say(write_frame(Kind::message, "{}") + write_frame(Kind::message, "{}", kMask));
  EXPECT_EQ(read_all(), (Seen{"{}", "! io_failed"})) << "a server masks nothing";
  WebSocketReader reader(WebSocketReader::Sender::client, 100);
  const auto step = reader.step(heard_);
  ASSERT_TRUE(step.has_value() && step->event.has_value());
  EXPECT_EQ(step->event->payload, "{\"to\":\"a server\"}");
}

TEST_F(StreamWireTest, WritesEventsInChunksAndKeepsTheStreamAlive) {
  begin(Framing::event_stream, milliseconds(150));
  wire_->write_event("endpoint", "/mcp?sse=1");
  wire_->write("{}");
  spawn(loop_, [](StreamWireTest& test) -> Task<void> {
    Signal pause(test.loop_);
    co_await pause.wait(milliseconds(350));
    test.wire_->close("");
  }(*this));
  EXPECT_EQ(read_all(), Seen{"! closed"});
  pass(milliseconds(100));
  EXPECT_TRUE(heard_.starts_with("22\r\nevent: endpoint\ndata: /mcp?sse=1\n\n\r\n")) << heard_;
  EXPECT_TRUE(heard_.contains("event: message\ndata: {}\n\n")) << heard_;
  EXPECT_TRUE(heard_.contains("3\r\n:\n\n\r\n")) << heard_;
  EXPECT_TRUE(heard_.ends_with("0\r\n\r\n")) << heard_;
}

TEST_F(StreamWireTest, IsBrokenByAPeerThatDoesNotRead) {
  begin(Framing::lines);
  for (int i = 0; i < 100 && broken_.empty(); ++i) {
    wire_->write(std::string(100'000, 'x'));
    // What the peer was sent before is in its socket, which holds so much.
  }
  EXPECT_EQ(broken_, "the peer is too slow for what it is sent");
  EXPECT_EQ(read_all(), Seen{"! closed"});
}

TEST_F(StreamWireTest, HoldsWhatWaitsOnceAndForAPrincipal) {
  begin(Framing::lines);
  MemoryShares shares(memory_);
  const auto write = [&] {
    for (int i = 0; i < 4; ++i)
      wire_->write(std::string(100'000, 'x'));
  };
  write();
  EXPECT_EQ(memory_.used() / 100'000, 4U);
  EXPECT_EQ(shares.holders(), 0U);
  wire_->count_for(shares, "ann");
  write();
  EXPECT_EQ(memory_.used() / 100'000, 8U);
  EXPECT_EQ(shares.holders(), 1U);
  wire_->break_off("enough");
  EXPECT_EQ(memory_.used(), 0U);
  EXPECT_EQ(shares.holders(), 0U);
}

}  // namespace
}  // namespace bartizan
