#include "gateway/console/check_console.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "gateway/identity/check_source.h"

namespace bartizan {
namespace {

ConsoleConfig on_loopback() {
  return {.address = {.host = "127.0.0.1", .port = 9301},
          .roles = {"operator"},
          .allowed_hosts = {"console.example"},
          .allowed_origins = {"https://console.example"}};
}

/// The form that a browser sends, and one line in the place of another.
std::string form(std::string_view instead_of = "", std::string_view line = "") {
  std::string head =
      "POST /release HTTP/1.1\r\nHost: 127.0.0.1:9301\r\nOrigin: http://127.0.0.1:9301\r\n"
      "Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      "Content-Length: 10\r\n\r\n";
  if (instead_of.empty()) return head;
  const std::size_t begin = head.find(instead_of);
  const std::size_t end = head.find("\r\n", begin) + 2;
  EXPECT_NE(begin, head.npos) << instead_of;
  return head.replace(begin, end - begin, line.empty() ? "" : std::string(line) + "\r\n");
}

/// `STATUS reason`, or `fine`.
std::string judge(const std::string& request, bool is_encrypted = false) {
  RequestHead head;
  EXPECT_TRUE(head.read(request).has_value()) << request;
  const auto flaw = find_console_flaw(on_loopback(), head, is_encrypted);
  if (!flaw.has_value()) return "fine";
  EXPECT_FALSE(flaw->why.empty());
  std::string judged = std::to_string(flaw->status);
  if (flaw->reason != Reason::none) judged += " " + std::string(text(flaw->reason));
  return judged + (flaw->allow.empty() ? "" : " " + std::string(flaw->allow));
}

TEST(CheckConsole, TakesFormsOfItsOwnPagesOnly) {
  const struct {
    std::string_view name, instead_of, line;
    std::string want;
    bool is_encrypted = false;
  } cases[] = {
      {"as a browser sends it", "", "", "fine"},
      {"a browser without fetch metadata", "Sec-Fetch-Site", "", "fine"},
      {"another name of loopback, and no Origin of it", "Host:", "Host: localhost:9301",
       "403 origin_not_allowed"},
      {"no Origin", "Origin", "", "403 origin_not_allowed"},
      {"Origin null", "Origin", "Origin: null", "403 origin_not_allowed"},
      {"another port", "Origin", "Origin: http://127.0.0.1:3000", "403 origin_not_allowed"},
      {"no port", "Origin", "Origin: http://127.0.0.1", "403 origin_not_allowed"},
      {"another scheme", "Origin", "Origin: https://127.0.0.1:9301", "403 origin_not_allowed"},
      {"another site", "Origin", "Origin: http://evil.example", "403 origin_not_allowed"},
      {"a site that begins so", "Origin", "Origin: http://127.0.0.1:9301.evil.example",
       "403 origin_not_allowed"},
      {"an Origin with a path", "Origin", "Origin: http://127.0.0.1:9301/",
       "403 origin_not_allowed"},
      {"a proxy's", "Origin", "Origin: https://console.example", "fine"},
      {"a proxy's with another port", "Origin", "Origin: https://console.example:1",
       "403 origin_not_allowed"},
      {"plain HTTP where there is TLS", "", "", "403 origin_not_allowed", true},
      {"TLS", "Origin", "Origin: https://127.0.0.1:9301", "fine", true},
      {"a sibling site", "Sec-Fetch-Site", "Sec-Fetch-Site: same-site", "403 origin_not_allowed"},
      {"another site, says the browser", "Sec-Fetch-Site", "Sec-Fetch-Site: cross-site",
       "403 origin_not_allowed"},
      {"two sites", "Sec-Fetch-Site", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: same-origin",
       "403 origin_not_allowed"},
      {"JSON", "Content-Type", "Content-Type: application/json", "415"},
      {"no type", "Content-Type", "", "415"},
      {"a type that begins so", "Content-Type", "Content-Type: application/x-www-form-urlencoded2",
       "415"},
      {"text, as forms may be without a question", "Content-Type", "Content-Type: text/plain",
       "415"},
      {"a coding", "Content-Type",
       "Content-Type: application/x-www-form-urlencoded\r\nContent-Encoding: gzip", "415"},
      {"chunks", "Content-Length", "Transfer-Encoding: chunked", "411"},
      {"no length", "Content-Length", "", "411"},
      {"the longest", "Content-Length", "Content-Length: 4096", "fine"},
      {"longer", "Content-Length", "Content-Length: 4097", "413 http_too_large"},
      {"DNS rebinding", "Host:", "Host: evil.example:9301", "403 host_not_allowed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(form(c.instead_of, c.line), c.is_encrypted), c.want);
  }
}

TEST(CheckConsole, TakesJsonOfPrograms) {
  const struct {
    std::string_view name, lines;
    std::string want;
  } cases[] = {
      {"as a program sends it", "Content-Type: application/json\r\nContent-Length: 10\r\n", "fine"},
      {"from the console's own page",
       "Content-Type: application/json\r\nContent-Length: 10\r\n"
       "Origin: http://127.0.0.1:9301\r\nSec-Fetch-Site: same-origin\r\n",
       "fine"},
      {"from another site",
       "Content-Type: application/json\r\nContent-Length: 10\r\nOrigin: http://evil.example\r\n",
       "403 origin_not_allowed"},
      {"from another site, says the browser",
       "Content-Type: application/json\r\nContent-Length: 10\r\nSec-Fetch-Site: cross-site\r\n",
       "403 origin_not_allowed"},
      {"a form", "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n",
       "415"},
      {"text, as forms may be without a question",
       "Content-Type: text/plain\r\nContent-Length: 10\r\n", "415"},
      {"no type", "Content-Length: 10\r\n", "415"},
      {"no length", "Content-Type: application/json\r\n", "411"},
      {"longer than the longest", "Content-Type: application/json\r\nContent-Length: 4097\r\n",
       "413 http_too_large"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge("POST /api/approvals/019ad000-0000-7000-8000-000000000001 HTTP/1.1\r\n"
                    "Host: 127.0.0.1:9301\r\n" +
                    std::string(c.lines) + "\r\n"),
              c.want);
  }
}

TEST(CheckConsole, KnowsItsNamesPlacesAndMethods) {
  const struct {
    std::string_view name, line, host;
    std::string want;
    std::string_view more = "";
  } cases[] = {
      {"the first page", "GET /", "127.0.0.1:9301", "fine"},
      {"its head", "HEAD /", "127.0.0.1:9301", "fine"},
      {"with a query", "GET /?x=1", "127.0.0.1:9301", "fine"},
      {"by another name of loopback", "GET /quarantine", "localhost:9301", "fine"},
      {"through a tunnel", "GET /", "localhost:19301", "fine"},
      {"by a name of its own", "GET /sign-in", "console.example", "fine"},
      {"the style", "GET /console.css", "[::1]:9301", "fine"},
      {"DNS rebinding", "GET /", "evil.example", "403 host_not_allowed"},
      {"… with its port", "GET /", "evil.example:9301", "403 host_not_allowed"},
      {"a name that begins so", "GET /", "127.0.0.1.evil.example", "403 host_not_allowed"},
      {"another page", "GET /metrics", "127.0.0.1:9301", "404"},
      {"a page below", "GET /release/", "127.0.0.1:9301", "404"},
      {"an escaped page", "GET /%72elease", "127.0.0.1:9301", "404"},
      {"a release by GET", "GET /release", "127.0.0.1:9301", "405 POST"},
      {"a release by HEAD", "HEAD /release", "127.0.0.1:9301", "405 POST"},
      {"a way out by GET", "GET /sign-out", "127.0.0.1:9301", "405 POST"},
      {"a form to a page", "POST /", "127.0.0.1:9301", "405 GET, HEAD"},
      {"another method", "DELETE /sign-in", "127.0.0.1:9301", "405 GET, HEAD, POST"},
      {"a preflight", "OPTIONS /release", "127.0.0.1:9301", "405 POST"},
      {"approvals", "GET /approvals", "127.0.0.1:9301", "fine"},
      {"one approval", "GET /approvals/019ad000-0000-7000-8000-000000000001", "127.0.0.1:9301",
       "fine"},
      {"an id that is none", "GET /approvals/..", "127.0.0.1:9301", "404"},
      {"an id in capitals", "GET /approvals/019AD000-0000-7000-8000-000000000001", "127.0.0.1:9301",
       "404"},
      {"no id", "GET /approvals/", "127.0.0.1:9301", "404"},
      {"below an id", "GET /approvals/019ad000-0000-7000-8000-000000000001/x", "127.0.0.1:9301",
       "404"},
      {"an answer to all", "POST /approvals", "127.0.0.1:9301", "405 GET, HEAD"},
      {"approvals for programs", "GET /api/approvals?after=x", "127.0.0.1:9301", "fine"},
      {"an answer of another method", "PUT /api/approvals/019ad000-0000-7000-8000-000000000001",
       "127.0.0.1:9301", "405 GET, HEAD, POST"},
      {"approvals for programs by DNS rebinding", "GET /api/approvals", "evil.example",
       "403 host_not_allowed"},
      {"a page with a body", "GET /", "127.0.0.1:9301", "400", "Content-Length: 3\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(std::string(c.line) + " HTTP/1.1\r\nHost: " + std::string(c.host) + "\r\n" +
                    std::string(c.more) + "\r\n"),
              c.want);
  }
  EXPECT_EQ(judge("GET / HTTP/1.0\r\n\r\n"), "403 host_not_allowed") << "no Host";
}

TEST(CheckConsole, ServesBeyondLoopbackUnderItsNamesOnly) {
  ConsoleConfig published = on_loopback();
  published.address.host = "0.0.0.0";
  const struct {
    std::string_view host;
    bool is_served;
  } cases[] = {{"console.example", true},
               {"CONSOLE.example:8443", true},
               {"127.0.0.1:9301", false},
               {"localhost", false},
               {"", false}};
  for (const auto& c : cases)
    EXPECT_EQ(is_console_host_allowed(published, c.host), c.is_served) << c.host;
}

TEST(ConsoleCookie, IsTheOneOfThatName) {
  const std::string id(64, 'a');
  const struct {
    std::string_view name;
    std::string lines;
    bool is_encrypted, is_found;
  } cases[] = {
      {"alone", "Cookie: bartizan=" + id, false, true},
      {"among others", "Cookie: a=1; bartizan=" + id + "; b=2", false, true},
      {"without blanks", "Cookie: a=1;bartizan=" + id, false, true},
      {"over TLS", "Cookie: __Host-bartizan=" + id, true, true},
      {"the plain one over TLS", "Cookie: bartizan=" + id, true, false},
      {"none", "Accept: */*", false, false},
      {"another", "Cookie: bartizan2=" + id, false, false},
      {"a longer name", "Cookie: xbartizan=" + id, false, false},
      {"twice", "Cookie: bartizan=" + id + "; bartizan=" + id, false, false},
      {"in two fields", "Cookie: bartizan=" + id + "\r\nCookie: a=1", false, false},
      {"short", "Cookie: bartizan=" + id.substr(1), false, false},
      {"long", "Cookie: bartizan=" + id + "a", false, false},
      {"no digits", "Cookie: bartizan=" + std::string(64, 'g'), false, false},
      {"capitals", "Cookie: bartizan=" + std::string(64, 'A'), false, false},
      {"empty", "Cookie: bartizan=", false, false},
      {"no value", "Cookie: bartizan", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RequestHead head;
    const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n" + c.lines + "\r\n\r\n";
    ASSERT_TRUE(head.read(text).has_value());
    const auto found = console_cookie(head, c.is_encrypted);
    EXPECT_EQ(found.has_value(), c.is_found);
    if (found.has_value()) EXPECT_EQ(*found, id);
  }
}

}  // namespace
}  // namespace bartizan
