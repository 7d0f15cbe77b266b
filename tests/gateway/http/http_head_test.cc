#include "gateway/http/http_head.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "config/parse_host_port.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kHost = "Host: gw.test\r\n";

std::string post(std::string_view fields) {
  return "POST /mcp HTTP/1.1\r\n" + std::string(kHost) + std::string(fields) + "\r\n";
}

std::string with_line(std::string_view line) {
  return std::string(line) + "\r\nHost: a\r\n\r\n";
}

std::string many_fields(std::size_t count) {
  std::string fields;
  for (std::size_t i = 0; i < count; ++i)
    fields += "X-" + std::to_string(i) + ": v\r\n";
  return fields;
}

TEST(RequestHead, ReadsWhatAClientSends) {
  const std::string text =
      "POST /mcp?a=1?b HTTP/1.1\r\n"
      "Host: gw.test:8080\r\n"
      "Accept: application/json, text/event-stream\r\n"
      "content-TYPE:application/json\r\n"
      "Content-Length: 342\r\n"
      "Authorization: Bearer x.y.z\r\n"
      "MCP-Session-Id: \t s-1 \t \r\n"
      "Mcp-Protocol-Version: 2025-11-25\r\n"
      "Mcp-Param-City: Rome\r\n"
      "mcp-param-Zip: 00100\r\n"
      "Mcp-New: 1\r\n"
      "X-Note: a\tb \xFC\r\n"
      "X-Empty:\r\n"
      "Expect: 100-Continue\r\n"
      "\r\n";
  RequestHead head;
  const auto read = head.read(text);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(head.method(), HttpMethod::post);
  EXPECT_EQ(head.target(), "/mcp?a=1?b");
  EXPECT_EQ(head.path(), "/mcp");
  EXPECT_EQ(head.query(), "a=1?b");
  EXPECT_EQ(head.minor_version(), 1);
  EXPECT_EQ(head.size(), text.size());
  EXPECT_EQ(head.framing(), BodyFraming::content_length);
  EXPECT_EQ(head.content_length(), 342U);
  EXPECT_TRUE(head.keeps_alive());
  EXPECT_TRUE(head.expects_continue());
  EXPECT_FALSE(head.has_content_coding());
  EXPECT_EQ(head.host(), "gw.test:8080");
  EXPECT_EQ(head.find(KnownHeader::accept), "application/json, text/event-stream");
  EXPECT_EQ(head.find(KnownHeader::content_type), "application/json");
  EXPECT_EQ(head.find(KnownHeader::authorization), "Bearer x.y.z");
  EXPECT_EQ(head.find(KnownHeader::mcp_session_id), "s-1");
  EXPECT_EQ(head.find(KnownHeader::mcp_protocol_version), "2025-11-25");
  EXPECT_EQ(head.find(KnownHeader::mcp_param), "Rome");
  EXPECT_EQ(head.find(KnownHeader::mcp_other), "1");
  EXPECT_EQ(head.find(KnownHeader::origin), std::nullopt);
  EXPECT_TRUE(head.fields().lists(KnownHeader::accept, "text/event-stream"));
  EXPECT_EQ(head.fields().find("x-NOTE"), "a\tb \xFC");
  EXPECT_EQ(head.fields().find("x-empty"), "");
  EXPECT_EQ(head.fields().find("x-none"), std::nullopt);
  ASSERT_EQ(head.fields().all().size(), 13U);
  EXPECT_EQ(head.fields().all()[8].known, KnownHeader::mcp_param);
  EXPECT_EQ(head.fields().all()[8].name, "mcp-param-Zip");
}

TEST(RequestHead, RecognisesEveryKnownHeader) {
  const struct {
    std::string_view name;
    KnownHeader known;
  } cases[] = {
      {"Accept", KnownHeader::accept},
      {"Access-Control-Request-Headers", KnownHeader::access_control_request_headers},
      {"Access-Control-Request-Method", KnownHeader::access_control_request_method},
      {"Authorization", KnownHeader::authorization},
      {"Connection", KnownHeader::connection},
      {"Content-Encoding", KnownHeader::content_encoding},
      {"Content-Type", KnownHeader::content_type},
      {"Last-Event-ID", KnownHeader::last_event_id},
      {"Location", KnownHeader::location},
      {"MCP-METHOD", KnownHeader::mcp_method},
      {"mcp-name", KnownHeader::mcp_name},
      {"MCP-Protocol-Version", KnownHeader::mcp_protocol_version},
      {"Mcp-Session-Id", KnownHeader::mcp_session_id},
      {"Origin", KnownHeader::origin},
      {"Sec-WebSocket-Key", KnownHeader::sec_websocket_key},
      {"Sec-WebSocket-Protocol", KnownHeader::sec_websocket_protocol},
      {"Sec-WebSocket-Version", KnownHeader::sec_websocket_version},
      {"traceparent", KnownHeader::traceparent},
      {"tracestate", KnownHeader::tracestate},
      {"Upgrade", KnownHeader::upgrade},
      {"WWW-Authenticate", KnownHeader::www_authenticate},
      {"Mcp-Param-", KnownHeader::mcp_param},
      {"Mcp-Param", KnownHeader::mcp_other},
      {"Mcp-", KnownHeader::mcp_other},
      {"Mcp", KnownHeader::other},
      {"Mcp_Name", KnownHeader::other},
      {"Mcp-Nam", KnownHeader::mcp_other},
      {"0rigin", KnownHeader::other},
      {"Access-Control-Request-Headers-X", KnownHeader::other},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text = post(std::string(c.name) + ": v\r\n");
    ASSERT_TRUE(head.read(text));
    EXPECT_EQ(head.fields().all()[1].known, c.known);
    EXPECT_EQ(head.find(c.known), "v");
  }
}

TEST(RequestHead, TellsMethodsApart) {
  const struct {
    std::string_view text;
    HttpMethod method;
  } cases[] = {
      {"GET", HttpMethod::get},        {"POST", HttpMethod::post},
      {"DELETE", HttpMethod::delete_}, {"OPTIONS", HttpMethod::options},
      {"HEAD", HttpMethod::head},      {"PUT", HttpMethod::put},
      {"PATCH", HttpMethod::patch},    {"post", HttpMethod::other},
      {"M-SEARCH", HttpMethod::other},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const std::string text = with_line(std::string(c.text) + " / HTTP/1.1");
    ASSERT_TRUE(head.read(text));
    EXPECT_EQ(head.method(), c.method);
    EXPECT_EQ(head.framing(), BodyFraming::none);
  }
}

TEST(RequestHead, RefusesRequestLines) {
  const struct {
    std::string_view name;
    std::string head;
    ErrorCode want;
  } cases[] = {
      {"an empty line in front", "\r\n" + with_line("GET / HTTP/1.1"), ErrorCode::http_syntax},
      {"no version", with_line("GET /"), ErrorCode::http_syntax},
      {"nothing but a method", with_line("GET"), ErrorCode::http_syntax},
      {"http/0.9", with_line("GET / HTTP/0.9"), ErrorCode::http_version},
      {"http/2", with_line("GET / HTTP/2.0"), ErrorCode::http_version},
      {"http/1.2", with_line("GET / HTTP/1.2"), ErrorCode::http_version},
      {"lower-case protocol", with_line("GET / http/1.1"), ErrorCode::http_syntax},
      {"short version", with_line("GET / HTTP/1"), ErrorCode::http_syntax},
      {"long version", with_line("GET / HTTP/1.10"), ErrorCode::http_syntax},
      {"blank behind the version", with_line("GET / HTTP/1.1 "), ErrorCode::http_syntax},
      {"two blanks in front of the target", with_line("GET  / HTTP/1.1"), ErrorCode::http_syntax},
      {"two blanks behind the target", with_line("GET /  HTTP/1.1"), ErrorCode::http_syntax},
      {"a tab for a blank", with_line("GET\t/ HTTP/1.1"), ErrorCode::http_syntax},
      {"a blank in front", with_line(" GET / HTTP/1.1"), ErrorCode::http_syntax},
      {"a method that is not a token", with_line("G(T / HTTP/1.1"), ErrorCode::http_syntax},
      {"a nul in the method", with_line("G\0T / HTTP/1.1"s), ErrorCode::http_syntax},
      {"absolute form", with_line("GET http://a/ HTTP/1.1"), ErrorCode::http_syntax},
      {"authority form", with_line("CONNECT a:443 HTTP/1.1"), ErrorCode::http_syntax},
      {"star for get", with_line("GET * HTTP/1.1"), ErrorCode::http_syntax},
      {"star and more", with_line("OPTIONS *a HTTP/1.1"), ErrorCode::http_syntax},
      {"a relative path", with_line("GET mcp HTTP/1.1"), ErrorCode::http_syntax},
      {"a fragment", with_line("GET /a#b HTTP/1.1"), ErrorCode::http_syntax},
      {"utf-8 in the target", with_line("GET /\xC3\xA9 HTTP/1.1"), ErrorCode::http_syntax},
      {"a nul in the target", with_line("GET /\0 HTTP/1.1"s), ErrorCode::http_syntax},
      {"del in the target", with_line("GET /\x7F HTTP/1.1"), ErrorCode::http_syntax},
      {"a long target", with_line("GET /" + std::string(limits::uri_bytes_max, 'a') + " HTTP/1.1"),
       ErrorCode::http_limit},
      {"a lone cr in the line", with_line("GET /\r HTTP/1.1"), ErrorCode::http_syntax},
      {"no line end", "GET / HTTP/1.1", ErrorCode::http_syntax},
      {"nothing", "", ErrorCode::http_syntax},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto read = head.read(c.head);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, c.want) << read.error().detail;
    EXPECT_EQ(read.error().fault, Fault::client);
  }
}

TEST(RequestHead, JudgesFields) {
  constexpr auto kSyntax = ErrorCode::http_syntax;
  constexpr auto kFraming = ErrorCode::http_framing;
  const struct {
    std::string_view name;
    std::string fields;
    std::optional<ErrorCode> want;
    std::string_view detail = {};
  } cases[] = {
      {"no more fields", "", {}},
      {"a folded line", "X: a\r\n b: c\r\n", kSyntax, "a folded line after: X"},
      {"a line folded by a tab", "X: a\r\n\tb\r\n", kSyntax, "a folded line after: X"},
      {"a blank line that is folded", "X: a\r\n \r\n", kSyntax, "a folded line after: X"},
      {"a blank before the colon", "X : a\r\n", kSyntax, "a blank in or after header name: X"},
      {"a tab before the colon", "X\t: a\r\n", kSyntax, "a blank in or after header name: X"},
      {"an empty name", ": a\r\n", kSyntax, "an empty header name"},
      {"no colon", "Xa\r\n", kSyntax, "a cr or lf that ends no header line"},
      {"a name that is not a token", "X@a: b\r\n", kSyntax, "a header name is not a token: X"},
      {"a name that is not ASCII", "X\xC3\xA9: b\r\n", kSyntax, "a header name is not a token: X"},
      {"a cr in a known name", "Content\rLength: 3\r\n", kSyntax,
       "a cr or lf that ends no header line"},
      {"a lone lf behind a value", "X: a\nY: b\r\n", kSyntax,
       "a cr or lf that ends no header line"},
      {"a lone lf in front of a value", "X:\na\r\n", kSyntax,
       "a cr or lf that ends no header line"},
      {"a lone cr in a value", "X: a\rb\r\n", kSyntax, "a cr or lf that ends no header line"},
      {"two crs", "X: a\r\r\n", kSyntax, "a cr or lf that ends no header line"},
      {"a nul in a value", "X: a\0b\r\n"s, kSyntax, "a control character in header: X"},
      {"an escape in a long value", "X: 01234567890123456789\x1B\r\n", kSyntax,
       "a control character in header: X"},
      {"del in a value", "X: 0123456\x7F\r\n", kSyntax, "a control character in header: X"},
      {"a vertical tab for a blank", "X:\va\r\n", kSyntax, "a control character in header: X"},
      {"tabs inside a value", "X: 0\t1234567\t\t\t\t\t\t\t\t\t8\r\n", {}},
      {"every byte that may stand", "X: !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\x80\xFF\r\n", {}},
      {"every token byte", "!#$%&'*+-.^_`|~09azAZ: v\r\n", {}},
      {"non-ascii in an mcp value", "Mcp-Name: \xC3\xA9\r\n", kSyntax,
       "a non-ascii byte in header: Mcp-Name"},
      {"non-ascii in a mirrored argument", "Mcp-Param-A: \xFF\r\n", kSyntax,
       "a non-ascii byte in header: Mcp-Param-A"},
      {"a second host", "HOST: gw.test\r\n", kFraming, "a repeated header: HOST"},
      {"a coding with an underscore", "Transfer_Encoding: chunked\r\n", kFraming,
       "a header like a framing one: Transfer_Encoding"},
      {"a length with an underscore", "CONTENT_length: 5\r\n", kFraming,
       "a header like a framing one: CONTENT_length"},
      {"a second length", "Content-Length: 1\r\nContent-length: 1\r\n", kFraming,
       "a repeated header: Content-length"},
      {"a second authorization", "Authorization: a\r\nauthorization: b\r\n", kSyntax,
       "a repeated header: authorization"},
      {"a second type", "Content-Type: a\r\nContent-Type: a\r\n", kSyntax,
       "a repeated header: Content-Type"},
      {"a second origin", "Origin: a\r\norigin: a\r\n", kSyntax, "a repeated header: origin"},
      {"a second mcp method", "Mcp-Method: a\r\nmcp-method: a\r\n", kSyntax,
       "a repeated header: mcp-method"},
      {"a second session", "Mcp-Session-Id: a\r\nMCP-SESSION-ID: b\r\n", kSyntax,
       "a repeated header: MCP-SESSION-ID"},
      {"a second mirrored argument", "Mcp-Param-A: 1\r\nMcp-Param-B: 1\r\nMcp-Param-a: 1\r\n",
       kSyntax, "a repeated header: Mcp-Param-a"},
      {"a second unknown mcp header", "Mcp-New: 1\r\nmcp-new: 1\r\n", kSyntax,
       "a repeated header: mcp-new"},
      {"two mirrored arguments", "Mcp-Param-A: 1\r\nMcp-Param-B: 1\r\n", {}},
      {"lists may repeat", "Accept: a\r\nAccept: b\r\nX: 1\r\nX: 2\r\n", {}},
      {"as many fields as may be", many_fields(limits::header_fields_max - 1), {}},
      {"one field too many", many_fields(limits::header_fields_max), ErrorCode::http_limit,
       "too many header fields"},
      {"another expectation", "Expect: 200-ok\r\n", kSyntax, "expect is not 100-continue"},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text = post(c.fields);
    const auto read = head.read(text);
    ASSERT_EQ(read.has_value(), !c.want) << (read ? "accepted" : read.error().detail);
    if (!c.want) continue;
    EXPECT_EQ(read.error().code, *c.want);
    EXPECT_EQ(read.error().detail, c.detail);
  }
}

TEST(RequestHead, JudgesTheEndOfTheSection) {
  const struct {
    std::string_view name;
    std::string text;
  } cases[] = {
      {"no empty line", "GET / HTTP/1.1\r\nHost: a\r\n"},
      {"half an empty line", "GET / HTTP/1.1\r\nHost: a\r\n\r"},
      {"bytes behind the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\r\nX: a\r\n"},
      {"a cr that begins a line", "GET / HTTP/1.1\r\nHost: a\r\n\rX: a\r\n\r\n"},
      {"only a request line", "GET / HTTP/1.1\r\n"},
      {"a line that never ends", "GET / HTTP/1.1\r\nHost: a\r\nX: 12345678"},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    // An exact allocation, so that a read past the end is a sanitizer's finding.
    const auto exact = std::make_unique<char[]>(c.text.size());
    c.text.copy(exact.get(), c.text.size());
    const auto read = head.read({exact.get(), c.text.size()});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::http_syntax);
  }
}

TEST(RequestHead, JudgesHost) {
  const struct {
    std::string_view host;
    bool want;
  } cases[] = {
      {"gw.test", true},
      {"gw.test:8080", true},
      {"127.0.0.1:1", true},
      {"a_b-c.test:65535", true},
      {"[::1]", true},
      {"[::ffff:127.0.0.1]:80", true},
      {"", false},
      {":80", false},
      {"gw.test:", false},
      {"gw.test:0", false},
      {"gw.test:65536", false},
      {"gw.test:123456", false},
      {"gw.test:8o", false},
      {"user@gw.test", false},
      {"gw.test/mcp", false},
      {"gw test", false},
      {"gw.test,evil", false},
      {"gw%2etest", false},
      {"g\xC3\xA9.test", false},
      {"[::1", false},
      {"[]", false},
      {"[::g]", false},
      {"[::1]80", false},
      {"::1", false},
      {"http://gw.test", false},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.host);
    EXPECT_EQ(is_host(c.host), c.want);
    const std::string text = "GET / HTTP/1.1\r\nHost: " + std::string(c.host) + "\r\n\r\n";
    EXPECT_EQ(head.read(text).has_value(), c.want);
  }
  EXPECT_FALSE(is_host(std::string(256, 'a')));
  EXPECT_FALSE(head.read("GET / HTTP/1.1\r\n\r\n"));
  ASSERT_TRUE(head.read("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(head.host(), "");
  EXPECT_FALSE(head.read("GET / HTTP/1.0\r\nHost:\r\n\r\n"));
}

TEST(RequestHead, JudgesFraming) {
  const struct {
    std::string_view name;
    std::string_view version;
    std::string fields;
    std::optional<BodyFraming> want;
    std::uint64_t length = 0;
  } cases[] = {
      {"nothing", "1.1", "", BodyFraming::none},
      {"a length", "1.1", "Content-Length: 5\r\n", BodyFraming::content_length, 5},
      {"leading zeroes", "1.1", "Content-Length: 005\r\n", BodyFraming::content_length, 5},
      {"a length of 0", "1.0", "Content-Length: 0\r\n", BodyFraming::content_length, 0},
      {"the longest length", "1.1", "Content-Length: 18446744073709551615\r\n",
       BodyFraming::content_length, 18446744073709551615U},
      {"one more", "1.1", "Content-Length: 18446744073709551616\r\n", {}},
      {"ten times as much", "1.1", "Content-Length: 184467440737095516150\r\n", {}},
      {"an empty length", "1.1", "Content-Length: \r\n", {}},
      {"a signed length", "1.1", "Content-Length: +5\r\n", {}},
      {"a negative length", "1.1", "Content-Length: -5\r\n", {}},
      {"a hex length", "1.1", "Content-Length: 0x5\r\n", {}},
      {"a list of equal lengths", "1.1", "Content-Length: 5, 5\r\n", {}},
      {"a length with a blank inside", "1.1", "Content-Length: 5 5\r\n", {}},
      {"chunks", "1.1", "Transfer-Encoding: chunked\r\n", BodyFraming::chunked},
      {"chunks with blanks around", "1.1", "Transfer-Encoding: \t chunked \r\n",
       BodyFraming::chunked},
      {"chunks in http/1.0", "1.0", "Transfer-Encoding: chunked\r\n", {}},
      {"chunks in other case", "1.1", "Transfer-Encoding: Chunked\r\n", {}},
      {"quoted chunks", "1.1", "Transfer-Encoding: \"chunked\"\r\n", {}},
      {"two codings", "1.1", "Transfer-Encoding: gzip, chunked\r\n", {}},
      {"chunks twice", "1.1", "Transfer-Encoding: chunked, chunked\r\n", {}},
      {"chunks in two fields",
       "1.1",
       "Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n",
       {}},
      {"identity", "1.1", "Transfer-Encoding: identity\r\n", {}},
      {"an empty coding", "1.1", "Transfer-Encoding:\r\n", {}},
      {"both", "1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", {}},
      {"both in the other order", "1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", {}},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text =
        "POST / HTTP/" + std::string(c.version) + "\r\nHost: a\r\n" + c.fields + "\r\n";
    const auto read = head.read(text);
    ASSERT_EQ(read.has_value(), c.want.has_value());
    if (!c.want) {
      EXPECT_EQ(read.error().code, ErrorCode::http_framing);
      continue;
    }
    EXPECT_EQ(head.framing(), *c.want);
    EXPECT_EQ(head.content_length(), c.length);
  }
}

TEST(RequestHead, KnowsWhatFollows) {
  const struct {
    std::string_view version;
    std::string_view fields;
    bool keeps_alive;
  } cases[] = {
      {"1.1", "", true},
      {"1.1", "Connection: close\r\n", false},
      {"1.1", "Connection: Keep-Alive, Close\r\n", false},
      {"1.1", "Connection: x\r\nConnection: ,close\t,\r\n", false},
      {"1.1", "Connection: closed\r\n", true},
      {"1.1", "Connection:\r\n", true},
      {"1.0", "", false},
      {"1.0", "Connection: Keep-Alive\r\n", true},
      {"1.0", "Connection: keep-alive, close\r\n", false},
      {"1.0", "Connection: upgrade\r\n", false},
  };
  RequestHead head;
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.version) + " " + std::string(c.fields));
    const std::string text =
        "GET / HTTP/" + std::string(c.version) + "\r\nHost: a\r\n" + std::string(c.fields) + "\r\n";
    ASSERT_TRUE(head.read(text));
    EXPECT_EQ(head.keeps_alive(), c.keeps_alive);
  }
}

TEST(RequestHead, ReportsCodingsAndUpgrades) {
  RequestHead head;
  ASSERT_TRUE(head.read(post("Content-Encoding: Identity\r\n")));
  EXPECT_FALSE(head.has_content_coding());
  ASSERT_TRUE(head.read(post("Content-Encoding: identity\r\nContent-Encoding: gzip\r\n")));
  EXPECT_TRUE(head.has_content_coding());
  const std::string upgrade = post("Connection: Upgrade\r\nUpgrade: h2c, WebSocket\r\n");
  ASSERT_TRUE(head.read(upgrade));
  EXPECT_TRUE(head.fields().lists(KnownHeader::upgrade, "websocket"));
  EXPECT_TRUE(head.fields().lists(KnownHeader::connection, "upgrade"));
  EXPECT_FALSE(head.fields().lists(KnownHeader::upgrade, "web"));
  ASSERT_TRUE(head.read("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(head.expects_continue());
}

TEST(RequestHead, ForgetsTheRequestBefore) {
  RequestHead head;
  ASSERT_TRUE(
      head.read(post("Content-Length: 9\r\nOrigin: a\r\nExpect: 100-continue\r\n"
                     "Content-Encoding: gzip\r\nConnection: close\r\n")));
  ASSERT_TRUE(head.read(post("")));
  EXPECT_EQ(head.framing(), BodyFraming::none);
  EXPECT_EQ(head.content_length(), 0U);
  EXPECT_FALSE(head.has(KnownHeader::origin));
  EXPECT_FALSE(head.expects_continue());
  EXPECT_FALSE(head.has_content_coding());
  EXPECT_TRUE(head.keeps_alive());
  EXPECT_EQ(head.fields().all().size(), 1U);
}

TEST(RequestHead, RefusesAHeadOverTheBound) {
  RequestHead head;
  const std::size_t rest = post("X: \r\n").size();
  EXPECT_TRUE(head.read(post("X: " + std::string(limits::head_bytes_max - rest, 'a') + "\r\n")));
  const auto read =
      head.read(post("X: " + std::string(limits::head_bytes_max - rest + 1, 'a') + "\r\n"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::http_limit);
}

TEST(FindHeadEnd, FindsItWhereverReadsEnd) {
  const std::string text = post("X: a\r\nContent-Length: 4\r\n");
  const std::string buffer = text + "\r\n\r\n";
  for (std::size_t split = 0; split <= buffer.size(); ++split) {
    SCOPED_TRACE(split);
    const auto first = find_head_end(std::string_view(buffer).substr(0, split), 0, Fault::client);
    ASSERT_TRUE(first);
    EXPECT_EQ(*first, split < text.size() ? 0 : text.size());
    if (split >= text.size()) continue;
    const auto second = find_head_end(buffer, split, Fault::client);
    ASSERT_TRUE(second);
    EXPECT_EQ(*second, text.size());
  }
}

TEST(FindHeadEnd, FindsItByteByByte) {
  const std::string text = post("X: a\r\n");
  for (std::size_t size = 1; size <= text.size(); ++size) {
    const auto end = find_head_end(std::string_view(text).substr(0, size), size - 1, Fault::client);
    ASSERT_TRUE(end);
    EXPECT_EQ(*end, size < text.size() ? 0 : size);
  }
}

TEST(FindHeadEnd, GivesUpEarly) {
  const std::string long_text(limits::head_bytes_max, 'a');
  const struct {
    std::string_view name;
    std::string buffer;
    std::optional<ErrorCode> want;
  } cases[] = {
      {"nothing yet", "", {}},
      {"a cr may be followed", "GET / HTTP/1.1\r", {}},
      {"lfs alone", "GET / HTTP/1.1\nHost: a\n\n", ErrorCode::http_syntax},
      {"a lf in front", "\n", ErrorCode::http_syntax},
      {"a cr alone", "GET / HTTP/1.1\rHost", ErrorCode::http_syntax},
      {"two crs", "GET / HTTP/1.1\r\r", ErrorCode::http_syntax},
      {"a nul", "GET /\0"s, ErrorCode::http_syntax},
      {"a tls client", "\x16\x03\x01\x02\x00"s, ErrorCode::http_syntax},
      {"one byte of room", long_text.substr(1), {}},
      {"no more room", long_text, ErrorCode::http_limit},
      {"an end behind the room", long_text + "\r\n\r\n", ErrorCode::http_limit},
      {"an end that fills the room", long_text.substr(4) + "\r\n\r\n", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto end = find_head_end(c.buffer, 0, Fault::client);
    ASSERT_EQ(end.has_value(), !c.want);
    if (c.want) {
      EXPECT_EQ(end.error().code, *c.want);
    }
  }
}

TEST(FindHeadEnd, KnowsAHandshakeOfTlsWhenItSeesOne) {
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00", 7);
  const auto end = find_head_end(hello, 0, Fault::client);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().detail, "this is tls, where plain http is spoken");
}

TEST(FindHeadEnd, JudgesALineEndThatTwoReadsShare) {
  EXPECT_TRUE(find_head_end("GET / HTTP/1.1\r\n", 15, Fault::client));
  EXPECT_FALSE(find_head_end("GET / HTTP/1.1\rX", 15, Fault::client));
  EXPECT_FALSE(find_head_end("GET / HTTP/1.1\r\n\nX", 16, Fault::client));
}

}  // namespace
}  // namespace bartizan
