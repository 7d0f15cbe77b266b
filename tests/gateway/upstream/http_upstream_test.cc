#include "gateway/upstream/http_upstream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/net/listener.h"
#include "gateway/net/stream.h"
#include "policy/verdict/pipeline.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// One request as the server saw it.
struct Request {
  std::string head;  ///< In lower case.
  std::string body;

  bool is(std::string_view method) const { return head.starts_with(method); }
  bool asks(std::string_view method) const {
    return body.find("\"method\":\"" + std::string(method) + "\"") != std::string::npos;
  }
  std::string header(std::string_view name) const {
    const std::size_t found = head.find("\r\n" + std::string(name) + ": ");
    if (found == std::string::npos) return "";
    const std::size_t begin = found + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
  std::string id() const {
    const std::size_t begin = body.find("\"id\":") + 5;
    return body.substr(begin, body.find_first_of(",}", begin) - begin);
  }
};

/// Every answer ends its connection, unless the server keeps them.
std::string answer_with(std::string_view status, std::string_view headers = "",
                        std::string_view body = "") {
  std::string answer = "HTTP/1.1 ";
  answer.append(status).append("\r\nConnection: close\r\n").append(headers);
  return answer.append("\r\n").append(body);
}
/// An answer of `answer_with` whose connection is kept.
std::string kept(std::string answer) {
  constexpr std::string_view kClose = "Connection: close\r\n";
  const std::size_t size = answer.size() - answer.find("\r\n\r\n") - 4;
  return answer.replace(answer.find(kClose), kClose.size(),
                        "Content-Length: " + std::to_string(size) + "\r\n");
}
std::string stream_of(std::string_view events) {
  return answer_with("200 OK", "Content-Type: text/event-stream\r\n", events);
}
std::string introduction_of(const Request& request, const std::string& session) {
  return answer_with("200 OK",
                     "Content-Type: application/json\r\nMcp-Session-Id: " + session + "\r\n",
                     R"({"jsonrpc":"2.0","id":)" + request.id() +
                         R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
                         R"("serverInfo":{"name":"x","version":"1"}}})");
}

/// An instance and its server on one loop; the test answers for the server.
class HttpUpstreamTest : public testing::Test {
 protected:
  HttpUpstreamTest() {
    HostPort address{.host = "127.0.0.1", .port = 0};
    auto opened = listen_on(loop_, address);
    EXPECT_TRUE(opened.has_value());
    acceptor_ = std::make_shared<TcpAcceptor>(std::move(*opened));
    const auto url = parse_server_url("http://127.0.0.1:" + std::to_string(address.port));
    const UpstreamEvents events{
        .message = [](const InstanceKey&, ReceivedMessage) {},
        .overflow = [](const InstanceKey&, ReceivedMessage) {},
        .state = [](const InstanceKey&, std::string_view) {},
        .record_gateway_message = [](const InstanceKey&, std::string) -> Task<Result<void>> {
          co_return Result<void>{};
        },
        .dropped = [](const InstanceKey&, std::string_view) {}};
    upstream_ = std::make_shared<HttpUpstream>(
        loop_, memory_, ServerConfig{.name = "x"}, InstanceKey{.server = "x"}, events,
        HttpUpstreamSetup{.client = std::make_shared<HttpClient>(loop_, *url, nullptr)});
    give_up_.arm(seconds(10));
  }

  /// Serves until the loop is stopped. `answer` says nothing for what is answered later.
  void serve(std::function<std::optional<std::string>(const Request&)> answer) {
    answer_ = std::move(answer);
    spawn(loop_, accept_connections(
                     loop_, acceptor_, [this]() -> Loop& { return loop_; },
                     [this](Loop&, TcpSocket socket) {
                       ++connections_;
                       spawn(loop_, serve_all(std::make_unique<Stream>(std::move(socket), loop_)));
                     }));
  }
  /// Answers whoever waits for it.
  void answer_later(std::string answer) {
    late_ = std::move(answer);
    answered_.notify();
  }

  std::shared_ptr<PendingCall> call() {
    const std::string text = R"({"jsonrpc":"2.0","id":0,"method":"tools/list"})";
    const std::size_t id = text.find('0', text.find("\"id\""));
    auto pending = std::make_shared<PendingCall>(loop_);
    upstream_->call({.permit = Permit::own(GatewayMessage::tools_list, text),
                     .id = {id, id + 1},
                     .method = "tools/list"},
                    pending);
    return pending;
  }

  /// A call of a client's, judged by a list of that beginning of the server.
  std::shared_ptr<PendingCall> call_judged_for(std::uint64_t beginning) {
    const auto sample = sample_tool_call("x", "echo");
    const ByteRange id = sample->call.message.id.range();
    const Pipeline pipeline({{"rule", Check::Kind::always_enforced,
                              [](const Call&) { return Decision::permit(nullptr); }}});
    Verdict verdict = pipeline.judge(sample->call, nullptr, Pipeline::Mode::enforce);
    auto pending = std::make_shared<PendingCall>(loop_);
    upstream_->call({.permit = std::get<Permit>(std::move(verdict)),
                     .id = id,
                     .method = "tools/call",
                     .judged_for = beginning},
                    pending);
    return pending;
  }

  std::vector<Request> seen(std::string_view method) const {
    std::vector<Request> seen;
    std::ranges::copy_if(requests_, std::back_inserter(seen),
                         [&](const Request& one) { return one.is(method); });
    return seen;
  }

  Loop loop_{0};
  MemoryBudget memory_{std::uint64_t{64} << 20};
  std::shared_ptr<TcpAcceptor> acceptor_;
  std::shared_ptr<HttpUpstream> upstream_;
  std::function<std::optional<std::string>(const Request&)> answer_;
  /// The gateway has closed a connection on which it had asked for nothing.
  std::function<void()> came_for_nothing_ = [] {};
  std::vector<Request> requests_;
  bool gave_up_ = false;
  /// Whether the server keeps connections, and how many there were.
  bool keeps_ = false;
  int connections_ = 0;

 private:
  static void give_up(void* test) {
    static_cast<HttpUpstreamTest*>(test)->gave_up_ = true;
    static_cast<HttpUpstreamTest*>(test)->loop_.stop();
  }

  Task<void> serve_all(std::unique_ptr<Stream> stream) {
    while (co_await serve_one(*stream) && keeps_) {
    }
  }
  /// False where nothing was asked for any more.
  Task<bool> serve_one(Stream& stream) {
    std::string bytes;
    while (size_of_request(bytes) == 0) {
      if ((co_await stream.append_some(bytes, 4096, hours(1))).has_value()) continue;
      came_for_nothing_();
      co_return false;
    }
    const std::size_t head = bytes.find("\r\n\r\n") + 4;
    requests_.push_back({lower(bytes.substr(0, head)), bytes.substr(head)});
    std::optional<std::string> answer = answer_(requests_.back());
    if (!answer.has_value()) {
      co_await answered_.wait(hours(1));
      answer = late_;
    }
    co_await stream.write(keeps_ ? kept(*answer) : *answer, seconds(5));
    co_return true;
  }
  static std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  }
  static std::size_t size_of_request(const std::string& bytes) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const std::string length =
        Request{lower(bytes.substr(0, end + 4)), ""}.header("content-length");
    const std::size_t size = end + 4 + std::strtoul(length.c_str(), nullptr, 10);
    return bytes.size() < size ? 0 : size;
  }

  Signal answered_{loop_};
  std::string late_;
  Deadline give_up_{loop_.wheel(), &HttpUpstreamTest::give_up, this};
};

/// What the stream of the first session says before it ends, and how the second one begins: while
/// the gateway waits, or once it has come for a stream and has gone again, or has asked for one.
struct Change {
  std::string_view name;
  std::string_view events;
  enum class Second : bool { at_once, after_an_attempt } second;
};
class HttpUpstreamSessionTest : public HttpUpstreamTest,
                                public testing::WithParamInterface<Change> {};
INSTANTIATE_TEST_SUITE_P(
    Changes, HttpUpstreamSessionTest,
    testing::Values(
        Change{"an event", "id: e1\nretry: 50\ndata: \n\n", Change::Second::after_an_attempt},
        Change{"no event", ":\n\n", Change::Second::after_an_attempt},
        Change{"come back late", "id: e1\nretry: 30000\ndata: \n\n", Change::Second::at_once}));

// The server forgets the session while nobody listens to its stream.
TEST_P(HttpUpstreamSessionTest, ListensToTheOneThatThereIs) {
  SCOPED_TRACE(GetParam().name);
  const auto introduce = [](HttpUpstream& upstream) -> Task<void> {
    co_await upstream.introduction();
  };
  std::optional<Request> second;
  const auto begin_again = [&] {
    if (second.has_value()) answer_later(introduction_of(*second, "s2"));
  };
  came_for_nothing_ = begin_again;
  serve([&](const Request& request) -> std::optional<std::string> {
    const std::string session = request.header("mcp-session-id");
    if (request.asks("initialize")) {
      if (seen("get").empty()) return introduction_of(request, "s1");
      second = request;
      if (GetParam().second == Change::Second::after_an_attempt) return std::nullopt;
      return introduction_of(request, "s2");
    }
    if (request.asks("tools/list"))
      return answer_with(session == "s2" ? "200 OK" : "404 Not Found");
    if (request.is("post")) return answer_with("202 Accepted");
    if (session == "s1") {
      asio::post(loop_.io(), [&] { call(); });
      return stream_of(GetParam().events);
    }
    if (session == "s2") loop_.stop();
    begin_again();
    return answer_with("400 Bad Request");
  });
  spawn(loop_, introduce(*upstream_));
  loop_.run();
  EXPECT_FALSE(gave_up_);
  const std::vector<Request> asked = seen("get");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].header("mcp-session-id"), "s1");
  EXPECT_EQ(asked[1].header("mcp-session-id"), "s2");
  EXPECT_EQ(asked[1].header("last-event-id"), "") << "of an event of the session before";
}

// Ten sessions end their stream at once and are then forgotten. However often that was, the stream
// of the last one is asked for again soon: a delay that had doubled each time would be half a
// minute.
TEST_F(HttpUpstreamTest, ForgetsTheDelaysOfSessionsBefore) {
  constexpr int kSessions = 10;
  int begun = 0;
  const auto present = [&] { return "s" + std::to_string(begun); };
  serve([&](const Request& request) -> std::optional<std::string> {
    if (request.asks("initialize")) {
      ++begun;
      return introduction_of(request, present());
    }
    const bool is_last = begun == kSessions;
    if (request.asks("tools/list")) return answer_with(is_last ? "200 OK" : "404 Not Found");
    if (request.is("post")) return answer_with("202 Accepted");
    if (!is_last) asio::post(loop_.io(), [&] { call(); });
    if (seen("get").size() > kSessions) loop_.stop();
    return stream_of(":\n\n");
  });
  call();
  loop_.run();
  EXPECT_FALSE(gave_up_);
  const std::vector<Request> asked = seen("get");
  ASSERT_EQ(asked.size(), kSessions + 1U);
  EXPECT_EQ(asked.back().header("mcp-session-id"), present());
}

// The handshake, what follows it, and twenty calls one after the other: one connection, and another
// one for the stream of the session.
TEST_F(HttpUpstreamTest, KeepsAConnectionThatTheServerKeeps) {
  constexpr int kCalls = 20;
  keeps_ = true;
  int calls = 0;
  serve([&](const Request& request) -> std::optional<std::string> {
    if (request.asks("initialize")) return introduction_of(request, "s1");
    if (request.is("get")) return answer_with("405 Method Not Allowed");
    if (!request.asks("tools/list")) return answer_with("202 Accepted");
    asio::post(loop_.io(), [&] {
      if (++calls == kCalls) return loop_.stop();
      call();
    });
    return answer_with("200 OK", "Content-Type: application/json\r\n",
                       R"({"jsonrpc":"2.0","id":)" + request.id() + R"(,"result":{"tools":[]}})");
  });
  call();
  loop_.run();
  EXPECT_FALSE(gave_up_);
  EXPECT_EQ(calls, kCalls);
  EXPECT_LE(connections_, 3);
}

struct JudgedFor {
  std::string_view name;
  std::uint64_t beginning;  ///< Of the server whose list the call was judged by; 0 for no list.
  bool is_sent;
};
class HttpUpstreamJudgedTest : public HttpUpstreamTest,
                               public testing::WithParamInterface<JudgedFor> {
 protected:
  /// Has the server begin anew, and then hands a judged call over.
  Task<void> call_after_a_beginning() {
    EXPECT_TRUE((co_await call()->next(seconds(5))).has_value());
    judged_ = call_judged_for(GetParam().beginning);
    answer_of_judged_ = co_await judged_->next(seconds(5));
    loop_.stop();
  }

  std::shared_ptr<PendingCall> judged_;
  Result<ReceivedMessage> answer_of_judged_ = std::unexpected(begun_anew());
};
INSTANTIATE_TEST_SUITE_P(Beginnings, HttpUpstreamJudgedTest,
                         testing::Values(JudgedFor{"the present one", 2, true},
                                         JudgedFor{"no list", 0, true},
                                         JudgedFor{"the one before", 1, false},
                                         JudgedFor{"one of another instance", 3, false}));

// The server begins anew while a call that is judged already is put on record.
TEST_P(HttpUpstreamJudgedTest, TakesACallOnlyInTheBeginningThatItWasJudgedFor) {
  int begun = 0;
  serve([&](const Request& request) -> std::optional<std::string> {
    if (request.asks("initialize")) return introduction_of(request, "s" + std::to_string(++begun));
    if (request.is("get")) return answer_with("405 Method Not Allowed");
    if (!request.asks("tools/list") && !request.asks("tools/call"))
      return answer_with("202 Accepted");
    if (begun == 1) return answer_with("404 Not Found");
    return answer_with("200 OK", "Content-Type: application/json\r\n",
                       R"({"jsonrpc":"2.0","id":)" + request.id() + R"(,"result":{}})");
  });
  spawn(loop_, call_after_a_beginning());
  loop_.run();
  EXPECT_FALSE(gave_up_);
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(answer_of_judged_.has_value(), GetParam().is_sent) << GetParam().name;
  const bool is_seen = std::ranges::any_of(
      requests_, [](const Request& request) { return request.asks("tools/call"); });
  EXPECT_EQ(is_seen, GetParam().is_sent);
  EXPECT_EQ(judged_->beginning(), GetParam().is_sent ? 2U : 0U);
  if (!answer_of_judged_.has_value()) EXPECT_TRUE(was_not_run(answer_of_judged_.error()));
}

enum class End : bool { of_the_call, of_the_instance };
class HttpUpstreamEndTest : public HttpUpstreamTest, public testing::WithParamInterface<End> {};
INSTANTIATE_TEST_SUITE_P(Ends, HttpUpstreamEndTest,
                         testing::Values(End::of_the_call, End::of_the_instance));

// Half a minute is what the server asks for.
TEST_P(HttpUpstreamEndTest, NobodyWaitsForTheStreamOfACallThatIsOver) {
  const End end = GetParam();
  const std::string later = stream_of("id: a\nretry: 30000\ndata: \n\n");
  serve([&](const Request& request) -> std::optional<std::string> {
    if (request.asks("initialize")) return introduction_of(request, "s1");
    if (request.asks("tools/list")) return later;
    if (request.is("get")) {
      return end == End::of_the_call ? answer_with("405 Method Not Allowed") : later;
    }
    return answer_with("202 Accepted");
  });
  const auto wait_for_the_end = [](Loop& loop, std::weak_ptr<HttpUpstream> gone) -> Task<void> {
    while (!gone.expired())
      co_await asio::post(loop.io(), kAwait);
    loop.stop();
  };
  const auto pending = call();
  pending->on_pause([&] {
    asio::post(loop_.io(), [&] {
      if (end == End::of_the_call) upstream_->cancel(pending);
      if (end == End::of_the_instance) upstream_->stop();
      spawn(loop_, wait_for_the_end(loop_, std::exchange(upstream_, nullptr)));
    });
  });
  loop_.run();
  EXPECT_FALSE(gave_up_);
}

}  // namespace
}  // namespace bartizan
