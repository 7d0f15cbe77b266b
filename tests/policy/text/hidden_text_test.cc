#include "policy/text/hidden_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/text/character_kind.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "tests/corpus.h"
#include "tests/policy/read_json.h"

namespace bartizan {
namespace {

/// A text with what is hidden in braces, with its kind: `a{bidi}b`.
std::string shown(std::string_view text) {
  std::string all;
  std::size_t at = 0;
  for (const HiddenPart& part : find_hidden(text)) {
    all.append(text.substr(at, part.range.begin - at));
    all.append("{").append(bartizan::text(part.kind)).append("}");
    at = part.range.end;
  }
  return all.append(text.substr(at));
}

std::string without_hidden(std::string_view text) {
  std::string all;
  std::size_t at = 0;
  for (const HiddenPart& part : find_hidden(text)) {
    all.append(text.substr(at, part.range.begin - at));
    if (part.kind == HiddenKind::line_break) all += '\n';
    at = part.range.end;
  }
  return all.append(text.substr(at));
}

std::string utf8(char32_t value) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto follower = [&](unsigned shift) { return byte(0x80U | (value >> shift & 0x3FU)); };
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xC0U | value >> 6U), follower(0)};
  if (value < 0x10000) return {byte(0xE0U | value >> 12U), follower(6), follower(0)};
  return {byte(0xF0U | value >> 18U), follower(12), follower(6), follower(0)};
}

TEST(HiddenText, FindsWhatNobodySees) {
  const struct {
    std::string_view name;
    std::string_view text;
    std::string_view want;
  } cases[] = {
      {"NUL", std::string_view("a\0b", 3), "a{control}b"},
      {"backspaces are one part", "evil\b\b\bgood", "evil{control}good"},
      {"DEL", "a\x7F", "a{control}"},
      {"a C1 control", "a\u0084b", "a{control}b"},
      {"a carriage return that overwrites", "rm -rf x\rls", "rm -rf x{line-break}ls"},
      {"of two carriage returns the first", "a\r\r\nb", "a{line-break}\r\nb"},
      {"form feed and line separator", "a\fb\u2028c", "a{line-break}b{line-break}c"},
      {"line breaks are counted", "a\v\vb", "a{line-break}{line-break}b"},
      {"colours", "\x1B[38;2;1;1;1mx\x1B[0m", "{escape}x{escape}"},
      {"a sequence in eight bits", "a\u009B8mb", "a{escape}b"},
      {"a cut sequence", "a\x1B[38;", "a{escape}"},
      {"a title, by bell", "\x1B]0;evil\x07x", "{escape}x"},
      {"a link, by string terminator", "\x1B]8;;http://x/\x1B\\here\x1B]8;;\x1B\\",
       "{escape}here{escape}"},
      {"a string in eight bits", "\u009D0;x\u009Cy", "{escape}y"},
      {"a string that nothing ends swallows nothing", "\x1B]0;all that follows\nis read",
       "{escape}0;all that follows\nis read"},
      {"a bell ends no device string", "\x1BPq\x07z", "{escape}q{control}z"},
      {"a picture in lines", "\x1BPq\n#0\n\x1B\\z", "{escape}z"},
      {"a set of characters", "\x1B(Bx", "{escape}x"},
      {"a reset",
       "\x1B"
       "cx",
       "{escape}x"},
      {"ESC by itself", "x\x1B", "x{escape}"},
      {"a space without width", "pass\u200Bword", "pass{zero-width}word"},
      {"joiners in Latin", "a\u200D\u200Cb", "a{zero-width}b"},
      {"a joiner behind a space", "\u0645 \u200Cb", "\u0645 {zero-width}b"},
      {"two joiners where one is needed", "\u0645\u06CC\u200C\u200C\u0631",
       "\u0645\u06CC{zero-width}\u200C\u0631"},
      {"a byte order mark within", "a\uFEFFb", "a{zero-width}b"},
      {"word joiner, invisible operators", "a\u2060b\u2063c", "a{zero-width}b{zero-width}c"},
      {"fillers", "a\u3164b\u115Fc\uFFA0", "a{zero-width}b{zero-width}c{zero-width}"},
      {"a blank of braille", "a\u2800\u2800b", "a{zero-width}b"},
      {"blanks of music and of hieroglyphs", "a\U0001D159b\U00013441c\U00013442",
       "a{zero-width}b{zero-width}c{zero-width}"},
      {"the second blank of hieroglyphs", "\U00013000\U00013441\U00013441",
       "\U00013000\U00013441{zero-width}"},
      {"the second space without width", "\u1781\u200B\u200B\u17D4",
       "\u1781{zero-width}\u200B\u17D4"},
      {"a space without width at the end of Thai", "\u0E19\u200B", "\u0E19{zero-width}"},
      {"an override", "a\u202Egpj.exe", "a{bidi}gpj.exe"},
      {"isolates", "\u2066a\u2069", "{bidi}a{bidi}"},
      {"a mark between Latin letters", "a\u200Eb\u200Fc", "a{bidi}b{bidi}c"},
      {"the second of two marks", "\u05D0\u200F\u200F!", "\u05D0\u200F{bidi}!"},
      {"a mark within a number", "\u05D0 4111\u200E1111", "\u05D0 4111{bidi}1111"},
      {"a mark within a word", "a\u200Fb \u05D0", "a{bidi}b \u05D0"},
      {"marks within a number, with more between", "\u05D0 41\u200E\u200B\u200E11",
       "\u05D0 41{bidi}{zero-width}{bidi}11"},
      {"a mark on the line below Hebrew", "\u05D0\n\u200Fa", "\u05D0\n{bidi}a"},
      {"tags", "a\U000E0041\U000E0042b", "a{tag}b"},
      {"a flag that is none", "\U0001F3F4\U000E0067\U000E0062\U000E0078\U000E007F",
       "\U0001F3F4{tag}"},
      {"a flag that goes on",
       "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\U000E0041",
       "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F{tag}"},
      {"selectors behind letters", "a\uFE0Fb\U000E0101", "a{selector}b{selector}"},
      {"the second selector", "\u2764\uFE0F\uFE0F", "\u2764\uFE0F{selector}"},
      {"a selector that no ideograph has", "\u845B\U000E0120\u98FE\U000E01EF",
       "\u845B{selector}\u98FE{selector}"},
      {"the second selector of an ideograph", "\u845B\U000E0100\U000E0101\u98FE",
       "\u845B\U000E0100{selector}\u98FE"},
      {"a selector of text behind a digit", "1\uFE0E2", "1{selector}2"},
      {"two selectors behind a digit", "1\uFE0F\uFE0F2", "1\uFE0F{selector}2"},
      {"a soft hyphen", "pass\u00ADword", "pass{soft-hyphen}word"},
      {"private use", "a\uE000\U00100000b", "a{private-use}b"},
      {"unassigned", "a\u0378b", "a{unassigned}b"},
      {"noncharacters", "a\uFFFE\uFDD0\U0001FFFFb", "a{noncharacter}b"},
      {"annotations", "a\uFFF9b\uFFFAc\uFFFB", "a{annotation}b{annotation}c{annotation}"},
      {"formats of scripts that are not here", "a\U0001D173b\U00013430c", "a{format}b{format}c"},
      {"an Arabic number sign without number", "a\u0600b", "a{format}b"},
      {"a Mongolian separator before what is not a letter", "\u1820\u180E\u181B a",
       "\u1820{zero-width}{unassigned} a"},
      {"an Arabic number sign before a mark that goes", "a\u0605\u061C\u200E", "a{format}{bidi}"},
      {"marks in heaps", "a\u0301\u0302\u0303\u0304\u0305\u0306b",
       "a\u0301\u0302\u0303\u0304{marks}b"},
      {"heaps with something between", "a\u0301\u0302\u0303\u200B\u0304\u0305b",
       "a\u0301\u0302\u0303{zero-width}\u0304{marks}b"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(shown(c.text), c.want);
    const std::string left = without_hidden(c.text);
    EXPECT_EQ(shown(left), left);
  }
}

TEST(HiddenText, LeavesAloneWhatScriptsNeed) {
  const struct {
    std::string_view name;
    std::string_view text;
  } cases[] = {
      {"nothing", ""},
      {"ASCII", "Tab\tand newline\nand both\r\n{\"a\": [1, 2]} ~"},
      {"many lines of it",
       "0123456789012345678901234567890123456789012345678901234567\r\n"
       "0123456789012345678901234567890123456789012345678901234567\r\n"
       "0123456789012345678901234567890123456789012345678901234567\r\n"},
      {"a byte order mark at the start", "\uFEFFname,value"},
      {"a family", "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"},
      {"skin and hair", "\U0001F469\U0001F3FD\u200D\U0001F9B0"},
      {"a flag of two emoji",
       "\U0001F3F3\uFE0F\u200D\U0001F308 \U0001F3F3\uFE0F\u200D\u26A7\uFE0F"},
      {"a heart that burns", "\u2764\uFE0F\u200D\U0001F525"},
      {"keycaps", "1\uFE0F\u20E3 #\uFE0F\u20E3"},
      {"keycaps that lost their sign", "1\uFE0F 23\uFE0F #\uFE0F *\uFE0F."},
      {"signs as emoji and as text", "\u00A9\uFE0F \u2602\uFE0E \u2714\uFE0F"},
      {"flags of countries", "\U0001F1E9\U0001F1EA"},
      {"England", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"},
      {"Scotland", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"},
      {"Wales", "\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"},
      {"emoji that ICU does not know yet", "\U0001FAE9 \U0001FADF"},
      {"Persian",
       "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u06A9\u0627\u0631\u200C\u0647\u0627"},
      {"Persian with a foreign word", "PDF\u200C\u0647\u0627"},
      {"an Arabic letter in its joining form", "\u0647\u200D."},
      {"Hindi", "\u0915\u094D\u200D\u0937 \u0930\u094D\u200C\u092F"},
      {"Bengali", "\u09B0\u200D\u09CD\u09AF"},
      {"Sinhala", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3"},
      {"Malayalam, an old chillu", "\u0D05\u0D35\u0D28\u0D4D\u200D "},
      {"Hebrew with a mark behind its full stop",
       "\u05E9\u05DC\u05D5\u05DD!\u200F C++\u200E \u05E9"},
      {"a mark before Hebrew", "C++\u200F \u05E9"},
      {"Hebrew that ends with a foreign word in brackets",
       "\u05E9\u05DC\u05D5\u05DD (PDF)\u200F.\n(\u05D0 b)\u200F"},
      {"an Arabic mark", "\u0645\u061C 1-2"},
      {"Hebrew with points and accents",
       "\u05D1\u05BC\u05B0\u05E8\u05B5\u05D0\u05E9\u05B4\u0596\u05D9\u05EA"},
      {"Vietnamese, decomposed", "Vie\u0323\u0302t"},
      {"Thai", "\u0E19\u0E49\u0E33 \u0E1B\u0E35\u0E48\u200B\u0E17\u0E35\u0E48"},
      {"Tibetan", "\u0F66\u0F92\u0FB2\u0F74\u0F56"},
      {"Khmer with its full stop and digits", "\u1781\u200B\u17D4 \u1781\u200B\u17E1\u200B\u1781"},
      {"Thai with Latin and brackets", "(\u200B\u0E19\u200B) PDF\u200B\u0E19\u200BPDF"},
      {"Lao and Burmese", "\u0EA5\u200B\u0EB0 1\u200B\u0EA5 \u1000\u200B\u104B"},
      {"hieroglyphs with a blank", "\U00013000\U00013441\U00013000"},
      {"a stem without a head", "\U0001D159\U0001D165"},
      {"a mark behind a foreign word", "PDF\u200E, \u05D0 PDF\u200F\u05D0 12\u200E"},
      {"Khmer", "\u1781\u17D2\u1798\u17C2\u179A"},
      {"Mongolian", "\u1820\u180B\u1828\u180E\u1820"},
      {"an ideographic variation", "\u845B\U000E0100\u98FE"},
      {"Korean, composed of letters", "\u1112\u1161\u11AB \u115F\u1161 \u1100\u1160"},
      {"an Arabic number sign with its number", "\u0600\u0661\u0662 \u06DD\u0661"},
      {"pictures of braille", "\u2801\u2800\u2800\u28FF \u2800\u28C0"},
      {"music", "\U0001D15F\U0001D173\U0001D15F"},
      {"bytes that are no UTF-8", "f\xFCr \xC3 \xED\xA0\x80"},
      {"a replacement character and an object", "\uFFFD\uFFFC"},
      {"ideographs", "\u6F22\u5B57\u3001\u304B\u306A\U00020000"},
      {"Greek, Cyrillic, Georgian", "\u03B5\u03BB\u03BB \u0440\u0443\u0441 \u10E5\u10D0\u10E0"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(shown(c.text), c.text);
  }
}

TEST(HiddenText, FindsWhatBeginsAnywhereInALongText) {
  for (std::size_t at = 0; at < 200; ++at) {
    const std::string before(at, 'x');
    EXPECT_EQ(shown(before + "\x1B[0m" + std::string(200, 'y')),
              before + "{escape}" + std::string(200, 'y'));
    EXPECT_EQ(shown(before + "\ry"), before + "{line-break}y");
    EXPECT_EQ(shown(before + "\r\ny"), before + "\r\ny");
    EXPECT_EQ(shown(before + "\r"), before + "{line-break}");
    EXPECT_EQ(shown(before + "\r\r\n\t\n"), before + "{line-break}\r\n\t\n");
    EXPECT_EQ(shown(before + "\x7Fy"), before + "{control}y");
  }
}

/// Whether something may be hidden in a message, by how it is written.
bool may_hide(std::string_view json) {
  return !ReadJson(json).root.is_of_plain_text();
}

TEST(HiddenText, IsRuledOutOfEachMessageByItself) {
  JsonDocument document;
  for (const auto& [json, is_plain] :
       std::initializer_list<std::pair<std::string_view, bool>>{{R"(["words"])", true},
                                                                {R"(["\u00ad"])", false},
                                                                {R"(["words"])", true},
                                                                {"[\"\u00e9\"]", false},
                                                                {"[]", true}}) {
    const Bytes bytes(json);
    const Result<JsonValue> root = document.read(bytes);
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->is_of_plain_text(), is_plain) << json;
  }
  EXPECT_FALSE(JsonValue().is_of_plain_text());
}

TEST(HiddenText, IsRuledOutByHowMessagesAreWritten) {
  const std::pair<std::string_view, bool> rows[] = {
      {R"({"text":"words, and more."})", false},
      {"{\r\n\t\"text\": [1, true]\r\n}", false},
      {R"("a line\n\tand \"another\" \\ one")", false},
      {R"("\\u202e is how it is written")", false},
      {R"("\u202e")", true},
      {R"("\\\u202e")", true},
      {R"("\r")", true},
      {R"("\b")", true},
      {R"("\/")", true},
      {"\"\x7F\"", true},
      {"\"\u00e9\"", true},
      {"\"\u00e9 and then more than eight\"", true},
      {"\"\u00e9\\n\"", true},
      {"\"\\n\u00e9\"", true},
      {"\"\\n\u00e9\\n and then more than eight\"", true},
      {R"({"\u0074ext":1})", true},
      {"{\"\u00e9\":1}", true},
  };
  for (const auto& [json, may] : rows) {
    for (std::size_t before = 0; before < 130; ++before) {
      // Behind other text in its string, behind other strings, and before more of them.
      const std::string long_text(before, 'x');
      EXPECT_EQ(may_hide(fmt::format(R"(["{}", {}, ""])", long_text, json)), may) << json;
      const std::string_view inner = json.substr(1);
      if (json.starts_with('"'))
        EXPECT_EQ(may_hide("\"" + long_text + std::string(inner)), may) << json;
    }
  }
  for (char32_t character = 1; character < 0xFFFF; ++character) {
    const bool is_surrogate = character >= 0xD800 && character < 0xE000;
    if (is_surrogate) continue;
    const std::string text = "a" + utf8(character) + "b";
    if (!has_hidden(text)) continue;
    const auto point = static_cast<std::uint32_t>(character);
    EXPECT_TRUE(may_hide(json_string(text))) << point;
    EXPECT_TRUE(may_hide(fmt::format(R"("a\u{:04x}b")", point))) << point;
  }
}

/// Repeats of what makes a search look around: nobody times it, but the program would not end.
TEST(HiddenText, IsLinearWhateverTheText) {
  constexpr std::size_t kRepeats = 400'000;
  for (const std::string_view piece :
       {"\x1B]", "\x1B]0;", "\x1BP\n", "\u2800", "\u200F", "\u200Fa", "\u2800\u200B", "\u0301",
        "\u0E19\u200B", "\u200D", "\U0001F3F4\U000E0067", "\u05D0\u200E", "\xF0\x9F", "\u009D"}) {
    std::string text;
    for (std::size_t i = 0; i < kRepeats; ++i)
      text += piece;
    find_hidden(text);
    const std::string left = without_hidden(text);
    EXPECT_FALSE(has_hidden(left)) << piece;
  }
}

/// Every row between two letters, where nothing needs it.
TEST(HiddenText, FindsEveryInvisibleCharacterOfTheCorpus) {
  const auto file = corpus_file("unicode-attacks/invisible_and_control.jsonl");
  if (file.empty()) GTEST_SKIP() << "no corpus; set BARTIZAN_CORPORA";
  std::size_t rows = 0;
  for (const std::string& line : corpus_lines(file)) {
    const Bytes bytes{std::string_view(line)};
    JsonDocument document;
    const auto row = document.read(bytes);
    ASSERT_TRUE(row.has_value());
    const std::string point(row->find("cp").text());
    const auto character = static_cast<char32_t>(std::stoul(point, nullptr, 16));
    const std::string text = "a" + utf8(character) + "b";
    const std::string left = without_hidden(text);
    // Behind ESC, or what opens a sequence in eight bits, the letter is the rest of it.
    const bool is_opener = character == 0x1B || character == 0x9B;
    EXPECT_TRUE(left == "ab" || left == "a\nb" || (is_opener && left == "a")) << point;
    ++rows;
  }
  EXPECT_GE(rows, 500);
}

TEST(HiddenText, LeavesNoControlOfTheTerminalCorpus) {
  const auto file = corpus_file("ansi-terminal/cases.jsonl");
  if (file.empty()) GTEST_SKIP() << "no corpus; set BARTIZAN_CORPORA";
  for (const std::string& line : corpus_lines(file)) {
    const Bytes bytes{std::string_view(line)};
    JsonDocument document;
    const auto row = document.read(bytes);
    ASSERT_TRUE(row.has_value());
    const std::string left = without_hidden(row->find("text").text());
    for (std::size_t at = 0; at < left.size(); ++at) {
      const char32_t character = read_character(left, at).value;
      const bool is_allowed = character == '\t' || character == '\n' ||
                              (character == '\r' && left.substr(at + 1).starts_with('\n'));
      const bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
      EXPECT_TRUE(is_allowed || !is_control) << line;
    }
  }
}

}  // namespace
}  // namespace bartizan
