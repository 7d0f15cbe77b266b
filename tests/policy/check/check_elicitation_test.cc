#include "policy/check/check_elicitation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

/// One field, `NAME: {…}`.
std::string form(std::string_view field, std::string_view message = "Please answer") {
  return R"({"message":")" + std::string(message) +
         R"(","requestedSchema":{"type":"object","properties":{)" + std::string(field) + "}}}";
}

TEST(CheckElicitation, AsksForNoSecretsAndLeadsWhereItMay) {
  Config config = sample_config();
  config.urls["logins"] = {.name = "logins", .form = {.hosts = {"login.example.com"}}};
  config.servers["mail"].elicitation_urls = "logins";
  const ElicitationUrls urls = compile_elicitation_urls(config);
  using enum Reason;
  const auto url = [](std::string_view text) {
    return R"({"mode":"url","message":"Sign in","url":")" + std::string(text) + "\"}";
  };
  const struct {
    std::string_view name;
    std::string params;
    Reason reason;
  } rows[] = {
      {"a name", form(R"("name":{"type":"string"})"), none},
      {"no field", R"({"message":"Go on?","requestedSchema":{"properties":{}}})", none},
      {"nothing", "{}", none},
      {"a password", form(R"("password":{"type":"string"})"), secret_requested},
      {"in capitals", form(R"("PASSWORD":{"type":"string"})"), secret_requested},
      {"in a longer name", form(R"("userPassword":{"type":"string"})"), secret_requested},
      {"with signs", form(R"("db_password_2":{"type":"string"})"), secret_requested},
      {"in a title", form(R"("a":{"type":"string","title":"API key"})"), secret_requested},
      {"in a description", form(R"("a":{"type":"string","description":"Your card number."})"),
       secret_requested},
      {"in letters of another width",
       form(
           "\"a\":{\"type\":\"string\",\"title\":\"\xef\xbc\xb0\xef\xbd\x81\xef\xbd\x93\xef\xbd\x93"
           "word\"}"),
       secret_requested},
      {"with something between that nobody sees",
       form("\"a\":{\"type\":\"string\",\"title\":\"pass\xe2\x80\x8bword\"}"), secret_requested},
      {"with a soft hyphen", form("\"a\":{\"type\":\"string\",\"title\":\"pass\xc2\xadword\"}"),
       secret_requested},
      {"a number that is one", form(R"("pin":{"type":"integer"})"), secret_requested},
      {"a number that is too small for one",
       form(R"("n":{"type":"integer","maximum":100,"description":"not your pin"})"), none},
      {"a number that is not", form(R"("n":{"type":"integer","maximum":999,"title":"CVV"})"),
       secret_requested},
      {"by its format", form(R"("a":{"type":"string","format":"password"})"), secret_requested},
      {"the second field", form(R"("a":{"type":"string"},"cvv":{"type":"string"})"),
       secret_requested},
      {"only in the text", form(R"("value":{"type":"string"})", "Enter your password"),
       secret_requested},
      {"in the text, where nothing is typed", form(R"("ok":{"type":"boolean"})", "Reset password?"),
       none},
      {"a choice of the server's", form(R"("token":{"type":"string","enum":["a","b"]})"), none},
      {"whether to keep one", form(R"("keepPassword":{"type":"boolean"})"), none},
      {"words that only begin so", form(R"("pinned":{"type":"string"})"), none},
      {"words that only end so", form(R"("tailspin":{"type":"string"})"), none},
      {"an empty list of choices", form(R"("password":{"type":"string","enum":[]})"),
       secret_requested},
      {"choices that are none", form(R"("password":{"type":"string","anyOf":[{}]})"),
       secret_requested},
      {"choices with titles", form(R"("password":{"type":"string","oneOf":[{"const":"a"}]})"),
       none},
      {"several choices", form(R"("a":{"type":"array","items":{"type":"string","enum":["x"]}})"),
       none},
      {"a list of anything", form(R"("a":{"type":"array","items":{"type":"string"}})"),
       secret_requested},
      {"an object", form(R"("a":{"type":"object","properties":{"b":{"type":"string"}}})"),
       secret_requested},
      {"a field without type", form(R"("a":{})"), secret_requested},
      {"a title in another case", form(R"("a":{"type":"string","Title":"Password"})"),
       secret_requested},
      {"a schema of another shape",
       R"({"requestedSchema":{"allOf":[{"properties":{"password":{"type":"string"}}}]}})",
       secret_requested},
      {"a schema with definitions",
       R"({"requestedSchema":{"type":"object","properties":{},"$defs":{}}})", secret_requested},
      {"properties in another case",
       R"({"requestedSchema":{"Properties":{"password":{"type":"string"}}}})", secret_requested},
      {"a text without a form", R"({"message":"Type your password"})", secret_requested},
      {"a form with a URL", R"({"url":"https://evil.example/","message":"Sign in"})",
       secret_requested},
      {"more than anybody reads", form(R"("a":{"type":"string"})", std::string(70'000, 'x')),
       secret_requested},
      {"a form by its mode",
       R"({"mode":"form","requestedSchema":{"properties":{"pwd":{"type":"string"}}}})",
       secret_requested},
      {"a URL that fits", url("https://login.example.com/start?x=1"), none},
      {"another host", url("https://login.example.com.evil.example/"), url_not_allowed},
      {"another scheme", url("http://login.example.com/"), url_not_allowed},
      {"with credentials", url("https://a:b@login.example.com/"), url_not_allowed},
      {"a script", url("javascript:alert(1)"), url_not_allowed},
      {"no URL", R"({"mode":"url"})", argument_wrong_type},
      {"a URL that is none", R"({"mode":"url","url":7})", argument_wrong_type},
      {"another mode", R"({"mode":"voice"})", url_not_allowed},
      {"a mode that is not a text", R"({"mode":7})", url_not_allowed},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    SampleCall sample(
        R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)" + row.params + "}",
        Direction::server_to_client);
    sample.call.server = "mail";
    EXPECT_EQ(check_elicitation(urls, sample.call).reason, row.reason);
    sample.call.server = "files";
    const bool is_url = row.params.contains(R"("mode":"url")");
    EXPECT_EQ(check_elicitation(urls, sample.call).reason, is_url ? url_not_allowed : row.reason);
    sample.call.direction = Direction::client_to_server;
    EXPECT_EQ(check_elicitation(urls, sample.call).reason, none);
  }
}

TEST(CheckElicitation, KnowsWhatSecretsAreCalled) {
  for (const std::string_view text : {"password",
                                      "Passwords",
                                      "passWord",
                                      "PASSWORD",
                                      "DBPassword",
                                      "userpassword",
                                      "newpassword1",
                                      "password2",
                                      "OTPCode",
                                      "AWSSecretKey",
                                      "accesstoken",
                                      "access_tokens",
                                      "clientsecret",
                                      "API keys",
                                      "apiKey",
                                      "api-key",
                                      "Private keys",
                                      "credit cards",
                                      "verification code",
                                      "2FA code",
                                      "SSH key",
                                      "your PIN",
                                      "Token",
                                      "CVV2",
                                      "seed phrase",
                                      "pass phrase",
                                      "[redacted:password]",
                                      "[redacted:jwt:your password]"}) {
    EXPECT_TRUE(names_a_secret(text)) << text;
  }
  for (const std::string_view text :
       {"", "name", "keyboard", "pinned", "spinner", "secretary", "passing", "city", "tokenizer",
        "shipping address", "passport number", "cardinal", "pass", "about [redacted:github.token]",
        "[redacted:url.password:1f2e3d4c5b6a7988:2] and on"}) {
    EXPECT_FALSE(names_a_secret(text)) << text;
  }
}

}  // namespace
}  // namespace bartizan
