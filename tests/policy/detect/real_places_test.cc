// What real files taught of places and values that only look like assignments of secrets: each
// first group was masked once, and what stands below it is a secret all the same.
#include <gtest/gtest.h>

#include <string>

#include "tests/policy/detect/expect_found.h"
#include "tests/policy/fake_secrets.h"

namespace bartizan {
namespace {

TEST(RealPlaces, ResultsOfTestsAreNone) {
  expect_found({
      {"", "PASS: ", "mod_auth/basic-2048-bits", "\n"},
      {"", "PASS: ", "test_foo[param-12345678]", "\n"},
      {"", "--- PASS: ", "TestX", " (0.00s)\n"},
      {"", "    --- PASS: ", "TestParse/case_5#01", " (0.00s)\n"},
      {"", "    --- PASS: ", "Test☺☹/5", " (0.07s)\n"},
      {"", "    --- PASS: ", "TestWithColons/127.0.0.1:0", " (0.00s)\n"},
      {"", "{\"Output\":\"    --- PASS: ", "TestAddr/ipv4-in-ipv6+zone", " (0.00s)\\n\"}"},
      {"", "PASS  ", "src/a1.test.ts", "\n"},
      {"", "PASS: ", "tests/ls/stat-dtype2.sh", "\n"},
      {"", "XPASS: ", "gcc.dg/x86-64-1.c", "\n"},
      {"", "PASS: ", "Tr0ub4dor3x", "\nFAIL: b\n"},
      {"", "SKIP: a\nPASS: ", "Tr0ub4dor3x", "\n"},
      {"", "ok 5 - pass: ", "t/01-basic_2.t", "\n"},
      {"assignment", "PASS: ", "Tr0ub4dor3x", "\n"},
      {"assignment", "PASS: \"", "Tr0ub4dor3x", "\"\n"},
      {"assignment", "DB_PASS: ", "Tr0ub4dor3x", "\n"},
      {"assignment", "USER: ann\nPASS: ", "Tr0ub4dor3x", "\nHOST: b\n"},
      {"assignment", "pass: ", "Tr0ub4dor3x", "\nFAIL: b\n"},
      {"assignment", "PASS=", "mod_auth/b4sic-2O48-b1ts", "\n"},
  });
}

TEST(RealPlaces, PartsOfPathsWithColonsAreNone) {
  const std::string arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:";
  expect_found({
      {"", arn, "NAME-a1b2c3", "\n"},
      {"", "\"SecretArn\": \"" + arn, "prod/db-a1b2c3", "\""},
      {"", arn, "MyTestDatabaseSecret1-a1b2c3", ":username::\n"},
      {"", "!Sub arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:",
       "Db1-a1b2c3", "\n"},
      {"", "\"ARN\": \"aws:arn:secretsmanager:us-west-2:123456789012:secret:", "Test2-a1b2c3",
       "\""},
      {"", "- **functions:secrets:", "access", "** - Access a secret\n"},
      {"", "| **functions:secrets:", "destroy", "** | Destroy a secret. |\n"},
      {"assignment", "db:password:", "Tr0ub4dor3x", "\n"},
      {"assignment", "db:secret:", "Xk9-mQ2*vL7**", "\n"},
      {"assignment", "secret:", "NAME-a1b2c3", "\n"},
      {"assignment", "{level:info,password:", "Tr0ub4dor3x", "}"},
  });
}

TEST(RealPlaces, StringsBesideEachOtherAreNone) {
  const std::string uuid = "3a9ea34f-0f12-469b-9417-3ae5795a7baa";
  expect_found({
      {"", "VALUES ('1', 'password', '", uuid, "', '{}')"},
      {"", "\"names\":[\"password\",\"", "hashedPassword1", "\",\"x\"]"},
      {"", "\"names\":[\"secret\",\"", "toBase64Url", "\"]"},
      {"", "{\"go/token\", \"", "\\x04r\\x86\\x01>\\x02\\x03", "\"},"},
      {"", "const string GUID_UNEXPIRE_PASSWORD = \"", uuid, "\";"},
      {"assignment", "const string UNEXPIRE_PASSWORD = \"", uuid, "\";"},
      {"assignment", "\"password\": \"", uuid, "\""},
      {"assignment", "[\"user\",\"bob\",\"password\",\"", "Tr0ub4dor3x", "\"]"},
      {"assignment", "put(\"password\", \"", "Sommer24x!", "\")"},
  });
}

TEST(RealPlaces, VariablesAndWhatStringsEndWithAreNone) {
  expect_found({
      {"", "x = {'unicodePwd': ", "utf16pw", ", 'a': 1}"},
      {"", "\"unicodePwd\": ", "utf16pw", "})"},
      {"", "get_by_label(\"Password:\"", ").click()", "\n"},
      {"", "url := \"/v1/x?password=\"+", "cfg.Password1", "+\"&n=1\"\n"},
      {"", "r(\"GET\", \"/v1/acl?token=\"+", "tok.SecretID", ", nil)"},
      {"", "uX->usriX_password = ", "u1003->usri1003_password", ";"},
      {"", "\tsecrets: ", "[]v1.Secret{", "\n"},
      {"", "push(@o, \"--krbtgtpass=", "krbtgt$ctx->{password}", "\");"},
      {"", "SecretID: ", "tok.SecretID", ", "},
      {"", "token := ", "resp.Data[\"token\"]", ".(string)"},
      {"", "const string RAP_NetUserPasswordSet2_REQ = \"", "zb16b16WW", "\";"},
      {"assignment", "x = {'unicodePwd': ", "Tr0ub4dor3x", ", 'a': 1}"},
      {"assignment", "'password': '", "utf16pw", "', 'a': 1}"},
      {"assignment", "\"Password:\" \"x\" password=\"", ".k9mQ2vL7tR", "\""},
      {"assignment", "f(\"/v1/x?password=", "Xk9mQ2vL7tR", "\")"},
      {"assignment", "curl x?password=\"", "+k9mQ2vL7tR", "\""},
  });
}

TEST(RealPlaces, TokensOfRequestsAndPagesAreNone) {
  const std::string token = FakeSecrets(31).drawn("A-Za-z0-9", 18) + "7aB9cD3eF1";
  const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
  std::vector<Row> rows;
  for (const std::string name :
       {"ClientToken", "clientToken", "ClientRequestToken", "clientRequestToken",
        "client_request_token", "idempotencyToken", "IdempotencyToken", "idempotency_token",
        "NextToken", "nextPageToken", "pageToken", "ContinuationToken", "NextContinuationToken",
        "PaginationToken", "StartingToken", "ResumptionToken", "LockToken",
        "LifecycleActionToken"}) {
    rows.push_back({"", "\"" + name + "\": \"", token, "\""});
    rows.push_back({"", name + ": ", uuid, "\n"});
  }
  rows.push_back({"", "aws fsx create-backup --client-token ", uuid, "\n"});
  for (const std::string name : {"client_token", "clienttoken", "CLIENT_TOKEN", "request_token",
                                 "ClientSecretToken", "accessToken", "clientAccessToken",
                                 "ClientPassword", "action_token", "BlockToken", "lockPassword"})
    rows.push_back({"assignment", "\"" + name + "\": \"", token, "\""});
  expect_found(rows);
}

TEST(RealPlaces, TextsWithoutBlanksAreNone) {
  expect_found({
      {"", "\"password\": \"", "请输入8位以上的密码", "\""},
      {"", "\"password_help\":\"", "パスワードは8文字以上で入力してください", "\""},
      {"", "password=", "密码长度不能少于6位，且包含字母", "\n"},
      {"", "password.short=", "รหัสผ่านต้องมีอย่างน้อย8ตัวอักษร", "\n"},
      {"", "\"apiKey\": \"", "API密钥（32位）", "\""},
      {"", "\"password\": \"", "비밀번호는8자이상", "\""},
      {"", "密码：", "请输入您的密码", "\n"},
      {"", "\"password\": \"", "请使用root账户的密码!", "\""},
      {"assignment", "\"password\": \"", "我的密码2024", "\""},
      {"assignment", "password=", "密码Tr0ub4dor3x", "\n"},
      {"assignment", "password=", "Tr0ub4dor3x，请尽快修改", "\n"},
      {"assignment", "password=\"", "Müller99!x", "\""},
  });
}

TEST(RealPlaces, WhatStandsForAValueIsNone) {
  expect_found({
      {"", "\"secret\": \"", "$.items[0].secret_value", "\""},
      {"", "\"password\": \"", "$['auth'][1].password2", "\""},
      {"", "\"secret\": \"", "data[0].secret1", "\""},
      {"", "\"token\": \"", "$.auth.token1", "\""},
      {"", "\"password\": \"", "spec.template.password1", "\""},
      {"", "password: \"", "#/components/schemas/updateLoginFlow", "\""},
      {"", "passwd chat = *New*password* %n *passwd:", "*all*authentication*tokens*updated*", "\n"},
      {"", "\"EnablePlainTextPassword\"=", "dword:00000001", "\n"},
      {"", "secretAccessKey: ", "Z3dk...WFk=", "\n"},
      {"", "<token>", "9cbaf023786cd7...", "</token>"},
      {"", "secret: ", "urn:k8s:secret:name:key1", "\n"},
      {"", "'password' => '", "required|min:8|confirmed", "',"},
      {"", "\"acme/password-hasher\": \"", "^6.4|^7.0", "\""},
      {"", "Set-Cookie: user=", "j%3A%7B%22name%22%3A%22tobi%22%7D", "; path=/"},
      {"", "password: \"", "urn:k8s:secret:oidc:redisPass1", "\""},
      {"", "--skip-check CKV_SECRET_6:", ".*skip_test.*json$", "\n"},
      {"", "<secret>", "[{][A-Za-z0-9+/]+={0,2}[}]", "</secret>"},
      {"", "Set-Cookie: _blog_session=", "...snip...", "; path=/"},
      {"", "<f:secretTextarea field=\"", "secret2x", "\"/>"},
      {"", "AWS4-HMAC-SHA256 Credential=", "user%0D/19700101/us-east-2/es/aws4_request", ", x"},
      {"assignment", "password: \"", "#deadbeef/Xk9mQ2vL7tR", "\""},
      {"assignment", "\"password\": \"", "$.k9mQ2vL7tR[0]", "\""},
      {"assignment", "password=", "*all*4uthentication*t0kens*", "\n"},
      {"assignment", "password=", "dword:Tr0ub4dor3x", "\n"},
      {"assignment", "<secret>", "[Tr0ub4dor]+3x", "</secret>"},
      {"assignment", "'password' => '", "winter|r4in:8|confirmed", "',"},
      {"http.cookie", "Set-Cookie: session=", "j%3A%7B%22name%22%3A%22tobi%22%7D", "; path=/"},
      {"assignment", "password=\"", "urn:Xk9mQ2vL7tR", "\""},
      {"assignment", "apiPassword string = \"", "Xk9mQ2vL7tR", "\""},
      {"http.cookie", "Set-Cookie: _blog_session=", "...snip1", "; path=/"},
      {"assignment", "password=\"", "Tr0ub4dor..3x", "\""},
  });
}

TEST(RealPlaces, SignaturesOfOthersAreFoundAndTheirNamesAreNone) {
  const std::string signature = FakeSecrets(32).drawn("a-f0-9", 60) + "9f8e";
  expect_found({
      {"http.authorization",
       "Authorization: XXX4-HMAC-SHA256 Credential=xxx/19700101/0/127/xxx4_request, "
       "SignedHeaders=content-type;host, Signature=",
       signature, "\n"},
      {"", "http://user@[", "::1", "]@localhost"},
      {"url.password", "http://user:", "x7Yz", "@[::1]/"},
      {"", "Authorization: Bearer ", "token123", ","},
  });
}

TEST(RealPlaces, PasswordsThatHoldTheWordAreFound) {
  expect_found({
      {"assignment", ";PASSWD = ", "MwantsaSecurePassword1", "\n"},
      {"assignment", "PASSWD = ", "MwantsaSecurePassword1", ""},
      {"assignment", "#PASSWD = ", "RiverStone1", "\n[x]"},
      {"assignment", "\"password\": \"", "RiverStonePassword1", "\""},
      {"assignment", "\"Password\": \"", "SomeKindOfPassword123!@#", "\""},
      {"", "\"password\": \"", "MySecurePassword1", "\""},
      {"", "\"password\": \"", "bobPassword1", "\""},
      {"", "PASSWORD = ", "getPassword1", "\n"},
      {"", "PASSWORD = ", "DEFAULT_VALUE1", "\n"},
      {"", "PASSWORD = ", "RiverStone1", "()\n"},
      {"", "PASSWORD = ", "Config.Default2", "\n"},
      {"", "password = ", "MwantsaSecurePassword1", "\n"},
  });
}

}  // namespace
}  // namespace bartizan
