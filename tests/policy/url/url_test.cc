#include "policy/url/url.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

std::string read_again(std::string_view input) {
  const auto url = read_url(input);
  return url ? text(*url) : "none";
}

TEST(ReadUrl, MendsAsBrowsersDo) {
  const struct {
    std::string_view name, input, want;
  } cases[] = {
      {"plain", "https://example.com/a?b#c", "https://example.com/a?b#c"},
      {"no path", "https://example.com", "https://example.com/"},
      {"letter case", "HTTPS://EXAMPLE.com/A", "https://example.com/A"},
      {"blanks around", " \x01https://example.com\n", "https://example.com/"},
      {"a tab and a line feed within", "ht\ttps://exam\nple.com/", "https://example.com/"},
      {"backslashes", "https:\\\\example.com\\a", "https://example.com/a"},
      {"no slashes", "https:example.com", "https://example.com/"},
      {"many slashes", "https://///example.com/", "https://example.com/"},
      {"the scheme's own port", "https://example.com:0443/", "https://example.com/"},
      {"another port", "https://example.com:8443/", "https://example.com:8443/"},
      {"a port without digits", "https://example.com:/", "https://example.com/"},
      {"a port too high", "https://example.com:65536/", "none"},
      {"a port of letters", "https://example.com:a/", "none"},
      {"credentials", "https://a:b@example.com/", "https://a:b@example.com/"},
      {"many at signs", "https://a@b:c@d@example.com/", "https://a%40b:c%40d@example.com/"},
      {"empty credentials", "https://:@example.com/", "https://example.com/"},
      {"credentials without a host", "https://a@/", "none"},
      {"a backslash ends the host", "https://a\\@b", "https://a/@b"},
      {"dots", "https://a/b/../c/./%2e%2E/d", "https://a/d"},
      {"dots at the end", "https://a/b/..", "https://a/"},
      {"dots above the root", "https://a/../../b", "https://a/b"},
      {"bytes outside of ASCII", "https://a/\xc3\xa9?\xc3\xa9#\xc3\xa9",
       "https://a/%C3%A9?%C3%A9#%C3%A9"},
      {"a name in another script", "https://b\u00fccher.example/",
       "https://xn--bcher-kva.example/"},
      {"a name in another script, encoded", "https://b%c3%bccher.example/",
       "https://xn--bcher-kva.example/"},
      {"a label that is not punycode", "https://xn--a.example/", "none"},
      {"an encoded slash in a name", "https://a%2fb/", "none"},
      {"no host", "https://", "none"},
      {"octal and hexadecimal", "http://0177.0x1/", "http://127.0.0.1/"},
      {"one number", "http://2130706433/", "http://127.0.0.1/"},
      {"a number too high", "http://4294967296/", "none"},
      {"five numbers", "http://1.2.3.4.5/", "none"},
      {"a name that ends in a number", "http://a.1/", "none"},
      {"an address in brackets", "http://[0:0:0:0:0:FFFF:7f00:1]/", "http://[::ffff:7f00:1]/"},
      {"an address in brackets with four numbers", "http://[::127.0.0.1]/", "http://[::7f00:1]/"},
      {"eight groups and a gap", "http://[1:2:3:4::5:6:7:8]/", "none"},
      {"seven groups and a gap", "http://[1:2:3::5:6:7:8]/", "http://[1:2:3:0:5:6:7:8]/"},
      {"a zone", "http://[fe80::1%25eth0]/", "none"},
      {"a bracket left open", "http://[::1/", "none"},
      {"another scheme's host", "git://EXAMPLE.com/a\\b", "git://EXAMPLE.com/a\\b"},
      {"another scheme's address", "git://0x7f.1/", "git://0x7f.1/"},
      {"an opaque path", "mailto:ann@example.com", "mailto:ann@example.com"},
      {"a path without a host", "web:/.//a", "web:/.//a"},
      {"a file", "file:///srv/data", "file:///srv/data"},
      {"a file here", "file://localhost/srv", "file:///srv"},
      {"a file elsewhere", "file://host/srv", "file://host/srv"},
      {"a drive", "file:///C|/../a", "file:///C:/a"},
      {"no scheme", "example.com/a", "none"},
      {"empty", "", "none"},
      {"no UTF-8", "https://a/\xff", "none"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read_again(c.input), c.want);
  }
}

TEST(ReadUrl, IsBounded) {
  const std::string front = "https://example.com/";
  EXPECT_TRUE(read_url(front + std::string(limits::url_bytes_max - front.size(), 'a')));
  EXPECT_FALSE(read_url(front + std::string(limits::url_bytes_max - front.size() + 1, 'a')));
  EXPECT_TRUE(read_url("https://" + std::string(limits::url_host_bytes_max, 'a')));
  EXPECT_FALSE(read_url("https://" + std::string(limits::url_host_bytes_max + 1, 'a')));
}

TEST(ReadUrl, TakesNamesInEveryScriptToOneSpelling) {
  const auto host = read_host("B\u00dcCHER.example");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->text, "xn--bcher-kva.example");
  EXPECT_EQ(unicode_text(*host), "b\u00fccher.example");
  EXPECT_EQ(unicode_text(*read_host("[::1]")), "[::1]");
}

/// The parts as the corpus names them.
struct Parts {
  std::string href, protocol, username, password, host, hostname, port, pathname, search, hash;
  bool operator==(const Parts&) const = default;
};

std::string marked(char mark, const std::optional<std::string>& part) {
  return part && !part->empty() ? mark + *part : "";
}

Parts parts_of(const Url& url) {
  Parts parts;
  parts.href = text(url);
  parts.protocol = url.scheme + ":";
  parts.username = url.username;
  parts.password = url.password;
  parts.hostname = url.host.text;
  parts.port = url.port ? std::to_string(*url.port) : "";
  parts.host = parts.hostname + (url.port ? ":" + parts.port : "");
  parts.pathname = url.path;
  parts.search = marked('?', url.query);
  parts.hash = marked('#', url.fragment);
  return parts;
}

Parts parts_of(JsonValue row) {
  const auto member = [&](std::string_view name) { return std::string(row.find(name).text()); };
  return {member("href"),   member("protocol"), member("username"), member("password"),
          member("host"),   member("hostname"), member("port"),     member("pathname"),
          member("search"), member("hash")};
}

std::optional<Url> read_row(JsonValue row) {
  const std::string_view input = row.find("input").text();
  if (!row.find("base").is(JsonType::string)) return read_url(input);
  const auto base = read_url(row.find("base").text());
  return base ? read_url(input, *base) : std::nullopt;
}

TEST(ReadUrl, AgreesWithTheCorpus) {
  const auto path = corpus_file("url-whatwg/urltestdata.json");
  if (path.empty()) GTEST_SKIP() << "the corpus url-whatwg is absent";
  std::ifstream file(path);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  JsonDocument document;
  const Bytes bytes{std::string_view(content)};
  const auto rows = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(rows);
  int seen = 0;
  for (const JsonValue row : *rows) {
    if (!row.is(JsonType::object)) continue;
    ++seen;
    SCOPED_TRACE(row.raw());
    const auto url = read_row(row);
    ASSERT_EQ(url.has_value(), !row.find("failure").boolean().value_or(false));
    if (!url) continue;
    const Parts parts = parts_of(*url);
    EXPECT_EQ(parts.href, row.find("href").text());
    EXPECT_EQ(parts, parts_of(row));
    // What is written is read as the same URL.
    EXPECT_EQ(read_url(parts.href), url);
  }
  EXPECT_GT(seen, 800);
}

}  // namespace
}  // namespace bartizan
