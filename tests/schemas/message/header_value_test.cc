#include "schemas/message/header_value.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

using namespace std::string_literals;

TEST(Base64, IsStrict) {
  const struct {
    std::string_view name;
    std::string_view text;
    std::optional<std::string> bytes;
  } cases[] = {
      {"nothing", "", ""},
      {"one byte", "Zg==", "f"},
      {"two bytes", "Zm8=", "fo"},
      {"three bytes", "Zm9v", "foo"},
      {"four bytes", "Zm9vYg==", "foob"},
      {"all values", "AP/+", "\0\xFF\xFE"s},
      {"no padding", "Zg", std::nullopt},
      {"too little padding", "Zg=", std::nullopt},
      {"padding only", "====", std::nullopt},
      {"one digit", "Z===", std::nullopt},
      {"padding inside", "Zg==Zm9v", std::nullopt},
      {"bits behind the last byte", "Zh==", std::nullopt},
      {"more bits behind", "Zm9=", std::nullopt},
      {"the URL alphabet", "AP_-", std::nullopt},
      {"a line break", "Zm9v\n", std::nullopt},
      {"a blank", "Zm9 ", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_base64(c.text), c.bytes);
    if (c.bytes) EXPECT_EQ(encode_base64(*c.bytes), c.text);
  }
}

TEST(HeaderValue, Decodes) {
  const struct {
    std::string_view name;
    std::string_view value;
    std::optional<std::string> decoded;
  } cases[] = {
      {"a plain value", "read_file", "read_file"},
      {"surrounding blanks", " \tread_file\t ", "read_file"},
      {"inner blanks", "a b", "a b"},
      {"nothing", "", ""},
      {"a sentinel", "=?base64?cmVhZF9maWxl?=", "read_file"},
      {"a sentinel between blanks", " =?base64?cmVhZF9maWxl?= ", "read_file"},
      {"an empty sentinel",
       "=?base64?"
       "?=",
       ""},
      {"bad Base64", "=?base64?!!!?=", std::nullopt},
      {"unpadded Base64", "=?base64?Zg?=", std::nullopt},
      {"not UTF-8", "=?base64?/w==?=", std::nullopt},
      {"upper-case markers are no markers", "=?BASE64?Zg==?=", "=?BASE64?Zg==?="},
      {"an open sentinel", "=?base64?Zg==", "=?base64?Zg=="},
      {"markers that overlap", "=?base64?=", "=?base64?="},
      {"percent signs stay", "read%5Ffile", "read%5Ffile"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_header_value(c.value), c.decoded);
  }
}

TEST(HeaderValue, Encodes) {
  const struct {
    std::string_view name;
    std::string_view json;
    std::optional<std::string> header;
  } cases[] = {
      {"a plain string", R"("us-west1")", "us-west1"},
      {"an empty string", R"("")", ""},
      {"inner blanks", R"("a b")", "a b"},
      {"a leading blank", R"(" a")", "=?base64?IGE=?="},
      {"a trailing tab", R"("a\t")", "=?base64?YQk=?="},
      {"a line break", R"("a\r\nX: 1")", "=?base64?YQ0KWDogMQ==?="},
      {"non-ASCII", R"("\u00e9")", "=?base64?w6k=?="},
      {"a sentinel itself", R"("=?base64?Zg==?=")", "=?base64?PT9iYXNlNjQ/Wmc9PT89?="},
      {"an integer", "42", "42"},
      {"an integer with a fraction of zero", "42.0", "42"},
      {"a negative integer", "-7", "-7"},
      {"a boolean", "true", "true"},
      {"a fraction", "4.2", std::nullopt},
      {"null", "null", std::nullopt},
      {"an object", "{}", std::nullopt},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes(c.json);
    const JsonValue value = document.read(bytes).value();
    EXPECT_EQ(encode_header_value(value), c.header);
    if (c.header) EXPECT_TRUE(header_equals(decode_header_value(*c.header).value(), value));
  }
}

TEST(HeaderValue, ComparesWithTheBody) {
  const struct {
    std::string_view name;
    std::string_view decoded;
    std::string_view json;
    bool is_equal;
  } cases[] = {
      {"the same text", "eu", R"("eu")", true},
      {"another spelling in the body", "eu", R"("\u0065u")", true},
      {"another case", "EU", R"("eu")", false},
      {"the same integer", "42", "42", true},
      {"a header with a fraction of zero", "42.0", "42", true},
      {"a body with a fraction of zero", "42", "42.0", true},
      {"another integer", "43", "42", false},
      {"digits a double would lose", "9007199254740992", "9007199254740993", false},
      {"no JSON number", "042", "42", false},
      {"half a number", "42x", "42", false},
      {"an empty header for a number", "", "0", false},
      {"a string of digits is not the number", "42", R"("42.0")", false},
      {"a boolean", "true", "true", true},
      {"the other boolean", "false", "true", false},
      {"null is not a value", "null", "null", false},
      {"an object is not a value", "{}", "{}", false},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes(c.json);
    EXPECT_EQ(header_equals(c.decoded, document.read(bytes).value()), c.is_equal);
  }
}

}  // namespace
}  // namespace bartizan
