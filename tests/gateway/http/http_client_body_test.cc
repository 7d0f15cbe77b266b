// How bodies of answers are read, in whatever pieces they come.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/http/http_client.h"
#include "gateway/net/listener.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

using std::chrono::seconds;

/// What came of one answer.
struct Read {
  std::string body = {};
  std::optional<ErrorCode> error = {};
  bool is_reusable = false;
};

/// One request to a server that answers with a text in pieces.
class HttpClientBodyTest : public testing::Test {
 protected:
  /// `room` is made for the body before any of it is read.
  Read read(std::string_view answer, std::size_t piece, std::size_t room) {
    HostPort address{.host = "127.0.0.1", .port = 0};
    TcpAcceptor acceptor = listen_on(loop_, address).value();
    HttpClient client(loop_, *parse_server_url("http://127.0.0.1:" + std::to_string(address.port)),
                      nullptr);
    Read read;
    spawn(loop_, serve(acceptor, answer, piece));
    spawn(loop_, ask(client, room, read));
    loop_.run();
    loop_.io().restart();
    return read;
  }

 private:
  Task<void> serve(TcpAcceptor& acceptor, std::string_view answer, std::size_t piece) {
    auto [error, socket] = co_await acceptor.async_accept(kAwait);
    if (error) co_return;
    Stream stream(std::move(socket), loop_);
    std::string request;
    co_await stream.append_some(request, 4096, seconds(5));
    for (std::size_t at = 0; at < answer.size(); at += piece) {
      co_await stream.write(answer.substr(at, piece), seconds(5));
      // Two turns, so that the client reads each piece by itself.
      co_await yield_turn(loop_);
      co_await yield_turn(loop_);
    }
    if (answer.find("Connection: close") != answer.npos) stream.close();
    // The client has what it wants, or waits in vain.
    co_await ended_.wait(seconds(5));
    served_.notify();
  }

  Task<void> ask(HttpClient& client, std::size_t room, Read& read) {
    auto connection = co_await client.connect(seconds(5));
    if (!connection.has_value()) co_return loop_.stop();
    co_await (*connection)->send("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "");
    const auto head = co_await (*connection)->read_head(seconds(5));
    if (head.has_value()) {
      read = co_await read_body(**connection, room);
    } else {
      read.error = head.error().code;
    }
    connection->reset();
    ended_.notify();
    co_await served_.wait(seconds(5));
    loop_.stop();
  }

  static Task<Read> read_body(HttpClientConnection& connection, std::size_t room) {
    Bytes body;
    body.reserve(room);
    Read read;
    while (true) {
      const Result<bool> appended = co_await connection.append_body(body, seconds(5));
      if (!appended.has_value()) read.error = appended.error().code;
      if (!appended.value_or(false)) break;
    }
    read.body = body.view();
    read.is_reusable = connection.is_reusable();
    co_return read;
  }

  Loop loop_{0};
  Signal ended_{loop_};
  Signal served_{loop_};
};

std::string in_chunks(std::string_view body, std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string_view chunk = body.substr(at, size);
    char digits[20];
    std::snprintf(digits, sizeof digits, "%zx\r\n", chunk.size());
    text.append(digits).append(chunk).append("\r\n");
  }
  return text + "0\r\n\r\n";
}

TEST_F(HttpClientBodyTest, ReadsThemHoweverTheyCome) {
  std::string large(std::size_t{150} << 10, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7)
    large[i] = static_cast<char>('a' + i % 26);
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const auto counted = [&head](std::string_view body) {
    return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  };
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string_view name;
    std::string answer;
    Read wanted;
  } rows[] = {
      {"counted", counted("hello"), {.body = "hello", .is_reusable = true}},
      {"none", counted(""), {.body = "", .is_reusable = true}},
      {"large", counted(large), {.body = large, .is_reusable = true}},
      {"chunked", chunked + in_chunks("hello", 2), {.body = "hello", .is_reusable = true}},
      {"large chunks", chunked + in_chunks(large, 7001), {.body = large, .is_reusable = true}},
      {"until it closes", head + "Connection: close\r\n\r\nhello", {.body = "hello"}},
      {"cut short",
       head + "Connection: close\r\nContent-Length: 9\r\n\r\nhello",
       {.body = "hello", .error = ErrorCode::closed}},
      {"interim heads",
       "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + counted("hello"),
       {.body = "hello", .is_reusable = true}},
      {"a chunk of no size",
       chunked + "5\r\nhello\r\nx\r\n",
       {.body = "hello", .error = ErrorCode::http_framing}},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : {1UL, 3UL, 100UL, 20'000UL, row.answer.size()}) {
      // Nobody waits for a hundred thousand turns.
      if (row.answer.size() / piece > 400) continue;
      for (const std::size_t room : {std::size_t{0}, std::size_t{10}, 2 * large.size()}) {
        SCOPED_TRACE(testing::Message()
                     << row.name << " in pieces of " << piece << " to room of " << room);
        const Read got = read(row.answer, piece, room);
        EXPECT_EQ(got.body, row.wanted.body);
        EXPECT_EQ(got.error, row.wanted.error);
        EXPECT_EQ(got.is_reusable, row.wanted.is_reusable);
      }
    }
  }
}

// What stands behind an answer is the next one's to nobody.
TEST_F(HttpClientBodyTest, GoesOnWithNoConnectionThatSaysMore) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const std::string next = head + "Content-Length: 2\r\n\r\nno";
  for (const std::size_t size : {5UL, 40'000UL, 100'000UL}) {
    const std::string body(size, 'x');
    const std::string counted = head + "Content-Length: " + std::to_string(size) + "\r\n\r\n";
    const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    for (const std::string& answer :
         {counted + body + next, counted + body + "n", chunked + in_chunks(body, 7001) + next}) {
      for (const std::size_t room : {std::size_t{0}, size + 1, 2 * size}) {
        SCOPED_TRACE(testing::Message() << answer.size() << " bytes to room of " << room);
        const Read got = read(answer, answer.size(), room);
        EXPECT_EQ(got.body, body);
        EXPECT_EQ(got.error, std::nullopt);
        EXPECT_FALSE(got.is_reusable);
      }
    }
  }
}

}  // namespace
}  // namespace bartizan
