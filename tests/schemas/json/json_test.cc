#include "schemas/json/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "schemas/json/json_index.h"
#include "schemas/json/json_scan.h"

namespace bartizan {
namespace {

constexpr std::int64_t kAccepted = -1;

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

/// An object of `count` members whose names differ only at the end, and one more named `last`.
std::string with_members(std::size_t count, std::string_view last) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i)
    text += "\"name" + std::to_string(i) + "\":0,";
  return text + '"' + std::string(last) + "\":0}";
}

TEST(JsonDocument, AcceptsAndRefuses) {
  const struct {
    std::string_view name;
    std::string text;
    std::int64_t offset;  ///< kAccepted, or where the error points.
    ErrorCode code = ErrorCode::json_syntax;
  } cases[] = {
      {"an object", R"({"a":1})", kAccepted},
      {"a scalar", "1", kAccepted},
      {"blanks around", " \t\r\n[1 , 2] \n", kAccepted},
      {"every escape", R"("\"\\\/\b\f\n\r\t\u0041\ud83d\ude00")", kAccepted},
      {"the same name in two objects", R"([{"a":1},{"a":1},{"a":{"a":1}}])", kAccepted},
      {"names that differ in case", R"({"a":1,"A":1})", kAccepted},
      {"nothing", "", 0},
      {"blanks only", "  ", 2},
      {"a trailing comma", "[1,]", 3},
      {"a comment", "[1/**/]", 2},
      {"single quotes", "{'a':1}", 1},
      {"a bare word", "[tru]", 4},
      {"NaN", "[NaN]", 1},
      {"a leading zero", "[01]", 1},
      {"a plus sign", "[+1]", 1},
      {"a cut number", "[1.]", 1},
      {"a raw control character", "[\"a\x01\"]", 3},
      {"an unknown escape", R"(["\x"])", 3},
      {"cut hex digits", R"(["\u00g0"])", 6},
      {"an open string", "[\"abc", 5},
      {"an open array", "[1", 2},
      {"the wrong bracket", "[1}", 2},
      {"no colon", R"({"a" 1})", 5},
      {"no name", "{1:1}", 1},
      {"a NUL behind", std::string("{}\0", 3), 2, ErrorCode::json_trailing},
      {"a second document", "{} {}", 3, ErrorCode::json_trailing},
      {"a byte order mark", "\xEF\xBB\xBF{}", 0, ErrorCode::json_encoding},
      {"a stray continuation", "[\"a\x80\"]", 3, ErrorCode::json_encoding},
      {"an overlong form", "[\"\xC0\xAF\"]", 2, ErrorCode::json_encoding},
      {"an encoded surrogate", "[\"\xED\xA0\x80\"]", 2, ErrorCode::json_encoding},
      {"beyond Unicode", "[\"\xF4\x90\x80\x80\"]", 2, ErrorCode::json_encoding},
      {"a lone high surrogate", R"(["\ud800"])", 2, ErrorCode::json_encoding},
      {"a lone low surrogate", R"(["\udc00"])", 2, ErrorCode::json_encoding},
      {"two low surrogates", R"(["\udc00\udc00"])", 2, ErrorCode::json_encoding},
      {"two high surrogates", R"(["\ud800\ud800"])", 2, ErrorCode::json_encoding},
      {"a repeated name", R"({"a":1,"b":2,"a":3})", 13, ErrorCode::json_duplicate_key},
      {"a repeated name, spelled apart", R"({"a":1,"\u0061":2})", 7, ErrorCode::json_duplicate_key},
      {"a repeated empty name", R"({"":1,"":2})", 6, ErrorCode::json_duplicate_key},
      {"a repeated name deep inside", R"([{"x":{"a":1,"a":2}}])", 13,
       ErrorCode::json_duplicate_key},
      {"the deepest nesting", nested(64), kAccepted},
      {"one too deep", nested(65), 64, ErrorCode::json_depth},
      {"far too deep", nested(5000), 64, ErrorCode::json_depth},
      {"too deep and broken later", std::string(70, '['), 64, ErrorCode::json_depth},
      {"the largest u64", "[18446744073709551615]", kAccepted},
      {"beyond u64", "[1,18446744073709551616]", kAccepted},
      {"beyond u64, in a text that is not plain", "[\"\u00fc\",18446744073709551616]", kAccepted},
      {"an integer as large as doubles are", "[1" + std::string(308, '0') + "]", kAccepted},
      {"a larger one", "[1,1" + std::string(309, '0') + "]", 3, ErrorCode::json_number},
      {"a larger one, in a text that is not plain", "[\"\u00fc\",-1" + std::string(309, '0') + "]",
       6, ErrorCode::json_number},
      {"a long integer with a zero in front", "[018446744073709551616]", 1},
      {"the smallest i64", "[-9223372036854775808]", kAccepted},
      {"below i64", "[-9223372036854775809]", kAccepted},
      {"the largest double", "[1.7976931348623157e308]", kAccepted},
      {"beyond double", "[1e309]", 1, ErrorCode::json_number},
      {"too small is zero", "[1e-400]", kAccepted},
      {"a zero with any exponent", "[0e99999]", kAccepted},
      {"many members", with_members(500, "name500"), kAccepted},
      {"a repeated one of many", with_members(14, "name7"), 145, ErrorCode::json_duplicate_key},
      {"many members, spelled apart", with_members(14, R"(n\u0061me13)"), 145,
       ErrorCode::json_duplicate_key},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes(c.text);
    const Result<JsonValue> root = document.read(bytes);
    ASSERT_EQ(root.has_value(), c.offset == kAccepted);
    if (root) continue;
    EXPECT_EQ(error_text(root.error().code), error_text(c.code));
    EXPECT_EQ(root.error().offset, c.offset);
    EXPECT_EQ(root.error().fault, Fault::client);
    EXPECT_FALSE(document.root());
    EXPECT_TRUE(document.bytes().empty());
  }
}

/// Whether a text was refused since an object has a name twice.
bool repeats_a_name(const Result<JsonValue>& read) {
  return !read.has_value() && read.error().code == ErrorCode::json_duplicate_key;
}

// What stands behind a text is no part of it.
TEST(JsonIndexer, EndsWithTheText) {
  const std::string_view texts[] = {R"([1, {"a" : "b"} ] )", "[1\n]", "[[] ]",
                                    R"({"a":-1.0e+28} )",    "12 ",   "true "};
  JsonIndexer indexer;
  JsonIndex index;
  for (const std::string_view text : texts) {
    const Bytes bytes(text);
    for (std::size_t size = 1; size < text.size(); ++size) {
      const std::string_view cut = bytes.view().substr(0, size);
      EXPECT_EQ(indexer.accept(index, cut, {}), !scan_json(cut, {}).flaw.has_value()) << cut;
    }
  }
}

// Whatever is changed of a text, the readers that are fast and the one that is slow agree on it.
TEST(JsonDocument, AgreesWithTheSlowReader) {
  const std::string_view texts[] = {
      R"({"a":[1,2.5e3,-0,true],"b":{"c":null,"d":"x\n\"y"},"e":""})",
      R"( [ { } , [ ] , "a longer text than eight bytes" , false , 12345678901234567 ] )",
      "[18446744073709551615,-9223372036854775808,1e308]",
      R"({"x":"\u0041\u00e9","\ud83d\ude00":["\\",{"":[[[]]]}]})",
      "[\"\u00e9\",\"\u4e2d\u6587\",{\"k\":\"v\"}]",
  };
  const std::string_view pieces[] = {"\"",
                                     "\\",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     " ",
                                     "\n",
                                     "\t",
                                     "0",
                                     "-",
                                     "1",
                                     ".",
                                     "e",
                                     "E",
                                     "+",
                                     "t",
                                     "true",
                                     "nul",
                                     "null",
                                     "a",
                                     "\x01",
                                     "\x1f",
                                     "\x7f",
                                     "\x80",
                                     "\xff",
                                     "\u00e9",
                                     "/",
                                     "\\n",
                                     "\\u",
                                     "\\u00",
                                     "\\ud800",
                                     "99999999999999999999",
                                     "\xEF\xBB\xBF",
                                     std::string_view("\0", 1),
                                     "\"\"",
                                     "\f"};
  JsonDocument document;
  std::size_t accepted = 0;
  const auto compare = [&](const std::string& text) {
    for (const JsonLimits& limits : {JsonLimits{}, kResponseLimits}) {
      const Bytes bytes{std::string_view(text)};
      const Result<JsonValue> read = document.read(bytes, limits);
      const bool is_json = !text.empty() && !scan_json(text, limits).flaw.has_value();
      ASSERT_EQ(read.has_value() || repeats_a_name(read), is_json) << text;
      accepted += read.has_value() ? 1 : 0;
      JsonIndexer indexer;
      JsonIndex once;
      if (text.empty() || !indexer.accept(once, bytes.view(), limits)) continue;
      // What is taken at once is what two passes make of it.
      JsonIndex twice;
      ASSERT_TRUE(read.has_value() && indexer.run(twice, bytes.view(), limits).has_value()) << text;
      ASSERT_TRUE(once.is_plain && twice.is_plain) << text;
      ASSERT_EQ(once.text, twice.text) << text;
      ASSERT_EQ(once.nodes.size(), twice.nodes.size()) << text;
      for (std::size_t i = 0; i < once.nodes.size(); ++i) {
        const JsonNode& one = once.nodes[i];
        const JsonNode& other = twice.nodes[i];
        ASSERT_EQ(
            std::tuple(one.begin, one.end, one.key, one.next, one.type, one.key_size),
            std::tuple(other.begin, other.end, other.key, other.next, other.type, other.key_size))
            << text;
      }
    }
  };
  for (const std::string_view text : texts) {
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const std::string before(text.substr(0, at));
      compare(before);
      compare(before + std::string(text.substr(std::min(at + 1, text.size()))));
      for (const std::string_view piece : pieces) {
        compare(before + std::string(piece) + std::string(text.substr(at)));
        compare(before + std::string(piece) +
                std::string(text.substr(std::min(at + 1, text.size()))));
      }
    }
  }
  EXPECT_GT(accepted, 1000U);
}

TEST(JsonDocument, HoldsToItsLimits) {
  const struct {
    std::string_view name;
    std::string_view text;
    JsonLimits limits;
    bool is_accepted;
  } cases[] = {
      {"as many bytes as allowed", "[123]", {.bytes_max = 5}, true},
      {"a byte too many", "[1234]", {.bytes_max = 5}, false},
      {"as many values as allowed", "[1,[2],3]", {.values_max = 5}, true},
      {"a value too many", "[1,[2],3,4]", {.values_max = 5}, false},
      {"empty containers count", "[[],{},[]]", {.values_max = 3}, false},
      {"separators in strings do not", R"([",,,,,,[[[["])", {.values_max = 2}, true},
      {"names do not", R"({"a":1})", {.values_max = 2}, true},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes(c.text);
    const Result<JsonValue> root = document.read(bytes, c.limits);
    ASSERT_EQ(root.has_value(), c.is_accepted);
    if (!root) EXPECT_EQ(root.error().code, ErrorCode::json_size);
  }
}

TEST(JsonDocument, KeepsIntegersBeyond64BitsAsText) {
  for (const std::string_view name : {"plain", "not \xC3\xBC plain"}) {
    SCOPED_TRACE(name);
    const Bytes bytes(R"({"is":")" + std::string(name) + R"(","n":-1180591620717411303425})");
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes);
    ASSERT_TRUE(root.has_value());
    const JsonValue number = root->find("n");
    EXPECT_EQ(number.raw(), "-1180591620717411303425");
    EXPECT_FALSE(number.integer());
    EXPECT_EQ(number.number(), -0x1p70);
  }
}

TEST(JsonDocument, KeepsNumbersOfAnswersAsText) {
  const Bytes bytes(R"({"a":18446744073709551616,"b":-1e999,"c":[1e999,2]})");
  JsonDocument document;
  EXPECT_EQ(document.read(bytes).error().code, ErrorCode::json_number);
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->find("a").raw(), "18446744073709551616");
  EXPECT_FALSE(root->find("a").integer());
  EXPECT_EQ(root->find("b").raw(), "-1e999");
  EXPECT_FALSE(root->find("b").number());
  EXPECT_EQ(root->at_pointer("/c/1").integer(), 2);
  const Bytes broken("[1e999,]");
  EXPECT_EQ(document.read(broken, kResponseLimits).error().offset, 7);
}

TEST(JsonDocument, FindsARepeatedNameAmongThousands) {
  // Long common beginnings and one repetition at the very end.
  const std::size_t count = 50'000;
  const std::string text = with_members(count, "name0");
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  ASSERT_FALSE(root.has_value());
  EXPECT_EQ(root.error().code, ErrorCode::json_duplicate_key);
  EXPECT_EQ(root.error().offset, static_cast<std::int64_t>(text.rfind("\"name0\"")));
}

TEST(RepeatedNames, FindsThemWhenAllCollide) {
  // Under a secret of zero every name has the same hash.
  RepeatedNames names({0, 0});
  JsonIndexer indexer;
  JsonIndex index;
  const Bytes unique(with_members(500, "name500"));
  ASSERT_TRUE(indexer.run(index, unique.view(), {}).has_value());
  EXPECT_EQ(names.find_repeated(index, 0, 501), RepeatedNames::kNone);
  // The indexer refuses this one, but only once it has indexed it.
  const Bytes repeated(with_members(500, "name7"));
  ASSERT_FALSE(indexer.run(index, repeated.view(), {}).has_value());
  EXPECT_EQ(names.find_repeated(index, 0, 501), 501U);
}

TEST(JsonDocument, IsUsedAgain) {
  JsonDocument document;
  const Bytes first(R"({"a":"x\u00fcy"})");
  const Bytes second(R"(["\u00e9"])");
  ASSERT_TRUE(document.read(first).has_value());
  const std::size_t capacity = document.capacity();
  EXPECT_GT(capacity, 0U);
  const Result<JsonValue> root = document.read(second);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ((*root->begin()).text(), "\xC3\xA9");
  EXPECT_EQ(document.capacity(), capacity);
  const JsonDocument moved = std::move(document);
  EXPECT_EQ((*root->begin()).text(), "\xC3\xA9");
  EXPECT_EQ(moved.bytes(), second.view());
}

TEST(JsonValue, TellsWhereThingsLie) {
  const std::string_view text = R"( {"a" : [ 1, {"b\n":"x\ty"} ], "long": -2.50e1 })";
  const Bytes bytes(text);
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  EXPECT_EQ(root.range(), (ByteRange{1, text.size()}));
  EXPECT_EQ(root.size(), 2U);
  EXPECT_EQ(root.find("a").raw(), R"([ 1, {"b\n":"x\ty"} ])");
  EXPECT_EQ(root.find("long").raw(), "-2.50e1");
  const JsonValue inner = root.at_pointer("/a/1/b\n");
  EXPECT_EQ(inner.text(), "x\ty");
  EXPECT_EQ(inner.raw(), R"("x\ty")");
  EXPECT_EQ(inner.key(), "b\n");
  EXPECT_EQ(inner.key_range().of(text), R"("b\n")");
  EXPECT_EQ(root.find("long").key_range().of(text), R"("long")");
  EXPECT_EQ(root.key(), "");
  EXPECT_EQ(root.find("a").begin().operator*().key(), "");
}

TEST(JsonValue, KeepsVeryLongNames) {
  const std::string name(70'000, 'n');
  const std::string text = "{\"" + name + "\":1,\"e\\n" + name + "\":2,\"q\\\"" + name + "\":3}";
  const Bytes bytes(text);
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  EXPECT_EQ(root.find(name).integer(), 1);
  EXPECT_EQ(root.find(name).key_range().size(), name.size() + 2);
  EXPECT_EQ(root.find("e\n" + name).key_range().size(), name.size() + 5);
  EXPECT_EQ(root.find("q\"" + name).integer(), 3);
}

TEST(JsonValue, HasStringsOfEverySize) {
  for (std::size_t size = 0; size < 220; ++size) {
    const std::string words(size, 'w');
    for (std::size_t escape = 0; escape <= size; ++escape) {
      std::string inside = words;
      inside.insert(escape, R"(\")");
      std::string text = words;
      text.insert(escape, "\"");
      std::string json = R"({"plain":")";
      json.append(words).append(R"(","escaped":")").append(inside).append(R"("})");
      const Bytes bytes{std::string_view(json)};
      JsonDocument document;
      const Result<JsonValue> root = document.read(bytes);
      ASSERT_TRUE(root.has_value()) << json;
      EXPECT_EQ(root->find("plain").text(), words);
      EXPECT_EQ(root->find("escaped").text(), text);
    }
  }
}

TEST(JsonValue, AnswersAbsentForOtherTypes) {
  const Bytes bytes(R"({"s":"1","n":1,"b":true,"z":null,"o":{},"a":[]})");
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  EXPECT_EQ(root.find("n").text(), "");
  EXPECT_FALSE(root.find("s").integer());
  EXPECT_FALSE(root.find("s").number());
  EXPECT_FALSE(root.find("n").boolean());
  EXPECT_EQ(root.find("b").boolean(), true);
  EXPECT_TRUE(root.find("z").is(JsonType::null));
  EXPECT_EQ(root.find("o").size(), 0U);
  EXPECT_EQ(root.find("s").size(), 0U);
  EXPECT_FALSE(root.find("a").find("x"));
  const JsonValue absent = root.find("x");
  EXPECT_FALSE(absent);
  EXPECT_FALSE(absent.is(JsonType::null));
  EXPECT_FALSE(absent.find("y"));
  EXPECT_FALSE(absent.at_pointer("/y"));
  EXPECT_EQ(absent.raw(), "");
  EXPECT_EQ(absent.size(), 0U);
}

TEST(JsonValue, FollowsPointers) {
  // The examples of RFC 6901 §5, and what must select nothing.
  const Bytes bytes(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,)"
                    R"("e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  const struct {
    std::string_view pointer;
    std::string_view raw;  ///< Empty: nothing is selected.
  } cases[] = {
      {"", bytes.view()},
      {"/foo", R"(["bar","baz"])"},
      {"/foo/0", R"("bar")"},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/c%d", "2"},
      {"/e^f", "3"},
      {"/g|h", "4"},
      {"/i\\j", "5"},
      {"/k\"l", "6"},
      {"/ ", "7"},
      {"/m~0n", "8"},
      {"/foo/2", ""},
      {"/foo/-", ""},
      {"/foo/01", ""},
      {"/foo/+1", ""},
      {"/foo/0/x", ""},
      {"/m~n", ""},
      {"/m~", ""},
      {"foo", ""},
      {"/foo/", ""},
      {"/foo/99999999999999999999", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.pointer);
    EXPECT_EQ(root.at_pointer(c.pointer).raw(), c.raw);
  }
}

TEST(JsonValue, ReadsNumbersExactly) {
  const struct {
    std::string_view token;
    std::optional<std::int64_t> integer;
  } cases[] = {
      {"0", 0},
      {"-0", 0},
      {"42", 42},
      {"42.0", 42},
      {"4.2e1", 42},
      {"420e-1", 42},
      {"1e0", 1},
      {"-1.50E1", -15},
      {"0.0e5", 0},
      {"9007199254740993", 9007199254740993},
      {"9007199254740993.0", 9007199254740993},
      {"9223372036854775807", 9223372036854775807},
      {"9223372036854775807.0", 9223372036854775807},
      {"-9223372036854775808.0", std::numeric_limits<std::int64_t>::min()},
      {"9223372036854775808", std::nullopt},
      {"9223372036854775808.0", std::nullopt},
      {"1e19", std::nullopt},
      {"1e18", 1'000'000'000'000'000'000},
      {"4.25", std::nullopt},
      {"42e-1", std::nullopt},
      {"1e-400", std::nullopt},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.token);
    const Bytes bytes(c.token);
    EXPECT_EQ(document.read(bytes).value().integer(), c.integer);
  }
  const Bytes fraction("-2.5e-1");
  EXPECT_EQ(document.read(fraction).value().number(), -0.25);
}

TEST(AppendJsonString, EscapesWhatJsonForbids) {
  const struct {
    std::string_view text;
    std::string_view json;
  } cases[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"\"\\/", R"("\"\\/")"},
      {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
      {std::string_view("\0\x1F\x7F", 3), "\"\\u0000\\u001f\x7F\""},
      {"caf\xC3\xA9", "\"caf\xC3\xA9\""},
  };
  for (const auto& c : cases) {
    std::string out = ">";
    append_json_string(out, c.text);
    EXPECT_EQ(out, ">" + std::string(c.json));
  }
}

}  // namespace
}  // namespace bartizan
