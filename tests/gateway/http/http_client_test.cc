#include "gateway/http/http_client.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

TEST(ParseServerUrl, SplitsWhatIsOne) {
  const struct {
    std::string_view url;
    bool tls;
    std::string_view host;
    std::string_view port;
    std::string_view target;
    std::string_view authority;
  } cases[] = {
      {"http://h", false, "h", "80", "/", "h"},
      {"https://h", true, "h", "443", "/", "h"},
      {"http://h/", false, "h", "80", "/", "h"},
      {"http://h/mcp?x=1", false, "h", "80", "/mcp?x=1", "h"},
      {"http://h?x=1", false, "h", "80", "/?x=1", "h"},
      {"http://h?x=/y", false, "h", "80", "/?x=/y", "h"},
      {"http://h:8080/mcp", false, "h", "8080", "/mcp", "h:8080"},
      {"http://h:80", false, "h", "80", "/", "h"},
      {"http://h:443", false, "h", "443", "/", "h:443"},
      {"https://h:443", true, "h", "443", "/", "h"},
      {"https://h:80", true, "h", "80", "/", "h:80"},
      {"http://127.0.0.1:9", false, "127.0.0.1", "9", "/", "127.0.0.1:9"},
      {"http://[::1]", false, "::1", "80", "/", "[::1]"},
      {"http://[::1]:9/mcp", false, "::1", "9", "/mcp", "[::1]:9"},
      {"https://[2001:db8::1]/a:b@c", true, "2001:db8::1", "443", "/a:b@c", "[2001:db8::1]"},
      {"http://h//x/../y", false, "h", "80", "//x/../y", "h"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.url);
    const auto url = parse_server_url(c.url);
    ASSERT_TRUE(url.has_value()) << url.error().detail;
    EXPECT_EQ(url->tls, c.tls);
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->target, c.target);
    EXPECT_EQ(url->authority(), c.authority);
  }
}

TEST(ParseServerUrl, RefusesEverythingElse) {
  const struct {
    std::string_view name;
    std::string url;
    std::string_view reason;
  } cases[] = {
      {"nothing", "", "begins with"},
      {"no scheme", "h/mcp", "begins with"},
      {"another scheme", "ftp://h", "begins with"},
      {"a socket", "unix:///x", "begins with"},
      {"the scheme in upper case", "HTTP://h", "begins with"},
      {"one slash", "http:/h", "begins with"},
      {"no host", "http://", "host"},
      {"no host but a path", "http:///mcp", "host"},
      {"no host but a port", "http://:80", "host"},
      {"user information", "http://user@h", "host"},
      {"user and password", "http://user:pass@h", "host"},
      {"user information that looks like a host", "http://good.example:80@evil.example", "host"},
      {"a fragment", "http://h/#x", "fragment"},
      {"a fragment behind the host", "http://h#@evil.example", "fragment"},
      {"an empty port", "http://h:", "host"},
      {"a port that is none", "http://h:x", "host"},
      {"a port that is too large", "http://h:65536", "host"},
      {"a negative port", "http://h:-1", "host"},
      {"two ports", "http://h:1:2", "host"},
      {"an address without brackets", "http://::1", "host"},
      {"an open bracket", "http://[::1", "host"},
      {"text behind the bracket", "http://[::1]x", "host"},
      {"an empty bracket", "http://[]", "host"},
      {"a zone", "http://[fe80::1%25eth0]", "host"},
      {"an octal address", "http://0177.0.0.1", "host"},
      {"a short address", "http://127.1", "host"},
      {"a space in the host", "http://a b", "host"},
      {"a backslash", R"(http://h\@evil.example)", "host"},
      {"a percent sign in the host", "http://h%2f", "host"},
      // These would end the request line and begin another field.
      {"a line end in the path", "http://h/x\r\nHost: evil", "character"},
      {"a space in the path", "http://h/x HTTP/1.1", "character"},
      {"a NUL in the path", std::string("http://h/x\0y", 12), "character"},
      {"a letter beyond ASCII in the path", "http://h/\xc3\xa9", "character"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto url = parse_server_url(c.url);
    ASSERT_FALSE(url.has_value()) << url->host << " " << url->target;
    EXPECT_EQ(error_text(url.error().code), error_text(ErrorCode::config_invalid));
    EXPECT_NE(url.error().detail.find(c.reason), std::string::npos) << url.error().detail;
    EXPECT_EQ(url.error().detail.find("pass"), std::string::npos);
  }
}

}  // namespace
}  // namespace bartizan
