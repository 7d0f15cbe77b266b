#include "gateway/net/stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A stream whose peer is a bare descriptor in the test's hands. Each story runs on the loop.
class StreamTest : public testing::Test {
 protected:
  StreamTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    UnixSocket socket(loop_.executor());
    socket.assign(asio::local::stream_protocol(), ends[0]);
    stream_ = std::make_unique<Stream>(std::move(socket), loop_);
    peer_ = ends[1];
  }
  ~StreamTest() override { hang_up(); }

  void hang_up() {
    if (peer_ >= 0) ::close(std::exchange(peer_, -1));
  }
  void say(std::string_view text) {
    ASSERT_EQ(::write(peer_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string hear(std::size_t bytes_max) {
    std::string heard(bytes_max, '\0');
    const ssize_t size = ::recv(peer_, heard.data(), heard.size(), MSG_DONTWAIT);
    heard.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return heard;
  }

  /// Reads until something goes wrong, and keeps what came and why it ended.
  Task<void> read(std::size_t bytes_max, milliseconds wait) {
    Result<void> read;
    while (read.has_value()) {
      read = co_await stream_->append_some(received_, bytes_max, wait);
      received_ += '|';
    }
    ended_ = read.error().code;
    loop_.stop();
  }
  Task<void> read_all(std::size_t all) {
    while (received_.size() < all) {
      const Result<void> read = co_await stream_->append_some(received_, 10, hours(1));
      if (!read.has_value()) break;
    }
    loop_.stop();
  }
  Task<void> count_turns(std::size_t all) {
    while (received_.size() < all) {
      ++turns_;
      co_await asio::post(loop_.io(), kAwait);
    }
  }
  /// Writes, and closes the stream.
  Task<void> write(std::vector<std::string_view> pieces, milliseconds wait) {
    const Result<void> written = co_await stream_->write(pieces, wait);
    if (!written.has_value()) ended_ = written.error().code;
    stream_->close();
  }
  /// Hears what the peer is told until the stream is closed.
  Task<void> take_in() {
    while (stream_->is_open()) {
      heard_ += hear(std::size_t{64} << 10);
      co_await asio::post(loop_.io(), kAwait);
    }
    loop_.stop();
  }
  Task<void> wait_for_close() {
    while (stream_->is_open())
      co_await asio::post(loop_.io(), kAwait);
    loop_.stop();
  }
  Task<void> linger() {
    co_await stream_->linger();
    loop_.stop();
  }
  /// Does these one after the other, each once what the one before did has been told.
  Task<void> in_turns(std::vector<std::function<void()>> steps) {
    SteadyTimer timer(loop_.executor());
    for (const std::function<void()>& step : steps) {
      timer.expires_after(milliseconds(5));
      co_await timer.async_wait(kAwait);
      step();
    }
  }

  Loop loop_{0};
  std::unique_ptr<Stream> stream_;
  int peer_ = -1;
  std::string received_;
  std::string heard_;
  std::size_t turns_ = 0;
  std::optional<ErrorCode> ended_;
};

TEST_F(StreamTest, ReadsWhatComesWhenItComes) {
  spawn(loop_, read(4, hours(1)));
  spawn(loop_, in_turns({[&] { say("ab"); }, [&] { say("cdefg"); }, [&] { hang_up(); }}));
  loop_.run();
  EXPECT_EQ(received_, "ab|cdef|g||");
  EXPECT_EQ(ended_, ErrorCode::closed);
}

TEST_F(StreamTest, ReadsWhatCameBeforeTheEnd) {
  say("last words");
  hang_up();
  spawn(loop_, read(4, hours(1)));
  loop_.run();
  EXPECT_EQ(received_, "last| wor|ds||");
  EXPECT_EQ(ended_, ErrorCode::closed);
}

TEST_F(StreamTest, TakesTurnsWithOthersHoweverMuchThereIs) {
  constexpr std::size_t all = 1000;
  say(std::string(all, 'x'));
  spawn(loop_, read_all(all));
  spawn(loop_, count_turns(all));
  loop_.run();
  EXPECT_EQ(received_.size(), all);
  // Ten bytes fill the room, twice in each.
  EXPECT_GE(turns_, all / 20);
}

TEST_F(StreamTest, DoesNotWaitBeyondTheDeadline) {
  spawn(loop_, read(4, milliseconds(1)));
  loop_.run();
  EXPECT_EQ(ended_, ErrorCode::timed_out);
}

TEST_F(StreamTest, IsNotReadOnceClosed) {
  spawn(loop_, read(4, hours(1)));
  spawn(loop_, in_turns({[&] { stream_->close(); }}));
  loop_.run();
  EXPECT_EQ(ended_, ErrorCode::io_failed);
  EXPECT_FALSE(stream_->is_open());
}

TEST_F(StreamTest, WritesMoreThanTheSocketTakesAtOnce) {
  const std::string body(std::size_t{4} << 20, 'b');
  spawn(loop_, write({"head ", "", body, "1", "2", "3", "4", "5", "6", "7", "8"}, hours(1)));
  spawn(loop_, take_in());
  loop_.run();
  EXPECT_FALSE(ended_.has_value());
  while (true) {
    const std::string rest = hear(std::size_t{64} << 10);
    if (rest.empty()) break;
    heard_ += rest;
  }
  EXPECT_TRUE(heard_ == "head " + body + "12345678") << heard_.size();
}

TEST_F(StreamTest, GivesUpOnAPeerThatTakesNothingIn) {
  const std::string body(std::size_t{4} << 20, 'b');
  spawn(loop_, write({body}, milliseconds(1)));
  spawn(loop_, wait_for_close());
  loop_.run();
  EXPECT_EQ(ended_, ErrorCode::timed_out);
}

TEST_F(StreamTest, TellsOfAnEndBehindBytesThatNobodyReads) {
  say("unread");
  int told = 0;
  stream_->watch([&] {
    ++told;
    loop_.stop();
  });
  spawn(loop_, in_turns({[&] { EXPECT_EQ(told, 0); }, [&] { hang_up(); }}));
  loop_.run();
  EXPECT_EQ(told, 1);
}

TEST_F(StreamTest, TellsNobodyWhoHasStoppedWatching) {
  stream_->watch([] { FAIL() << "nobody watches"; });
  spawn(loop_, in_turns({[&] {
                           hang_up();
                           stream_->stop_watching();
                         },
                         [&] { loop_.stop(); }}));
  loop_.run();
}

TEST_F(StreamTest, IsQuietUntilSomethingCameOrEnded) {
  const auto expect = [&](bool quiet) {
    return [this, quiet] { EXPECT_EQ(stream_->is_quiet(), quiet); };
  };
  spawn(loop_,
        in_turns({expect(true), [&] { say("unasked"); }, expect(false), [&] { loop_.stop(); }}));
  loop_.run();
  loop_.io().restart();
  spawn(loop_, in_turns({[&] { hang_up(); }, expect(false), [&] { loop_.stop(); }}));
  loop_.run();
}

TEST_F(StreamTest, LingersUntilThePeerHasEnded) {
  spawn(loop_, linger());
  spawn(loop_, in_turns({[&] { say("still sending"); },
                         [&] {
                           EXPECT_TRUE(stream_->is_open());
                           hang_up();
                         }}));
  loop_.run();
  EXPECT_FALSE(stream_->is_open());
}

TEST(PollerTest, TakesAlongWhoStillWaits) {
  // The frame owns the stream that it waits for; the sanitizers look on.
  Loop loop(0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  UnixSocket socket(loop.executor());
  socket.assign(asio::local::stream_protocol(), ends[0]);
  const auto wait = [](std::unique_ptr<Stream> stream) -> Task<void> {
    std::string received;
    const Result<void> read = co_await stream->append_some(received, 1, hours(1));
    ADD_FAILURE() << "nothing was said: " << read.has_value();
  };
  spawn(loop, wait(std::make_unique<Stream>(std::move(socket), loop)));
  asio::post(loop.io(), [&] { loop.stop(); });
  loop.run();
  ::close(ends[1]);
}

}  // namespace
}  // namespace bartizan
