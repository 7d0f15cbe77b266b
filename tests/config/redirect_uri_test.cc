#include "config/redirect_uri.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

constexpr std::string_view kNoApplication = "has a scheme that leads to no application of its own";

TEST(RedirectUri, IsJudged) {
  const struct {
    std::string_view name;
    std::string_view uri;
    std::string_view fault;
  } rows[] = {
      {"Claude", "https://claude.ai/api/mcp/auth_callback", ""},
      {"Claude's other name", "https://claude.com/api/mcp/auth_callback", ""},
      {"VS Code on loopback", "http://127.0.0.1:33418/", ""},
      {"VS Code on the web", "https://vscode.dev/redirect", ""},
      {"Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", ""},
      {"a reverse name", "com.example.app:/oauth", ""},
      {"IPv6", "http://[::1]:8080/cb", ""},
      {"localhost", "http://localhost/cb", ""},
      {"a query", "https://a.example/cb?x=1", ""},
      {"without TLS", "http://a.example/cb", "is http:// and not on 127.0.0.1, [::1] or localhost"},
      {"a loopback name in front", "http://127.0.0.1.evil.example/cb",
       "is http:// and not on 127.0.0.1, [::1] or localhost"},
      {"a loopback name as user", "http://127.0.0.1@evil.example/cb",
       "is http:// and not on 127.0.0.1, [::1] or localhost"},
      {"a loopback name in brackets", "http://[::1].evil.example/cb",
       "is http:// and not on 127.0.0.1, [::1] or localhost"},
      {"user and password", "https://a:b@evil.example/cb",
       "is not a URL without user name and password"},
      {"a fragment", "https://a.example/cb#x", "has a fragment"},
      {"script", "javascript:alert(1)", kNoApplication},
      {"script with a host", "javascript://a.example/%0aalert(1)", kNoApplication},
      {"data", "data:text/html,x", kNoApplication},
      {"a file", "file:///etc/passwd", kNoApplication},
      {"a blob", "blob:https://a.example/x", kNoApplication},
      {"a WebSocket", "ws://127.0.0.1/cb", kNoApplication},
      {"letter case", "HTTPS://a.example/cb", "has no scheme in lower case"},
      {"no scheme", "//a.example/cb", "has no scheme in lower case"},
      {"no host", "cursor:///cb", "names no application"},
      {"no dot", "cursor:/cb", "names no application"},
      {"a backslash", "https://a.example\\@evil.example/",
       "holds characters that a URI has escaped"},
      {"a blank", "https://a.example/c b", "holds characters that a URI has escaped"},
      {"a line end", "https://a.example/cb\r\nX: y", "holds characters that a URI has escaped"},
      {"nothing", "", "is longer than 2048 bytes, or empty"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(find_redirect_fault(row.uri), row.fault) << row.name;
  EXPECT_EQ(find_redirect_fault("https://a.example/" + std::string(2048, 'a')),
            "is longer than 2048 bytes, or empty");
}

TEST(RedirectUri, IsComparedByteForByteButForALoopbackPort) {
  const struct {
    std::string_view name;
    std::string_view registered;
    std::string_view asked;
    bool same;
  } rows[] = {
      {"the same", "https://a.example/cb", "https://a.example/cb", true},
      {"another path", "https://a.example/cb", "https://a.example/cb/", false},
      {"a query more", "https://a.example/cb", "https://a.example/cb?x", false},
      {"another port", "https://a.example/cb", "https://a.example:444/cb", false},
      {"another port on loopback", "http://127.0.0.1/cb", "http://127.0.0.1:5123/cb", true},
      {"… of two", "http://localhost:1/cb", "http://localhost:2/cb", true},
      {"another loopback host", "http://localhost/cb", "http://127.0.0.1/cb", false},
      {"another path on loopback", "http://127.0.0.1/cb", "http://127.0.0.1:5123/x", false},
      {"a port that is none", "http://127.0.0.1/cb", "http://127.0.0.1:5123@evil/cb", false},
      {"TLS on loopback", "http://127.0.0.1/cb", "https://127.0.0.1/cb", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(is_same_redirect(row.registered, row.asked), row.same) << row.name;
}

}  // namespace
}  // namespace bartizan
