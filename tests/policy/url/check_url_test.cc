#include "policy/url/check_url.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

UrlRules rules_for(std::initializer_list<std::string_view> hosts) {
  UrlRules rules{.schemes = {"https"}};
  for (const std::string_view host : hosts)
    rules.hosts.push_back(HostPattern::read(host).value());
  return rules;
}

std::string_view judge(std::string_view url, const UrlRules& rules) {
  const auto refusal = judge_url(url, rules);
  return refusal ? text(*refusal) : "allowed";
}

TEST(JudgeUrl, AllowsWhatEveryReaderTakesAlike) {
  const UrlRules rules = rules_for({"example.com", "*.example.com", "xn--bcher-kva.example",
                                    "xn--fa-hia.example", "8.8.8.8", "10.0.0.7"});
  const struct {
    std::string_view name, url, want;
  } cases[] = {
      {"plain", "https://example.com/a?b=c#d", "allowed"},
      {"no path", "https://example.com", "allowed"},
      {"one label below", "https://api.example.com/", "allowed"},
      {"two labels below", "https://a.api.example.com/", "url_host"},
      {"a name that ends alike", "https://badexample.com/", "url_host"},
      {"a name that begins alike", "https://example.com.evil.net/", "url_host"},
      {"letter case", "HTTPS://Example.COM/", "allowed"},
      {"a dot at the end", "https://example.com./", "allowed"},
      {"two dots at the end", "https://example.com../", "url_malformed"},
      {"an empty label", "https://.example.com/", "url_malformed"},
      {"the scheme's port", "https://example.com:443/", "allowed"},
      {"another port", "https://example.com:8443/", "url_port"},
      {"another scheme", "http://example.com/", "url_scheme"},
      {"a script", "javascript:alert(1)", "url_scheme"},
      {"a file", "file:///etc/passwd", "url_scheme"},
      {"no scheme", "//example.com/", "url_malformed"},
      {"empty", "", "url_malformed"},
      {"a user", "https://ann@example.com/", "url_credentials"},
      {"an empty user", "https://@example.com/", "url_credentials"},
      {"an at sign in the path", "https://example.com/@127.0.0.1", "allowed"},
      {"an at sign in the query", "https://example.com/?a=b@c", "allowed"},
      {"an at sign in a query without a path", "https://example.com?@10.0.0.1", "url_ambiguous"},
      {"an at sign in a fragment without a path", "https://example.com#@evil/", "url_ambiguous"},
      {"a query without a path", "https://example.com?a", "allowed"},
      {"a backslash ends the host", "https://example.com\\@evil.net/", "url_ambiguous"},
      {"a backslash behind", "https://example.com/a\\b", "url_ambiguous"},
      {"a blank in front", " https://example.com/", "url_ambiguous"},
      {"a blank within", "https://example.com/a b", "url_ambiguous"},
      {"a tab within", "https://exam\tple.com/", "url_ambiguous"},
      {"a line feed behind", "https://example.com/\n", "url_ambiguous"},
      {"a C1 control", "https://example.com/\xc2\x85", "url_ambiguous"},
      {"one slash", "https:/example.com/", "url_ambiguous"},
      {"three slashes", "https:///example.com/", "url_ambiguous"},
      {"no slash", "https:example.com/", "url_ambiguous"},
      {"an encoded letter of the host", "https://%65xample.com/", "url_ambiguous"},
      {"a fullwidth letter", "https://\xef\xbd\x85xample.com/", "url_ambiguous"},
      {"an ideographic full stop", "https://example\u3002com/", "url_ambiguous"},
      {"a soft hyphen", "https://exam\xc2\xadple.com/", "url_ambiguous"},
      {"a name in another script", "https://b\u00fccher.example/", "allowed"},
      {"a name in another script, composed by the reader", "https://bu\u0308cher.example/",
       "url_ambiguous"},
      {"its encoded form", "https://xn--bcher-kva.example/", "allowed"},
      {"a letter that IDNA 2003 maps to two", "https://fa\xc3\x9f.example/", "url_ambiguous"},
      {"its encoded form", "https://xn--fa-hia.example/", "allowed"},
      {"bytes outside of ASCII behind", "https://example.com/\xc3\xa9", "allowed"},
      {"an address that is named", "https://8.8.8.8/", "allowed"},
      {"an address that is not", "https://8.8.4.4/", "url_host"},
      {"its octal spelling", "https://010.010.010.010/", "url_ambiguous"},
      {"its decimal spelling", "https://134744072/", "url_ambiguous"},
      {"an address in brackets, of that one", "https://[::ffff:8.8.8.8]/", "url_address"},
      {"a private address that is named", "https://10.0.0.7/", "url_address"},
      {"no host", "https://", "url_malformed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(c.url, rules), c.want);
  }
}

TEST(JudgeUrl, KnowsNamesThatAreNotOfTheInternet) {
  UrlRules rules = rules_for({"**"});
  const struct {
    std::string_view url, want, want_if_private;
  } cases[] = {
      {"https://example.com/", "allowed", "allowed"},
      {"https://localhost.example.com/", "allowed", "allowed"},
      {"https://10.example.net/", "allowed", "allowed"},
      {"https://xlocalhost.com/", "allowed", "allowed"},
      {"https://localhost/", "url_address", "allowed"},
      {"https://LOCALHOST./", "url_address", "allowed"},
      {"https://a.localhost/", "url_address", "allowed"},
      {"https://intranet/", "url_address", "allowed"},
      {"https://printer.local/", "url_address", "allowed"},
      {"https://db.corp.internal/", "url_address", "allowed"},
      {"https://router.home.arpa/", "url_address", "allowed"},
      {"https://127.0.0.1/", "url_address", "allowed"},
      {"https://10.1.2.3/", "url_address", "allowed"},
      {"https://100.64.0.1/", "url_address", "allowed"},
      {"https://[::1]/", "url_address", "allowed"},
      {"https://[fd00::1]/", "url_address", "allowed"},
      {"https://[::ffff:10.1.2.3]/", "url_address", "allowed"},
      {"https://metadata.google.internal/", "url_address", "url_address"},
      {"https://metadata/", "url_address", "url_address"},
      {"https://169.254.169.254/", "url_address", "url_address"},
      {"https://[fd00:ec2::254]/", "url_address", "url_address"},
      {"https://169.254.1.1/", "url_address", "url_address"},
      {"https://0.0.0.0/", "url_address", "url_address"},
      {"https://[::]/", "url_address", "url_address"},
      {"https://[fe80::1]/", "url_address", "url_address"},
      {"https://224.0.0.1/", "url_address", "url_address"},
      {"https://255.255.255.255/", "url_address", "url_address"},
      {"https://[64:ff9b::8.8.8.8]/", "url_address", "url_address"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.url);
    rules.allow_private = false;
    EXPECT_EQ(judge(c.url, rules), c.want);
    rules.allow_private = true;
    EXPECT_EQ(judge(c.url, rules), c.want_if_private);
  }
}

TEST(JudgeUrl, SchemesAndPorts) {
  UrlRules rules = rules_for({"**"});
  rules.schemes = {"https", "git", "file", "data"};
  rules.ports = {443, 8443, 9418};
  EXPECT_EQ(judge("https://example.com/", rules), "allowed");
  EXPECT_EQ(judge("https://example.com:8443/", rules), "allowed");
  EXPECT_EQ(judge("https://example.com:80/", rules), "url_port");
  EXPECT_EQ(judge("git://example.com:9418/a", rules), "allowed");
  // Nobody here knows the port of that scheme.
  EXPECT_EQ(judge("git://example.com/a", rules), "url_port");
  EXPECT_EQ(judge("git://Example.COM:9418/a", rules), "allowed");
  EXPECT_EQ(judge("git://127.0.0.1:9418/a", rules), "url_address");
  EXPECT_EQ(judge("git://0x7f.1:9418/a", rules), "url_ambiguous");
  EXPECT_EQ(judge("git://%6c:9418/a", rules), "url_ambiguous");
  EXPECT_EQ(judge("git://a%2fb:9418/a", rules), "url_malformed");
  EXPECT_EQ(judge("file:///etc/passwd", rules), "url_host");
  EXPECT_EQ(judge("file://example.com/etc", rules), "url_port");
  EXPECT_EQ(judge("data:text/plain,a", rules), "url_host");
  rules.ports = {};
  EXPECT_EQ(judge("git://example.com/a", rules), "allowed");
  EXPECT_EQ(judge("git://example.com:9418/a", rules), "url_port");
  EXPECT_EQ(judge("https://example.com/", {}), "url_scheme");
  EXPECT_EQ(judge("https://example.com/", {.schemes = {"https"}}), "url_host");
}

TEST(HostPattern, MatchesByLabels) {
  const struct {
    std::string_view pattern, host;
    bool want;
  } cases[] = {
      {"example.com", "example.com", true},
      {"example.com", "a.example.com", false},
      {"*.example.com", "a.example.com", true},
      {"*.example.com", "example.com", false},
      {"*.example.com", "a.b.example.com", false},
      {"api-*.example.com", "api-eu.example.com", true},
      {"api-*.example.com", "api.example.com", false},
      {"a.*.example.com", "a.b.example.com", true},
      {"**.example.com", "example.com", false},
      {"**.example.com", "a.example.com", true},
      {"**.example.com", "a.b.example.com", true},
      {"**.example.com", "a.badexample.com", false},
      {"**", "a.b.c", true},
      {"**", "[::1]", true},
      {"**", "10.0.0.7", true},
      {"10.0.0.7", "10.0.0.7", true},
      {"10.0.0.7", "10.0.0.8", false},
      {"[::1]", "[0:0::1]", true},
      {"[::1]", "[::2]", false},
  };
  for (const auto& c : cases) {
    const auto pattern = HostPattern::read(c.pattern);
    ASSERT_TRUE(pattern) << c.pattern;
    EXPECT_EQ(pattern->matches(read_host(c.host).value()), c.want) << c.pattern << " " << c.host;
  }
}

TEST(HostPattern, RefusesWhatCouldNeverBeMeant) {
  for (const std::string_view text : {"",
                                      "*",
                                      "***",
                                      "example.*",
                                      "10.0.0.*",
                                      "*.10",
                                      "*.0x7",
                                      "a.**.com",
                                      "a**.com",
                                      "*.Example.com",
                                      "Example.com",
                                      "example.com.",
                                      "*.example.com.",
                                      ".example.com",
                                      "*..com",
                                      "*.example.com/",
                                      "https://example.com",
                                      "example.com:443",
                                      "127.1",
                                      "[0::1]",
                                      "[::*]",
                                      "::1",
                                      "b\u00fccher.example",
                                      "*.b\u00fccher.example",
                                      "*.exa mple.com",
                                      "a;b.com",
                                      "-a.com"}) {
    EXPECT_FALSE(HostPattern::read(text)) << text;
  }
}

TEST(JudgeUrl, HoldsAgainstTheCorpus) {
  const auto file = corpus_file("ssrf/generated.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus ssrf is absent";
  UrlRules rules = rules_for({"**"});
  rules.schemes = {"http", "https"};
  int refused = 0;
  int allowed = 0;
  for (const std::string& line : corpus_lines(file)) {
    JsonDocument document;
    const Bytes bytes{std::string_view(line)};
    const auto row = document.read(bytes);
    ASSERT_TRUE(row) << line;
    const bool is_refused = judge_url(row->find("url").text(), rules).has_value();
    EXPECT_EQ(is_refused, row->find("expect").text() == "refuse") << line;
    ++(is_refused ? refused : allowed);
  }
  EXPECT_GT(refused, 40);
  EXPECT_GT(allowed, 3);
}

TEST(JudgeUrl, RefusesHostsThatHoldSeparators) {
  for (const std::string_view mark : {";", "&", "'", "(", "*", "+", ",", "=", "`", "{", "~", "!"}) {
    const std::string url = "https://evil.net" + std::string(mark) + ".example.com/";
    EXPECT_EQ(judge(url, rules_for({"**.example.com"})), "url_malformed") << url;
  }
  EXPECT_EQ(judge("https://-x.example.com/", rules_for({"**.example.com"})), "url_malformed");
  EXPECT_EQ(judge("https://x_-y.example.com/", rules_for({"**.example.com"})), "allowed");
  EXPECT_EQ(judge("https://example.com:8443@evil.net/", rules_for({"**"})), "url_credentials");
  EXPECT_EQ(judge("https://example.com%2fevil.net/", rules_for({"**"})), "url_malformed");
  EXPECT_EQ(judge("https://example.com%23.evil.net/", rules_for({"**"})), "url_malformed");
  EXPECT_EQ(judge("https://example.com\xef\xbc\x8f.evil.net/", rules_for({"**"})), "url_malformed");
}

}  // namespace
}  // namespace bartizan
