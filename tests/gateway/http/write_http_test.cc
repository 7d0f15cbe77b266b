#include "gateway/http/write_http.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "gateway/http/http_head.h"
#include "gateway/http/http_response_head.h"

namespace bartizan {
namespace {

TEST(AppendResponseHead, WritesWhatIsAsked) {
  const std::array<HeaderLine, 2> headers{{{"Mcp-Session-Id", "s-1"}, {"X-Accel-Buffering", "no"}}};
  const struct {
    std::string_view name;
    ResponseStart start;
    std::string_view want;
  } cases[] = {
      {"an answer",
       {.content_type = "application/json", .body = {BodyFraming::content_length, 400}},
       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n"},
      {"a stream",
       {.content_type = "text/event-stream", .body = {BodyFraming::chunked, 0}, .headers = headers},
       "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
       "Mcp-Session-Id: s-1\r\nX-Accel-Buffering: no\r\n\r\n"},
      {"a refusal",
       {.status = 400, .body = {BodyFraming::content_length, 0}, .after = AfterMessage::close},
       "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
      {"no body", {.status = 204}, "HTTP/1.1 204 No Content\r\n\r\n"},
      {"until the end",
       {.status = 299, .body = {BodyFraming::until_close, 0}},
       "HTTP/1.1 299 Status\r\nConnection: close\r\n\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string out = "before;";
    ASSERT_TRUE(append_response_head(out, c.start));
    EXPECT_EQ(out, "before;" + std::string(c.want));
    ResponseHead head;
    EXPECT_TRUE(head.read(c.want, HttpMethod::post));
    EXPECT_EQ(head.status(), c.start.status);
    EXPECT_EQ(head.framing(), c.start.body.framing);
  }
}

TEST(AppendRequestHead, WritesWhatIsAsked) {
  const std::array<HeaderLine, 1> headers{{{"Authorization", "Bearer x"}}};
  std::string out;
  ASSERT_TRUE(append_request_head(out, {.target = "/mcp",
                                        .host = "up.test:1",
                                        .content_type = "application/json",
                                        .body = {BodyFraming::content_length, 7},
                                        .headers = headers}));
  EXPECT_EQ(out,
            "POST /mcp HTTP/1.1\r\nHost: up.test:1\r\nContent-Type: application/json\r\n"
            "Content-Length: 7\r\nAuthorization: Bearer x\r\n\r\n");
  RequestHead head;
  ASSERT_TRUE(head.read(out));
  EXPECT_EQ(head.content_length(), 7U);
}

TEST(AppendResponseHead, RefusesWhatWouldSplitTheMessage) {
  const struct {
    std::string_view name;
    HeaderLine header;
  } cases[] = {
      {"a line end in a value", {"X", "a\r\nSet-Cookie: b"}},
      {"a cr in a value", {"X", "a\rb"}},
      {"a lf in a value", {"X", "a\nb"}},
      {"a nul in a value", {"X", std::string_view("a\0b", 3)}},
      {"del in a value", {"X", "a\x7F"}},
      {"a line end in a name", {"X\r\nY", "a"}},
      {"a colon in a name", {"X:", "a"}},
      {"an empty name", {"", "a"}},
      {"a second length", {"content-length", "4"}},
      {"another framing", {"Transfer-Encoding", "chunked"}},
      {"a second connection", {"Connection", "close"}},
      {"a second type", {"Content-type", "a/b"}},
      {"a second host", {"Host", "a"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string out = "before;";
    const auto response = append_response_head(out, {.headers = {&c.header, 1}});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().fault, Fault::gateway);
    EXPECT_FALSE(append_request_head(out, {.host = "a", .headers = {&c.header, 1}}));
    EXPECT_EQ(out, "before;");
  }
}

TEST(AppendRequestHead, RefusesBadParts) {
  const struct {
    std::string_view name;
    RequestStart start;
  } cases[] = {
      {"a blank in the target", {.target = "/a b", .host = "a"}},
      {"a line end in the target", {.target = "/a\r\nX:", .host = "a"}},
      {"an empty target", {.target = "", .host = "a"}},
      {"no host", {.target = "/"}},
      {"a line end in the host", {.host = "a\r\nX: b"}},
      {"a method that is not a token", {.method = "GET /", .host = "a"}},
      {"a line end in the type", {.host = "a", .content_type = "a\nb"}},
      {"a body without end", {.host = "a", .body = {BodyFraming::until_close, 0}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string out;
    EXPECT_FALSE(append_request_head(out, c.start));
    EXPECT_EQ(out, "");
  }
  std::string out;
  EXPECT_FALSE(append_response_head(out, {.status = 99}));
  EXPECT_FALSE(append_response_head(out, {.status = 600}));
  EXPECT_FALSE(append_response_head(out, {.content_type = "a\r\nb"}));
  EXPECT_EQ(out, "");
}

TEST(AppendChunk, FramesData) {
  std::string out;
  append_chunk(out, "hello");
  append_chunk(out, "");
  append_chunk(out, std::string(26, 'x'));
  out.append(kLastChunk);
  EXPECT_EQ(out, "5\r\nhello\r\n1a\r\n" + std::string(26, 'x') + "\r\n0\r\n\r\n");
}

TEST(StatusText, NamesStatuses) {
  EXPECT_EQ(status_text(404), "Not Found");
  EXPECT_EQ(status_text(418), "Status");
}

}  // namespace
}  // namespace bartizan
