#include "gateway/http/http_response_head.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

TEST(ResponseHead, ReadsWhatAServerSends) {
  const std::string text =
      "HTTP/1.1 401 Not you\r\n"
      "Content-Type: application/json ; charset=utf-8\r\n"
      "Content-Length: 12\r\n"
      "Mcp-Session-Id: s-1\r\n"
      "Retry-After: 120\r\n"
      "WWW-Authenticate: Bearer\r\n"
      "www-authenticate: Basic\r\n"
      "\r\n";
  ResponseHead head;
  const auto read = head.read(text, HttpMethod::post);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(head.status(), 401);
  EXPECT_FALSE(head.is_interim());
  EXPECT_EQ(head.size(), text.size());
  EXPECT_EQ(head.framing(), BodyFraming::content_length);
  EXPECT_EQ(head.content_length(), 12U);
  EXPECT_TRUE(head.has_media_type("application/json"));
  EXPECT_EQ(head.find(KnownHeader::mcp_session_id), "s-1");
  EXPECT_TRUE(head.has(KnownHeader::www_authenticate));
  EXPECT_FALSE(head.has(KnownHeader::location));
  EXPECT_TRUE(head.keeps_alive());
}

TEST(ResponseHead, JudgesStatusLines) {
  const struct {
    std::string_view line;
    int status;
    std::optional<ErrorCode> want;
  } cases[] = {
      {"HTTP/1.1 200 OK", 200, {}},
      {"HTTP/1.1 200 ", 200, {}},
      {"HTTP/1.1 200", 200, {}},
      {"HTTP/1.0 599 caf\xC3\xA9", 599, {}},
      {"HTTP/2 200", 0, ErrorCode::http_syntax},
      {"HTTP/2.0 200 OK", 0, ErrorCode::http_version},
      {"http/1.1 200 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1  200 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 20 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 2000 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 099 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 600 OK", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 200 O\x01K", 0, ErrorCode::http_syntax},
      {"HTTP/1.1 200 O\rK", 0, ErrorCode::http_syntax},
      {"ICY 200 OK", 0, ErrorCode::http_syntax},
      {"", 0, ErrorCode::http_syntax},
  };
  ResponseHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    const std::string text = std::string(c.line) + "\r\nContent-Length: 0\r\n\r\n";
    const auto read = head.read(text, HttpMethod::post);
    ASSERT_EQ(read.has_value(), !c.want);
    if (c.want) {
      EXPECT_EQ(read.error().code, *c.want);
      EXPECT_EQ(read.error().fault, Fault::server);
    } else {
      EXPECT_EQ(head.status(), c.status);
    }
  }
}

TEST(ResponseHead, JudgesFraming) {
  const struct {
    std::string_view name;
    std::string_view start;
    std::string_view fields;
    HttpMethod requested;
    std::optional<BodyFraming> want;
    bool keeps_alive = true;
  } cases[] = {
      {"chunks", "1.1 200", "Transfer-Encoding: chunked\r\n", HttpMethod::post,
       BodyFraming::chunked},
      {"no length", "1.1 200", "", HttpMethod::post, BodyFraming::until_close, false},
      {"no length and a promise", "1.0 200", "Connection: keep-alive\r\n", HttpMethod::post,
       BodyFraming::until_close, false},
      {"http/1.0 closes", "1.0 200", "Content-Length: 1\r\n", HttpMethod::post,
       BodyFraming::content_length, false},
      {"head has no body", "1.1 200", "Content-Length: 9\r\n", HttpMethod::head, BodyFraming::none},
      {"304 has no body", "1.1 304", "Content-Length: 9\r\n", HttpMethod::get, BodyFraming::none},
      {"204 has no body", "1.1 204", "", HttpMethod::post, BodyFraming::none},
      {"204 with length 0", "1.1 204", "Content-Length: 0\r\n", HttpMethod::post,
       BodyFraming::none},
      {"204 with a length", "1.1 204", "Content-Length: 1\r\n", HttpMethod::post, {}},
      {"204 with chunks", "1.1 204", "Transfer-Encoding: chunked\r\n", HttpMethod::post, {}},
      {"100 with a length", "1.1 100", "Content-Length: 1\r\n", HttpMethod::post, {}},
      {"100", "1.1 100", "", HttpMethod::post, BodyFraming::none},
      {"both",
       "1.1 200",
       "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
       HttpMethod::post,
       {}},
      {"both for head",
       "1.1 200",
       "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
       HttpMethod::head,
       {}},
      {"two lengths",
       "1.1 200",
       "Content-Length: 1\r\nContent-Length: 1\r\n",
       HttpMethod::post,
       {}},
      {"gzip and chunks", "1.1 200", "Transfer-Encoding: gzip, chunked\r\n", HttpMethod::post, {}},
      {"chunks in http/1.0", "1.0 200", "Transfer-Encoding: chunked\r\n", HttpMethod::post, {}},
  };
  ResponseHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text =
        "HTTP/" + std::string(c.start) + " Text\r\n" + std::string(c.fields) + "\r\n";
    const auto read = head.read(text, c.requested);
    ASSERT_EQ(read.has_value(), c.want.has_value());
    if (!c.want) {
      EXPECT_EQ(read.error().code, ErrorCode::http_framing);
      EXPECT_EQ(read.error().fault, Fault::server);
      continue;
    }
    EXPECT_EQ(head.framing(), *c.want);
    EXPECT_EQ(head.keeps_alive(), c.keeps_alive);
  }
}

TEST(ResponseHead, WithoutATypeHasNone) {
  ResponseHead head;
  ASSERT_TRUE(head.read("HTTP/1.1 204 None\r\n\r\n", HttpMethod::post));
  EXPECT_FALSE(head.has_media_type("application/json"));
}

}  // namespace
}  // namespace bartizan
