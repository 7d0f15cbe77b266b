#include "policy/sanitise/sanitiser.h"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "policy/sanitise/active_markup.h"
#include "policy/text/hidden_text.h"
#include "schemas/json/json_text.h"
#include "tests/policy/benign_output.h"
#include "tests/policy/sanitise/sanitise_json.h"

namespace bartizan {
namespace {

/// What a configuration wants of a result of `web/fetch`.
std::optional<Sanitising> wanted(const Config& config, Carrier carrier = Carrier::results,
                                 std::string_view tool = "fetch") {
  static std::vector<std::unique_ptr<SanitisingRules>> kept;
  kept.push_back(std::make_unique<SanitisingRules>(config));
  return kept.back()->find({.carrier = carrier, .server = "web", .tool = tool});
}

Config config_of(std::string_view toml) {
  std::string text = R"(version = 1
[audit]
file = "audit.jsonl"
[server.web]
command = ["/bin/true"]
[role.analyst]
trust = "verified"
)";
  LoadedConfig loaded = load_config_text(text.append(toml), "test.toml");
  EXPECT_TRUE(loaded.usable()) << text;
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << bartizan::text(problem);
  return loaded.config;
}

std::string told(const Sanitisation& sanitised) {
  std::string all;
  for (const Sanitised& one : sanitised.found)
    all += (all.empty() ? "" : ", ") + text(one);
  return all;
}

TEST(Sanitiser, RewritesOnlyWhatIsHidden) {
  const struct {
    std::string_view name, rule, json, want, found;
  } cases[] = {
      {"by default it is removed", "", R"({"result":{"text":"a\u200Bb"}})",
       R"({"result":{"text":"ab"}})", "zero-width remove 1"},
      {"in bytes as well as in escapes", "", "{ \"result\":{\"text\":\"\\u0041\u202Eb\\u202e\"} }",
       "{ \"result\":{\"text\":\"\\u0041b\"} }", "bidi remove 2"},
      {"of pairs of surrogates both", "", R"({"result":"\uDB40\uDC41x\ud83d\ude00"})",
       R"({"result":"x\ud83d\ude00"})", "tag remove 1"},
      {"names of members", "", R"({"result":{"a\u0000b":1,"c":[true]}})",
       R"({"result":{"ab":1,"c":[true]}})", "control remove 1"},
      {"an escape of a terminal", "", R"({"result":"\u001b[1mBold\u001B[0m\n"})",
       R"({"result":"Bold\n"})", "escape remove 2"},
      {"a line that overwrites becomes one", "", R"({"result":"50%\r100%\r\n"})",
       R"({"result":"50%\n100%\r\n"})", "line-break remove 1"},
      {"shown", "[sanitise.default]\nhidden = \"show\"",
       R"({"result":"a\u202eb\u001b]0;\"\u0007"})",
       R"({"result":"a[U+202E]b[U+001B]]0;\"[U+0007]"})", "bidi show 1, escape show 1"},
      {"kept, on record", "[sanitise.default]\nhidden = \"keep\"", R"({"result":"a\u202eb"})", "",
       "bidi keep 1"},
      {"ids mean what they say, and cursors of what is not a list nothing", "",
       R"({"id":"a\u200b","result":{"tools":[],"nextCursor":"b\u200b"}})",
       R"({"id":"a\u200b","result":{"tools":[],"nextCursor":"b"}})", "zero-width remove 1"},
      {"pictures are no texts", "",
       R"({"result":{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}})", "", ""},
      {"of a file by default nothing either", "", R"({"result":"a\f\ue0b0b\u00adc\u200bd"})",
       R"({"result":"a\nbcd"})",
       "line-break remove 1, private-use remove 1, soft-hyphen remove 1, zero-width remove 1"},
      {"what belongs to a file", "[sanitise.files]\ntext = \"source\"\ntools = [\"web/*\"]",
       R"({"result":"a\f\ue0b0b\u00adc\u200bd\u000be"})", R"({"result":"a\f\ue0b0b\u00adcd\ne"})",
       "zero-width remove 1, line-break remove 1"},
      {"of another tool", "[sanitise.files]\ntext = \"source\"\ntools = [\"web/other\"]",
       R"({"result":"a\fb"})", R"({"result":"a\nb"})", "line-break remove 1"},
      {"nothing is hidden", "", R"({"result":"caf\u00e9 \u2764\ufe0f","\u4e2d":"\t"})", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Config config = config_of(c.rule);
    const Sanitisation sanitised = sanitise_json(*wanted(config), c.json);
    EXPECT_EQ(sanitised.left.value_or(""), c.want);
    EXPECT_EQ(told(sanitised), c.found);
    EXPECT_FALSE(sanitised.is_withheld);
  }
}

TEST(Sanitiser, LeavesTheCursorOfAListAlone) {
  const Config config = config_of("");
  const Bytes bytes(R"({"id":1,"result":{"tools":[],"nextCursor":"b\u200b"}})");
  JsonDocument document;
  const JsonValue message = *document.read(bytes);
  const auto left = [&](MethodId method) {
    return sanitise(*wanted(config), message, message.find("result"), {method}).left;
  };
  EXPECT_EQ(left(MethodId::tools_list), std::nullopt);
  EXPECT_EQ(left(MethodId::tools_call), R"({"id":1,"result":{"tools":[],"nextCursor":"b"}})");
}

TEST(Sanitiser, RefusesWhatItIsToldTo) {
  const Config hidden = config_of("[sanitise.default]\nhidden = \"refuse\"");
  EXPECT_TRUE(sanitise_json(*wanted(hidden), R"({"result":"a\u202eb"})").is_withheld);
  EXPECT_EQ(sanitise_json(*wanted(hidden), R"({"result":"a\u202eb"})").found.front().rule,
            "default");
  EXPECT_FALSE(sanitise_json(*wanted(hidden), R"({"result":"a b"})").is_withheld);
  const Config markup = config_of("[sanitise.default]\nmarkup = \"refuse\"");
  EXPECT_TRUE(sanitise_json(*wanted(markup), R"({"result":"<script>"})").is_withheld);
  EXPECT_EQ(sanitise_json(*wanted(markup), R"({"result":"<script>"})").found.front().rule,
            "default");
  EXPECT_FALSE(sanitise_json(*wanted(markup), R"({"result":"a < b"})").is_withheld);
  EXPECT_EQ(told(sanitise_json(*wanted(markup), R"({"result":"<img src=x>"})")), "html refuse 1");
}

TEST(Sanitiser, WithholdsWhatHasMorePartsThanTheBound) {
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  std::string text;
  for (std::size_t i = 0; i < kHiddenPartsMax; ++i)
    text += "<?";
  EXPECT_FALSE(sanitise(*wanted(config), text).is_withheld);
  EXPECT_TRUE(sanitise(*wanted(config), text + "<?").is_withheld);
  EXPECT_TRUE(may_need_sanitising(text));
  EXPECT_FALSE(may_need_sanitising("a < b"));
}

TEST(Sanitiser, LooksWhereItIsTold) {
  const Config config = config_of(R"([sanitise.default]
in = ["results"]
hidden = "keep"
[sanitise.fetched]
hidden = "refuse"
tools = ["web/fetch"]
[sanitise.analysts]
hidden = "show"
roles = ["analyst"])");
  EXPECT_EQ(wanted(config)->hidden, HiddenText::refuse);
  EXPECT_EQ(wanted(config)->hidden_by, "fetched");
  EXPECT_EQ(wanted(config, Carrier::results, "search")->hidden, HiddenText::keep);
  EXPECT_EQ(wanted(config, Carrier::errors)->hidden, HiddenText::refuse);
  EXPECT_FALSE(wanted(config, Carrier::errors, "search").has_value());
  EXPECT_FALSE(wanted(config_of(""), Carrier::records).has_value());
  EXPECT_EQ(wanted(config)->injection, InjectionScreen::observe);
  const Config screened = config_of(R"([sanitise.default]
injection = "mark"
[sanitise.fetched]
injection = "withhold"
tools = ["web/fetch"])");
  EXPECT_EQ(wanted(screened)->injection, InjectionScreen::withhold);
  EXPECT_EQ(wanted(screened, Carrier::results, "search")->injection, InjectionScreen::mark);
  const SanitisingRules rules(config);
  Principal analyst;
  analyst.roles = {"analyst"};
  EXPECT_EQ(
      rules.find({.carrier = Carrier::results, .tool = "search", .principal = &analyst})->hidden,
      HiddenText::show);
}

TEST(Sanitiser, DefusesWhatIsLeftOnceNothingIsHidden) {
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  const Sanitisation sanitised =
      sanitise_json(*wanted(config), R"({"result":"<scr\u200bipt>say \"1\""})");
  EXPECT_EQ(sanitised.left.value_or(""), R"({"result":"&lt;script>say \"1\""})");
  EXPECT_EQ(told(sanitised), "zero-width remove 1, html defuse 1");
}

/// A result whose blocks say the parts of a text, which bars part.
std::string neighbours(std::string_view parts, std::string_view before = R"({"text":")",
                       std::string_view after = "\"}") {
  std::string json = R"({"result":{"content":[)";
  for (const auto part : std::views::split(parts, '|'))
    json.append(before).append(std::string_view(part)).append(after) += ',';
  json.back() = ']';
  return json + "}}";
}

/// What one text begins, the next one may end: clients show them as one.
TEST(Sanitiser, DefusesWhatIsSplitBetweenNeighbours) {
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  const struct {
    std::string_view name, texts, want, found;
  } cases[] = {
      {"a link between its halves", "[a]|(//x/?q)", "[a&#93;|(//x/?q)", "link defuse 1"},
      {"a target in the next text", "![a](|//x)", "![a&#93;(|//x)", "link defuse 1"},
      {"a definition whose target is on the next line", "[a]:|//x", "[a&#93;:|//x",
       "link defuse 1"},
      {"the name of a tag", "a<scr|ipt>", "a&lt;scr|ipt>", "html defuse 1"},
      {"the name of an attribute", "<a hr|ef=//x>", "&lt;a hr|ef=//x>", "html defuse 1"},
      {"an attribute on the next line", "<a|href=//x>", "&lt;a|href=//x>", "html defuse 1"},
      {"in four texts, one of them empty", "<i||fra|me>", "&lt;i||fra|me>", "html defuse 1"},
      {"with something hidden before it", R"(\u200b<scr|\u200bipt>)", "&lt;scr|ipt>",
       "zero-width remove 2, html defuse 1"},
      {"what is active by itself is counted once", "<script>|b", "&lt;script>|b", "html defuse 1"},
      {"both, in one text", "<b>]<i>[c]|(//x)<scr|ipt>", R"(<b>]<i>[c&#93;|(//x)&lt;scr|ipt>)",
       "link defuse 1, html defuse 1"},
      {"a bracket that only backslashes stand before", R"(![x\\|](//x))", R"(![x\\|&#93;(//x))",
       "link defuse 1"},
      {"… of its own as well", R"(![x\\|\\](//x))", R"(![x\\|\\&#93;(//x))", "link defuse 1"},
      {"nor where the halves do nothing", "a <b|r> c [d]| (e)", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Sanitisation sanitised = sanitise_json(*wanted(config), neighbours(c.texts));
    EXPECT_EQ(sanitised.left.value_or(""), c.want.empty() ? "" : neighbours(c.want));
    EXPECT_EQ(told(sanitised), c.found);
  }
  const auto left = [&](std::string_view before, std::string_view after) {
    const Sanitisation sanitised =
        sanitise_json(*wanted(config), neighbours("<scr|ipt>", before, after));
    return sanitised.left.has_value();
  };
  EXPECT_TRUE(left(R"({"resource":{"text":")", "\"}}"));
  EXPECT_TRUE(left(R"({"role":"user","content":{"text":")", "\"}}"));
  EXPECT_TRUE(left(R"({"role":"user","content":[{"text":")", "\"}]}"));
  EXPECT_TRUE(left(R"({"text":"nobody sees","resource":{"text":")", "\"}}"));
  EXPECT_TRUE(left(R"({"type":"image"},{"text":")", "\"}")) << "an image says no text";
  EXPECT_TRUE(left(R"({"resource":{"text":"a"},"type":"resource"},{"type":"text","text":")", "\"}"))
      << "many clients show texts alone";
  EXPECT_TRUE(left(R"({"type":"text","resource":{"text":"a"},"content":{},"text":")", "\"}"))
      << "a text is what it says itself";
  EXPECT_FALSE(left("\"", "\"")) << "a list of strings is not shown as one";
  const Config refusing = config_of("[sanitise.default]\nmarkup = \"refuse\"");
  EXPECT_TRUE(sanitise_json(*wanted(refusing), neighbours("<scr|ipt>")).is_withheld);
}

/// What reads JSON out of a text can still do so.
TEST(Sanitiser, LeavesJsonOfTextsReadable) {
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  const struct {
    std::string_view name, text, left;
  } cases[] = {
      {"a link", R"~({"md":"[x](//evil.example)"})~", R"~({"md":"[x&#93;(//evil.example)"})~"},
      {"a list", R"~(["![x](//evil.example)", 1])~", R"~(["![x&#93;(//evil.example)", 1])~"},
      {"lines of JSON", "{\"md\":\"[x](//evil.example)\"}\n{}",
       "{\"md\":\"[x&#93;(//evil.example)\"}\n{}"},
      {"no JSON", "[x](//evil.example)", "[x&#93;(//evil.example)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(sanitise(*wanted(config), c.text).left.value_or(""), c.left);
  }
}

/// Neither text has too much in it; who reads both finds more than anybody would.
TEST(Sanitiser, WithholdsWhatHasTooMuchBetweenNeighbours) {
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  std::string text;
  for (std::size_t i = 0; i < kHiddenPartsMax / 2 + 1; ++i)
    text += "<script>";
  const Sanitisation sanitised = sanitise_json(*wanted(config), neighbours(text + "|" + text));
  EXPECT_TRUE(sanitised.is_withheld);
  EXPECT_EQ(sanitised.left, std::nullopt);
  EXPECT_EQ(told(sanitised), "html refuse 1");
}

/// However markup is cut into texts, nothing of it is active in any of them, nor once they are one.
TEST(Sanitiser, LeavesNothingActiveHoweverItIsSplit) {
  constexpr std::string_view words[] = {
      "<", "script", "img ", "a",  " href=", "src=", "onerror=", "hidden", ">",    "]",    "(",
      ")", "[",      "!",    "\\", "\"",     "'",    "\n",       " ",      "<!--", "&lt;", "//x",
      "/", "#",      "=",    "<b", "](",     "]:",   "[a]",      "<//x>",  "style"};
  constexpr int kTries = 20'000;
  const Config config = config_of("[sanitise.default]\nmarkup = \"defuse\"");
  const std::optional<Sanitising> sanitising = wanted(config);
  const LinkFilter nowhere = [](const UrlHost&) { return false; };
  std::mt19937 random(15);
  const auto below = [&](std::size_t end) { return random() % end; };
  for (int i = 0; i < kTries; ++i) {
    std::string json = R"({"result":[)";
    for (std::size_t texts = 2 + below(3); texts > 0; --texts) {
      std::string text;
      for (std::size_t left = below(7); left > 0; --left)
        text += words[below(std::size(words))];
      json += R"({"text":)" + json_string(text) + (texts > 1 ? "}," : "}]}");
    }
    const std::string left = sanitise_json(*sanitising, json).left.value_or(json);
    const ReadJson read(left);
    std::string joined;
    std::string lines;
    for (const JsonValue block : read.root.find("result")) {
      const std::string_view text = block.find("text").text();
      EXPECT_FALSE(has_active_markup(text, nowhere)) << json << '\n' << left;
      joined += text;
      lines += (lines.empty() ? "" : "\n") + std::string(text);
    }
    EXPECT_FALSE(has_active_markup(joined, nowhere)) << json << '\n' << left;
    EXPECT_FALSE(has_active_markup(lines, nowhere)) << json << '\n' << left;
  }
}

TEST(Sanitiser, TellsHostsThatAreNoneAndRulesThatDoNothing) {
  const struct {
    std::string_view name, toml, want;
  } cases[] = {
      {"a host", "[sanitise.a]\nmarkup = \"defuse\"\nhosts = [\"https://x\"]",
       "test.toml:10:9: error: \"https://x\" is not a pattern of hosts; write a name in lower "
       "case, "
       "\"*.NAME\" for one label more, or \"**.NAME\" for all below it"},
      {"hosts for nothing", "[sanitise.a]\nhidden = \"show\"\nhosts = [\"example.com\"]",
       "test.toml:10:9: warning: \"hosts\" has no effect: the sanitising \"a\" keeps all markup; "
       "write markup = \"defuse\""},
      {"origins for nothing",
       "[sanitise.a]\nhidden = \"show\"\nui_origins = [\"https://example.com\"]",
       "test.toml:10:14: warning: \"ui_origins\" has no effect: the sanitising \"a\" keeps all "
       "markup; write markup = \"defuse\""},
      {"a rule that does nothing", "[sanitise.a]\ntools = [\"web/*\"]",
       "test.toml:8:11: warning: the sanitising \"a\" does nothing: it keeps all; of several rules "
       "the strongest counts; to keep what [sanitise.default] removes, change that"},
      {"records of one tool",
       "[sanitise.a]\nhidden = \"show\"\nin = [\"records\"]\ntools = "
       "[\"web/*\"]",
       "test.toml:8:11: warning: the sanitising \"a\" does not apply to records and the log: it is "
       "for some tools only; leave \"records\" out of its \"in\""},
      {"a rule that marks", "[sanitise.a]\ninjection = \"mark\"", ""},
      {"a rule that marks what is not screened",
       "[sanitise.a]\nin = [\"definitions\"]\ninjection = \"withhold\"",
       "test.toml:8:11: warning: \"injection\" has no effect: \"in\" of the sanitising \"a\" names "
       "nothing that is screened; write \"results\", \"errors\", \"notifications\" or \"requests\" "
       "in its \"in\""},
      {"records are not, either",
       "[sanitise.a]\nin = [\"records\"]\nhidden = \"show\"\ninjection = \"mark\"",
       "test.toml:8:11: warning: \"injection\" has no effect: \"in\" of the sanitising \"a\" names "
       "nothing that is screened; write \"results\", \"errors\", \"notifications\" or \"requests\" "
       "in its \"in\""},
      {"one that is screened suffices",
       "[sanitise.a]\nin = [\"records\", \"requests\"]\ninjection = \"mark\"", ""},
      {"the default, kept", "[sanitise.default]\nhidden = \"keep\"", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string all;
    for (const ConfigProblem& problem : find_sanitising_problems(config_of(c.toml)))
      all += bartizan::text(problem);
    EXPECT_EQ(all, c.want);
  }
}

/// What tools say every day comes through byte for byte.
TEST(Sanitiser, LeavesBenignOutputAsItIs) {
  constexpr std::size_t kBytes = std::size_t{10} << 20;
  const Config config = config_of("");
  const std::optional<Sanitising> sanitising = wanted(config);
  for (const BenignOutput& output : benign_output(kBytes, 6)) {
    const Sanitisation sanitised = sanitise(*sanitising, output.text);
    EXPECT_FALSE(sanitised.left.has_value()) << output.kind << ": " << told(sanitised) << '\n'
                                             << output.text.substr(0, 400);
  }
}

}  // namespace
}  // namespace bartizan
