// How a connection begins behind a proxy that speaks the PROXY protocol.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/net/stream.h"
#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::string_view kIpv4(
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c\xcb\x00\x71\x09\x0a\x00\x00\x01\xc8\x22\x01\xbb", 28);
constexpr std::string_view kIpv6(
    "\r\n\r\n\0\r\nQUIT\n\x21\x21\x00\x24"
    "\x20\x01\x0d\xb8\0\0\0\x05\0\0\0\0\0\0\0\x09"
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\xc8\x22\x01\xbb",
    52);
constexpr std::string_view kMapped(
    "\r\n\r\n\0\r\nQUIT\n\x21\x21\x00\x24"
    "\0\0\0\0\0\0\0\0\0\0\xff\xff\xcb\x00\x71\x09"
    "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x00\x00\x01\xc8\x22\x01\xbb",
    52);
constexpr std::string_view kItself("\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00", 16);

/// What becomes of a connection that begins with these pieces, and ends or waits behind them.
class ProxiedStream : public testing::Test {
 protected:
  void begin(const std::vector<std::string_view>& pieces, bool ends, milliseconds wait = hours(1)) {
    std::array<int, 2> ends_of{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_of.data()), 0);
    Loop loop(0);
    UnixSocket socket(loop.executor());
    socket.assign(asio::local::stream_protocol(), ends_of[0]);
    Stream stream(std::move(socket), loop);
    own_ = stream.peer();
    rest_.clear();
    spawn(loop, accept(loop, stream, wait));
    spawn(loop, say(loop, ends_of[1], pieces, ends));
    loop.run();
    peer_ = stream.peer();
    network_ = stream.peer_address();
    stream.close();
    ::close(ends_of[1]);
  }

  Task<void> accept(Loop& loop, Stream& stream, milliseconds wait) {
    accepted_ = co_await stream.accept_proxied(wait);
    if (accepted_.has_value()) {
      static_cast<void>(co_await stream.append_some(rest_, 100, milliseconds(50)));
    }
    loop.stop();
  }
  static Task<void> say(Loop& loop, int to, std::vector<std::string_view> pieces, bool ends) {
    for (const std::string_view piece : pieces) {
      EXPECT_EQ(::write(to, piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
      for (int turn = 0; turn < 3; ++turn)
        co_await asio::post(loop.io(), kAwait);
    }
    if (ends) ::shutdown(to, SHUT_WR);
  }

  Result<void> accepted_;
  std::string own_, peer_, network_, rest_;
};

TEST_F(ProxiedStream, HasThePeerThatItsProxyNames) {
  const struct {
    std::string_view name;
    std::vector<std::string_view> pieces;
    std::string_view peer, network, rest;
  } rows[] = {
      {"IPv4", {kIpv4}, "203.0.113.9:51234", "203.0.113.9", ""},
      {"IPv6", {kIpv6}, "[2001:db8:0:5::9]:51234", "2001:db8:0:5::/64", ""},
      {"IPv4 in IPv6", {kMapped}, "203.0.113.9:51234", "203.0.113.9", ""},
      {"what follows is left", {kIpv4, "GET /"}, "203.0.113.9:51234", "203.0.113.9", "GET /"},
      {"in pieces",
       {kIpv4.substr(0, 1), kIpv4.substr(1, 14), kIpv4.substr(15, 2), kIpv4.substr(17)},
       "203.0.113.9:51234",
       "203.0.113.9",
       ""},
      {"a second header is not the listener's to read",
       {kIpv4, kIpv6.substr(0, 12)},
       "203.0.113.9:51234",
       "203.0.113.9",
       kIpv6.substr(0, 12)},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    begin(row.pieces, false);
    ASSERT_TRUE(accepted_.has_value()) << accepted_.error().detail;
    EXPECT_EQ(peer_, row.peer);
    EXPECT_EQ(network_, row.network);
    EXPECT_EQ(rest_, row.rest);
  }
  const std::string together = std::string(kIpv4) + "GET /";
  begin({together}, false);
  EXPECT_TRUE(accepted_.has_value());
  EXPECT_EQ(rest_, "GET /") << "also where both come at once";
  begin({kItself, "GET /"}, false);
  EXPECT_TRUE(accepted_.has_value());
  EXPECT_EQ(peer_, own_) << "the proxy speaks for itself";
  EXPECT_EQ(rest_, "GET /");
}

TEST_F(ProxiedStream, IsRefusedWithAnotherBeginning) {
  const struct {
    std::string_view name;
    std::vector<std::string_view> pieces;
    bool ends;
    ErrorCode want;
  } rows[] = {
      {"a request", {"POST /mcp HTTP/1.1\r\n"}, false, ErrorCode::http_syntax},
      {"one wrong byte", {"\r\n\r\r"}, false, ErrorCode::http_syntax},
      {"nothing", {}, true, ErrorCode::closed},
      {"an end within", {kIpv4.substr(0, 20)}, true, ErrorCode::http_syntax},
      {"an end within the signature", {kIpv4.substr(0, 3)}, true, ErrorCode::http_syntax},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    begin(row.pieces, row.ends);
    ASSERT_FALSE(accepted_.has_value());
    EXPECT_EQ(accepted_.error().code, row.want) << accepted_.error().detail;
    EXPECT_EQ(peer_, own_);
  }
  begin({kIpv4.substr(0, 20)}, false, milliseconds(20));
  ASSERT_FALSE(accepted_.has_value());
  EXPECT_EQ(accepted_.error().code, ErrorCode::timed_out);
}

}  // namespace
}  // namespace bartizan
