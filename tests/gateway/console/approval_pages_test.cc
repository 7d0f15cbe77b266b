// What approvers are shown of a call: all of it, and as text, whoever worded it.
#include "gateway/console/approval_pages.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/command/format_approval.h"
#include "gateway/console/approval_json.h"
#include "gateway/http/shown_text.h"
#include "policy/text/hidden_text.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;

/// A request with that text wherever somebody else words something.
Approvals::Found found_with(const std::string& text) {
  const std::string json = json_string(text);
  Approvals::Found found;
  found.request = {.id = "019ad000-0000-7000-8000-000000000001",
                   .principal = text,
                   .endpoint = text,
                   .server = text,
                   .method = text,
                   .target = text,
                   .rule = text,
                   .policy = "0123456789abcdef",
                   .digest = std::string(64, 'd'),
                   .needed = 2,
                   .made_at = kNow,
                   .ends_at = kNow + 900,
                   .valid_for = 600};
  std::string& shown = found.request.shown;
  shown = R"({"params":{"name":)" + json + R"(,"arguments":{"k":[)" + json + R"(,{"a":)" + json +
          R"(}],"b":{)" + json + R"(:1}},"_meta":{"m":)" + json + R"(}},"sent_as":{"n":)" + json +
          R"(},"tool":{"name":)" + json + R"(,"title":)" + json + R"(,"description":)" + json +
          R"(},"history":[)" + json + R"(],"readings":[{"pointer":)" + json +
          R"(,"kind":"path","reading":)" + json + "}]}";
  found.answers = {{.approver = text,
                    .roles = {text},
                    .person = text,
                    .approves = true,
                    .why = text,
                    .at = kNow}};
  return found;
}
/// How often it stands there for people: a name of the call comes with those of the request.
constexpr std::size_t kPlaces = 19;

std::string page_of(const Approvals::Found& found,
                    std::optional<std::string> why_no_answer = std::nullopt) {
  return approval_html(
      {.found = found, .why_no_answer = std::move(why_no_answer), .now = kNow},
      {.principal = "cat", .proof = "api_key:cat-key", .csrf = std::string(64, 'c')});
}

std::string list_of(const Approvals::Found& found) {
  return approvals_html({.requests = std::span(&found.request, 1), .now = kNow},
                        {.principal = "cat", .proof = "api_key:cat-key", .csrf = "c"});
}

std::string terminal_of(const Approvals::Found& found) {
  const std::string json = approval_json(found, "no: " + found.request.principal, kNow);
  const Bytes bytes{std::string_view(json)};
  JsonDocument document;
  const Result<JsonValue> approval = document.read(bytes, kResponseLimits);
  EXPECT_TRUE(approval.has_value()) << json;
  if (!approval.has_value()) return "";
  return approval_text(*approval) + approval_line(*approval);
}

/// The elements of a page, without the marks of what is hidden, and without any text.
std::string elements_of(const std::string& html) {
  constexpr std::string_view kMark = "<span class=\"mark\">";
  std::string elements;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at)) {
    if (html.compare(at, kMark.size(), kMark) == 0) {
      at = html.find("</span>", at) + 7;
      continue;
    }
    const std::size_t end = html.find('>', at);
    elements += html.substr(at, end + 1 - at);
    at = end;
  }
  return elements;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

std::string utf8(std::uint32_t code) {
  std::string text;
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
  return text;
}

/// What nobody sees is seen, and what looks like markup is none.
void expect_text(const std::string& text) {
  static const std::string kPage = elements_of(page_of(found_with("x")));
  static const std::string kList = elements_of(list_of(found_with("x")));
  const Approvals::Found found = found_with(text);
  const std::string page = page_of(found);
  EXPECT_EQ(elements_of(page), kPage);
  EXPECT_EQ(elements_of(list_of(found)), kList);
  EXPECT_TRUE(find_hidden(page).empty()) << page;
  const std::string terminal = terminal_of(found);
  EXPECT_EQ(
      terminal.find_first_not_of("\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"),
      terminal.npos)
      << terminal;
}

/// The value of that member in each line of a corpus.
std::vector<std::string> texts_of(const std::string& file, std::string_view member) {
  std::vector<std::string> texts;
  for (const std::string& line : corpus_lines(corpus_file(file))) {
    const Bytes bytes{std::string_view(line)};
    JsonDocument document;
    const Result<JsonValue> one = document.read(bytes);
    if (one.has_value()) texts.emplace_back(one->find(member).text());
  }
  return texts;
}

std::uint32_t code_of(std::string_view hex) {
  std::uint32_t code = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
  return code;
}

TEST(ApprovalPages, ShowAllOfACall) {
  const std::string page = page_of(found_with("needle"));
  EXPECT_EQ(count(page, "needle"), kPlaces) << page;
  EXPECT_EQ(count(list_of(found_with("needle")), "needle"), 4);
  for (const std::string_view part :
       {"As the gateway reads it", "In the words of its server", "As it is sent",
        "What else is sent", "Calls of this session before it", "0123456789abcdef", "1 of 2",
        "15 min left", "dddddddddddddddd"})
    EXPECT_TRUE(page.contains(part)) << part;
  const std::string terminal = terminal_of(found_with("needle"));
  EXPECT_GE(count(terminal, "needle"), kPlaces) << terminal;
}

TEST(ApprovalPages, CutNothing) {
  const std::string longest(limits::shown_text_bytes_max * 2, 'y');
  Approvals::Found found = found_with("x");
  found.request.shown = R"({"params":{"name":"write","arguments":{"text":")" + longest + "\"}}}";
  EXPECT_TRUE(page_of(found).contains(longest));
  EXPECT_TRUE(terminal_of(found).contains(longest));
}

TEST(ApprovalPages, ShowArgumentsAsTheyAre) {
  const struct {
    std::string_view name, arguments, want;
  } cases[] = {
      {"letters by their escapes", R"({"a":"\u0072\u006d"})", "<bdi>rm</bdi>"},
      {"a number as it was sent", R"({"a":9007199254740993.00})",
       "<code>9007199254740993.00</code>"},
      {"a number as text", R"({"a":"1"})", "<span class=\"quiet\">text</span>"},
      {"null", R"({"a":null})", "<code>null</code>"},
      {"an empty text", R"({"a":""})", "<code>&quot;&quot;</code>"},
      {"an empty list", R"({"a":[]})", "<code>[]</code>"},
      {"no arguments", "", "It has none."},
      {"an escape of terminals", R"({"a":"\u001b[2J"})", "<span class=\"mark\">[U+001B][2J</span>"},
      {"a letter of another alphabet", "{\"a\":\"p\u0430ypal\"}",
       "[looks like ASCII, but is not: U+0430]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Approvals::Found found = found_with("x");
    found.request.shown = R"({"params":{"name":"write")";
    if (!c.arguments.empty()) found.request.shown += R"(,"arguments":)" + std::string(c.arguments);
    found.request.shown += "}}";
    const std::string page = page_of(found);
    EXPECT_TRUE(page.contains(c.want)) << page;
  }
}

TEST(ApprovalPages, ShowTheDeepestCall) {
  Approvals::Found found = found_with("x");
  std::string deep = "\"bottom\"";
  for (std::size_t depth = 2; depth < limits::json_depth_max; ++depth)
    deep = R"({"a":)" + deep + "}";
  found.request.shown = R"({"params":)" + deep + "}";
  EXPECT_TRUE(page_of(found).contains("<div class=\"value\"><bdi>bottom</bdi></div>"));
  EXPECT_TRUE(terminal_of(found).contains("bottom"));
}

TEST(ApprovalPages, AskForAnAnswerOfWhoMayGiveIt) {
  const Approvals::Found found = found_with("x");
  EXPECT_TRUE(page_of(found).contains("name=\"decision\" value=\"deny\">Deny<"));
  const std::string refused = page_of(found, "<b>cat</b> is none");
  EXPECT_FALSE(refused.contains("name=\"decision\""));
  EXPECT_TRUE(refused.contains("You cannot answer: <bdi>&lt;b&gt;cat&lt;/b&gt; is none</bdi>"));
  Approvals::Found decided = found;
  decided.request.state = ApprovalState::denied;
  decided.request.shown.clear();
  const std::string page = page_of(decided, "it is denied already");
  EXPECT_TRUE(page.contains("They are not kept after the decision."));
  EXPECT_FALSE(page.contains("http-equiv=\"refresh\"")) << "nothing more will come";
}

TEST(ApprovalPages, TakeNothingForMarkup) {
  for (const std::string text : {"</bdi></div><script>alert(1)</script>", "\" onclick=\"x", "<!--",
                                 "]]>", "&lt;", "<span class=\"mark\">[U+0041]</span>"}) {
    SCOPED_TRACE(text);
    expect_text(text);
  }
}

TEST(ApprovalPages, ShowTheCorporaAsText) {
  const std::string ansi = "ansi-terminal/cases.jsonl";
  if (corpus_file(ansi).empty()) GTEST_SKIP() << "no corpora";
  std::vector<std::string> texts = texts_of(ansi, "text");
  for (std::string& text : texts_of("markup-injection/markdown_html_output.jsonl", "text"))
    texts.push_back(std::move(text));
  for (const std::string& code : texts_of("unicode-attacks/invisible_and_control.jsonl", "cp"))
    texts.push_back("a" + utf8(code_of(code)) + "b");
  EXPECT_GE(texts.size(), 500U);
  for (const std::string& text : texts) {
    SCOPED_TRACE(json_string(text));
    expect_text(text);
  }
}

TEST(ApprovalPages, TellLettersThatLookLikeAscii) {
  const std::string file = "unicode-attacks/confusables.jsonl";
  if (corpus_file(file).empty()) GTEST_SKIP() << "no corpora";
  std::vector<std::uint32_t> codes;
  for (const std::string& line : corpus_lines(corpus_file(file))) {
    const Bytes bytes{std::string_view(line)};
    JsonDocument document;
    const Result<JsonValue> one = document.read(bytes);
    const std::uint32_t code = code_of(one->find("cp").text());
    const std::string_view skeleton = one->find("skeleton").text();
    // Letters and digits: what else looks like a sign of ASCII fools nobody about a name.
    const bool is_ascii = one->find("ascii").boolean().value_or(false) && skeleton.size() == 1;
    if (is_ascii && code >= 0x80) codes.push_back(code);
  }
  EXPECT_GE(codes.size(), 1000U);
  std::size_t missed = 0;
  constexpr std::size_t kAtOnce = 100;
  for (std::size_t begin = 0; begin < codes.size(); begin += kAtOnce) {
    std::string text;
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, codes.size()); ++i)
      text += utf8(codes[i]);
    const std::string page = page_of(found_with(text));
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, codes.size()); ++i) {
      if (!page.contains(fmt::format("U+{:04X}", codes[i]))) ++missed;
    }
  }
  EXPECT_LE(missed, 0U) << "of " << codes.size();
}

}  // namespace
}  // namespace bartizan
