#include "gateway/http/read_form.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// `a=1;b=2`, or why it was refused.
std::string read(std::string_view body) {
  const Result<Form> form = read_form(body);
  if (!form.has_value()) return form.error().detail;
  std::string all;
  for (const Form::Field& field : form->fields())
    all += (all.empty() ? "" : ";") + field.name + "=" + field.value;
  return all;
}

TEST(ReadForm, ReadsWhatBrowsersWriteAndNothingElse) {
  const struct {
    std::string_view name, body, want;
  } cases[] = {
      {"no field", "", ""},
      {"one", "key=abc", "key=abc"},
      {"several", "a=1&b=2", "a=1;b=2"},
      {"an empty value", "key=", "key="},
      {"what stays as it is", "key=aZ09*-._~", "key=aZ09*-._~"},
      {"a space", "key=a+b", "key=a b"},
      {"what is escaped", "k%65y=%26%3D%2b%C3%A4", "key=&=+ä"},
      {"small digits", "key=%c3%a4", "key=ä"},
      {"no equals sign", "key", "a form with a field that has no name"},
      {"no name", "=abc", "a form with a field that has no name"},
      {"nothing before the next", "&a=1", "a form with a field that has no name"},
      {"nothing behind the last", "a=1&", "a form with a field that has no name"},
      {"a second equals sign", "a=1=2", "a form with a byte that is not escaped"},
      {"a semicolon", "a=1;b=2", "a form with a byte that is not escaped"},
      {"a bare space", "a=1 2", "a form with a byte that is not escaped"},
      {"a bare letter beyond ASCII", "a=\xC3\xA4", "a form with a byte that is not escaped"},
      {"a line", "a=1\r\nb=2", "a form with a byte that is not escaped"},
      {"half an escape", "a=%4", "a form with \"%\" and no two digits"},
      {"an escape at the end", "a=%", "a form with \"%\" and no two digits"},
      {"an escape of no digits", "a=%g0", "a form with \"%\" and no two digits"},
      {"half a character", "a=%C3", "a form that is not UTF-8"},
      {"a long spelling", "a=%C0%AF", "a form that is not UTF-8"},
      {"a NUL", "a=%00", "a form with a control character"},
      {"an escaped line", "a=%0D%0A", "a form with a control character"},
      {"a name twice", "a=1&b=2&a=3", "a form with a field twice"},
      {"a name twice, once escaped", "a=1&%61=2", "a form with a field twice"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.body), c.want);
  }
}

TEST(ReadQuery, AlsoTakesWhatQueriesLeaveUnescaped) {
  const auto query = [](std::string_view text) {
    const Result<Form> form = read_query(text);
    return form.has_value() ? std::string(form->find("a").value_or("-")) : form.error().detail;
  };
  EXPECT_EQ(query("a=https://x.example/y?z=1&b=2"), "https://x.example/y?z=1");
  EXPECT_EQ(query("a=x@y,(z);!$'="), "x@y,(z);!$'=");
  EXPECT_EQ(query("a=1 2"), "a form with a byte that is not escaped");
  EXPECT_EQ(query("a=<b>"), "a form with a byte that is not escaped");
  EXPECT_EQ(query("a=1&a=2"), "a form with a field twice");
  EXPECT_EQ(query("a=%0A"), "a form with a control character");
}

TEST(ReadForm, FindsAFieldByItsName) {
  const Result<Form> form = read_form("key=1&csrf=");
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->find("key"), "1");
  EXPECT_EQ(form->find("csrf"), "");
  EXPECT_EQ(form->find("Key"), std::nullopt);
}

TEST(ReadForm, HasABoundOfFields) {
  std::string body = "f0=";
  for (std::size_t i = 1; i < limits::form_fields_max; ++i)
    body += "&f" + std::to_string(i) + "=";
  EXPECT_TRUE(read_form(body).has_value());
  const Result<Form> more = read_form(body + "&one=");
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code, ErrorCode::http_limit);
}

}  // namespace
}  // namespace bartizan
