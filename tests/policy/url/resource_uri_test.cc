#include "policy/url/resource_uri.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

TEST(NormalResourceUri, KeepsOneSpelling) {
  const struct {
    std::string_view uri;
    std::string_view want;
  } cases[] = {
      {"file:///srv/data/a.md", "file:///srv/data/a.md"},
      {"file:///srv/data/", "file:///srv/data/"},
      {"demo://resource/static/1", "demo://resource/static/1"},
      {"demo://Resource/Static", "demo://Resource/Static"},
      {"https://example.com/a?b=c#d", "https://example.com/a?b=c#d"},
      {"mailto:ann", "mailto:ann"},
      {"file:///a%20b", "file:///a%20b"},
      {"file:///a%3ab", "file:///a%3Ab"},
      {"file:///r%c3%A9sum%C3%a9", "file:///r\xc3\xa9sum\xc3\xa9"},
      {"file:///{path}", "file:///{path}"},
      {"file:///\u6587\u66f8/\u0646\u0627\u0645\u0647\u200c\u0627\u06cc",
       "file:///\u6587\u66f8/\u0646\u0627\u0645\u0647\u200c\u0627\u06cc"},
      {"mailto:ann@example.com", "mailto:ann@example.com"},
      {"file:///a%3Fb", "file:///a%3Fb"},
      {"demo://a/b@c", "demo://a/b@c"},
      {"file:///a..b/...", "file:///a..b/..."},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(normal_resource_uri(c.uri), c.want) << c.uri;
  }
}

TEST(NormalResourceUri, RefusesWhatServersReadInTwoWays) {
  const std::string_view cases[] = {
      "file:///srv/data/../etc/passwd",
      "file:///srv/data/..",
      "file:///srv/./data",
      "file:///srv/data/..?x",
      "file:///srv/..;a/b",
      "demo://a/../b",
      "file:///srv/data/%2e%2e/etc",
      "file:///srv/data/%2E./etc",
      "file:///srv/data%2fa",
      "file:///srv%5cdata",
      "file:///srv/%252e%252e/etc",
      "file:///srv/%73ecret",
      "file:///srv/a%00",
      "file:///srv/100%",
      "file:///srv/%zz",
      "file:///srv\\data",
      "file:///srv/a b",
      "FILE:///srv/data",
      "file:/srv/data",
      "file://localhost/srv/data",
      "file:////srv/data",
      "file:///srv//data",
      "https://EXAMPLE.com/a",
      "https://ann@example.com/a",
      "https:example.com",
      "demo://ann@host/a",
      "demo://ann:secret@host",
      "file:///a%C0%AF..%C0%AFb",
      "file:///a%FF",
      "file:///srv/data/..%3F",
      "file:///srv/data/..%3bx/y",
      "file:///srv/a%23../b",
      "demo://ann%40host/a",
      "file:///a%E2%82/b",
      "file:///srv/a\u200bb",
      "file:///srv/a%E2%80%8Bb",
      "file:///srv/a\u202eb",
      "file:///srv/\uff0e\uff0e/etc",
      "file:///srv/a\uff0fb",
      "file:///srv/a%EF%BC%8Fb",
      "file:///re\u0301sume\u0301",
      "demo://a/b\u2044c",
      "no-scheme",
      "",
      ":a",
  };
  for (const std::string_view uri : cases) {
    EXPECT_EQ(normal_resource_uri(uri), std::nullopt) << uri;
  }
}

TEST(NormalResourcePattern, SpellsEscapesTheSameWay) {
  EXPECT_EQ(normal_resource_pattern("files/file:///r%c3%a9/**"), "files/file:///r\xc3\xa9/**");
  EXPECT_EQ(normal_resource_pattern("files/file:///%2a/%zz"), "files/file:///%2A/%zz");
}

}  // namespace
}  // namespace bartizan
