// What real files taught: each of these was masked once and is no secret, or was missed. Beside
// each stands what is a secret all the same.
#include <gtest/gtest.h>

#include <string>

#include "tests/policy/detect/expect_found.h"
#include "tests/policy/fake_secrets.h"

namespace bartizan {
namespace {

TEST(RealTexts, AValueEndsWithItsStringCellOrBracket) {
  expect_found({
      {"assignment", R"({"line":"password=)", "Tr0ub4dor3x", R"(","n":1})"},
      {"assignment", R"({"line":"password=)", "Tr0ub4dor3x", R"("})"},
      {"assignment", R"(["password=)", "Tr0ub4dor3x", R"(","b"])"},
      {"assignment", R"(["a","password=)", "Tr0ub4dor3x", R"("])"},
      {"assignment", R"(['password=)", "Tr0ub4dor3x", R"(','b'])"},
      {"assignment", R"({\"line\":\"password=)", "Tr0ub4dor3x", R"(\",\"n\":1})"},
      {"assignment", R"({"line":"export DB_PASSWORD=)", "Tr0ub4dor3x", R"(","n":1})"},
      {"assignment", R"({"line":"password=')", "Tr0ub4dor3x", R"(","n":"it's"})"},
      {"assignment", R"({"line":"password: `)", "Tr0ub4dor3x", R"(","n":"`"})"},
      {"assignment", R"(1,"password=)", "Tr0ub4dor3x", R"(",5)"},
      {"assignment", "1,password=", "Tr0ub4dor3x", ",5"},
      {"assignment", "password=", "Tr0ub4dor3x", ",1,5"},
      {"assignment", "password=", "Tr0ub4dor3x", ",sales,5"},
      {"assignment", "| password=", "Tr0ub4dor3x", " | 5 |"},
      {"assignment", "[password=", "Tr0ub4dor3x", "] n=1"},
      {"assignment", "(password=", "Tr0ub4dor3x", ") n=1"},
      {"connection.password", "level=info password=", "Tr0ub4dor3x", " n=1"},
      {"assignment", "INFO password=", "Tr0ub4dor3x", " n=1"},
      {"assignment", "password=", "Tr0ub4dor3x", " n=1"},
      {"assignment", R"(level=info msg="password=)", "Tr0ub4dor3x", R"(" n=1)"},
      {"command.password", "{\"cmd\":\"$(mysql -p", "Tr0ub4dor3x", ")\",\"n\":1}"},
      // Without a string around it a value is all of its line.
      {"assignment", "DB_PASSWORD=", R"(Tr0ub,4d"or}3x)", "\n"},
      {"assignment", "DB_PASSWORD=", "Tr0ub,4d]or3x", ""},
  });
}

TEST(RealTexts, AValueInQuotesBehindTheFirstNameOfATextIsFound) {
  const std::string key = FakeSecrets(26).drawn("A-Za-z0-9", 14) + "7aB9cD3eF1";
  expect_found({
      {"assignment", "SECRET_KEY=\"", key, "\"\nDEBUG=1\n"},
      {"assignment", "password=\"", "Xk9mQ2vL7tR", "\""},
      {"assignment", "API_KEY=\"", key, "\"\n"},
      {"assignment", "client_secret=\"", key, "\""},
      {"assignment", "PGPASSWORD=\"", "Xk9mQ2vL7tR", "\" psql -h db"},
      {"assignment", R"({"env":["DB_PASSWORD=\")", "Xk9mQ2vL7tR", R"(\""]})"},
      {"assignment", R"({"line":"DB_PASSWORD=\")", "Xk9mQ2vL7tR", R"(\""})"},
      {"assignment", "x password=\"", "Xk9mQ2vL7tR", "\""},
      {"assignment", "export PASSWORD=\"", "Xk9mQ2vL7tR", "\""},
      {"assignment", "sh -c 'PASSWORD='", "Xk9mQ2vL7tR", "' run'"},
      {"assignment", "password=\"", ".k9mQ2vL7tR", "\""},
      {"assignment", "password='", "Xk9mQ2vL7tR", "'"},
      // The quote ends the string that the name is in.
      {"", "'password' => '--password='", ".$connection['password1']", ","},
      {"", "\"url\", \"password=\"", "+form.value1+", "\"&n=1\""},
      {"", "f(\"--password=\"", ", options1,", " \"x\")"},
      {"", R"({\"a\":\"--password=\")", "+options1+", R"(\"x\"})"},
  });
}

TEST(RealTexts, PasswordsThatLookLikeCodeAreFound) {
  expect_found({
      {"assignment", "\"password\": \"", "Sommer.Regen24", "\""},
      {"assignment", "x password=\"", "Sommer.Regen24", "\""},
      {"assignment", "password=", "Hello.World99", ""},
      {"assignment", "DB_PASSWORD=", "Winter.Storm24", "\n"},
      {"assignment", "<password>", "Winter-Storm24", "</password>"},
      {"assignment", "PASSWORD=", "bar(Tr0ub4dor)", ""},
      {"assignment", "DB_PASSWORD=", "Winter(Tr0ub4dor)", "\nx"},
      {"assignment", "password=\"", "f(Tr0ub4dor3x)", "\""},
      {"", "\"password\": \"", "form.password24", "\""},
      {"", "\"password\": \"", "Form.Password2", "\""},
      {"", "f(password=", "Hello.World99", ")"},
      {"", "x = g(password=", "Hello.World99", ", 1)"},
      {"", "password = ", "Config.Default2", "\n"},
      {"", "PASSWORD=", "getenv(NAME1)", "\n"},
      {"", "self.password=", "hash(Tr0ub4dor)", "\n"},
  });
}

TEST(RealTexts, WhatBeginsAsADateANumberOrAReferenceIsNoneOfThese) {
  FakeSecrets fake(28);
  const std::string key = fake.drawn("a-f0-9", 12) + "9f8e7d6c5b4a";
  const std::string rsa = "MIIBIjANBgkqhkiG9w0BAQEF";
  const std::string zeros(16, 'A');
  expect_found({
      {"assignment", "password=", "2024-01-01Tr0ub4dor3x", ""},
      {"assignment", "password=\"", "2024-01-01T10:00:00Zx9", "\""},
      {"", "password=", "2024-01-01", "\n"},
      {"", "password_changed: password=\"", "2024-01-01T10:00:00.123456+02:00", "\""},
      {"", "password=\"", "2024-01-01 10:00", "\""},
      {"assignment", "password=\"", "0x9f8e7d6c5b4a3f2e", "\""},
      {"assignment", "password: ", "#deadbeef", "\n"},
      {"", "password=\"", "0x9f8e7d6c", "\""},
      {"", "password: \"", "#beef01", "\""},
      {"assignment", "x password='", R"(Xk9",mQ2vL7)", "'"},
      {"assignment", "password: '", R"(Xk9",mQ2vL7tR8)", "'"},
      {"assignment", R"({"line":"x password=')", "Tr0ub4dor3x", R"(","n":"it's"})"},
      {"assignment", "API_TOKEN=\"", "kJ8sPq2LmZx91.json", "\""},
      {"assignment", "password = \"", "kJ8sPq2LmZ.key", "\""},
      {"", "password = \"", "certs/server-2024.key", "\""},
      {"", "password = \"", "tls1.key", "\""},
      {"assignment", "password=", "@/kJ8sPq2LmZx91", "\n"},
      {"assignment", "password=", "/kJ8sPq2LmZx91", "\n"},
      {"", "password=", "/var/lib/app1/db.2024", "\n"},
      {"", "password=", "env:DB_PASSWORD_2", "\n"},
      {"", "secret = \"", "arn:aws:ssm:eu-west-1:123456789012:parameter/db-a1b2c3", "\""},
      {"assignment", "secret = \"", rsa + key, "\""},
      {"", "secret = \"", rsa + "AAOCAQ8AMIIBCgKCAQEA" + key, "\""},
      {"assignment", "password=\"", "[abc:Tr0ub4dor3x]", "\""},
      {"", "password=\"", "[redacted:1password.secret_key]", "\""},
      {"", "password=\"", "[removed: rule 12]", "\""},
      {"assignment", "API_KEY=", zeros + "9f8e7d6c5b4a3f2e1d0c9b8a", ""},
      {"", "API_KEY=", zeros + "9f8e7d6c", ""},
  });
}

TEST(RealTexts, CodeIsNoSecret) {
  const std::string key = FakeSecrets(21).drawn("A-Za-z0-9", 14) + "7aB9cD3eF1";
  expect_found({
      {"", "secret: ", "Uuid::new_v4()", ","},
      {"", "credentials: ", "Arc::new(RwLock::new(None))", ","},
      {"", "return Err(cargo_credential::", "Error::UrlNotSupported", ");"},
      {"", "[cargo_credential::", "PROTOCOL_VERSION_1", "]"},
      {"", "spec.Credential = ", "role.CredSpecName", "\n"},
      {"", "this.token = ", "startOfFileToken", ";"},
      {"", "exports.JwtTokenIssuedAt = ", "JwtTokenIssuedAt", ";"},
      {"", "token := ", "&oauth2.Token{", ""},
      {"", "\tsecret := ", "&corev1.Secret{", ""},
      {"", "\tSecret: ", "v1.ObjectStorageSecretSpec{", "\n"},
      {"", "\tCredentials: ", "src.Spec.HeaderAuth.Credentials", ",\n"},
      {"", "hasPassword = ", "!!user.passwordHash1", ";"},
      {"", "const password = ", "user?.auth?.password2", ";"},
      {"", "withXSRFToken: ", "defaultToConfig2", ",\n"},
      {"", "client_secret: ", "z.ZodOptional<z.ZodString>", ";"},
      {"", "var passwordParameter: ", "String?", " = null"},
      {"", "password: ", "*const gchar", ","},
      {"", "if (tokenStats.TokenType == ", "TokenType.Primary", ")"},
      {"", "if (password == ", "storedPassword2", ")"},
      {"", "f(user=user, password=", "form_data.password", ")"},
      {"", "User(email=email, hashed_password=", "bcrypt_hash", ", is_active=True)"},
      {"", "encryption_key_sha256=", "tracker_data.encryption_key_sha256", ","},
      {"", "secret_key_base: ", "@secret_key_base", "\n"},
      {"", "data_password: ", "!vault |", "\n  $ANSIBLE_VAULT;1.1;AES256\n"},
      {"", "password = f\"", "{user}-{number2}-x9", "\""},
      {"", "password = $\"", "A{user}-{number2}", "\""},
      {"", "\"adminPassword\": \"", "[parameters('adminPassword1')]", "\""},
      {"", "\"password\": \"", "[concat('P', uniqueString(resourceGroup().id), '1')]", "\""},
      {"", "\"password\" => \"", "[FILTERED]", "\""},
      {"", "password: ", "${{ secrets.DB_PASSWORD1 }}", "\n"},
      {"", "SECRET_KEY: ${SECRET_KEY:", "?Variable1 not set", "}"},
      {"", "token_header: \"", "X-Auth-Token-2", "\""},
      {"", "api_key_header = ", "X-Service-Api-Key-V2", "\n"},
      {"", "\"token\": \"", "#569cd6", "\""},
      {"", "passwordColor = '", "#6A9955", "'"},
      {"", "password_encryption = ", "scram-sha-256", "\n"},
      {"", "\"md5\", \"password\", \"", "scram-sha-256", "\""},
      {"", "publicKeyToken=\"", "30ad4fe6b2a6aeed", "\""},
      {"", "Culture=neutral, PublicKeyToken=", "b03f5f7f11d50a3a", "\">"},
      {"", "('OAUTH2_CLIENT_SECRET', '", "oauth2ClientSecret", "')"},
      {"", "has_option('Credentials', '", "gs_oauth2_refresh_token", "')"},
      {"", "MovedAttribute(\"HTTPPasswordMgr\", \"", "urllib2", "\", \"urllib.request\")"},
      {"", "`existingSecret`, `", "containerPorts.*", "`, `startupProbe.*`"},
      {"", "name=\"bob\" password=\"bobspassword\" authorities=\"", "ROLE_0,ROLE_1", "\"/>"},
      {"", "image: quay.io/x/token-refresher:", "master-2024-12-11-08b888a", "\n"},
      {"", "application/vnd.apple.pkpass:", "*.pkpass", "\n"},
      {"", "'^(?P<secret>", "[a-zA-Z0-9-_]+):(?P", "<version>[1-9])'"},
      {"", "password: ", "@/run/secrets/db1", "\n"},
      {"", "secret = \"", "projects/123/secrets/my-secret/versions/1", "\""},
      {"", "passwordMtime: \"", "2006-01-02T15:04:05Z", "\""},
      {"", "terminated for sessionid: ", "0x34ed9ac1c1e0085", ","},
      {"", "apiKey: \"", "test-api-key-123", "\""},
      {"", "![secret: ", "login-screen-2024.png", "](a.png)"},
      {"", "    self.password = ", "self._Add(", "\n"},
      {"", "resource sqlPasswordSecret '", "Microsoft.KeyVault/secrets@2022-07-01", "' = {"},
      {"", "'password' => '--password='", ".$connection['password1']", ","},
      {"", "'secret': '", "V1SecretVolumeSource", "',"},
      {"", "Config(\"secret1\", \"", "label1", "\", \"deployment1\")"},
      {"assignment", "put(\"password\", \"", "Tr0ub4dor3x", "\")"},
      {"", "secret1=", "secret1", "\n"},
      {"", "emptyPassword=", "\\u7528\\u6237\\u540d\\u6216\\u5bc6", "\n"},
      {"assignment", "password=", "Tr\\u00f6b4dor3x", "\n"},
      {"", "oauth2_client_secret: ", "OAuth2", " client secret to use."},
      {"", "VERIFY_SECRET = \"", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAq4yKxb6SNePdDmQi9xF",
       "\""},
      {"assignment", "CREATE USER a IDENTIFIED BY '", "Tr0ub4dor3x", "'"},
      {"assignment", "api_key: \"", key, "\""},
      {"assignment", "this.token = '", key, "';"},
      {"assignment", "\"password\": \"", "p[ar]ameters('x')1", "\""},
      {"assignment", "SA_PASSWORD=", "@someThingComplicated1234", "\n"},
      {"assignment", "if (password == \"", "Tr0ub4dor3x", "\")"},
      {"assignment", "password: ", "Tr0ub4dor3x", ", user: bob"},
      {"connection.password", "host=db user=app password=", "letmein", " dbname=x"},
  });
}

TEST(RealTexts, HeadersInProseAndCodeAreNone) {
  FakeSecrets fake(22);
  const std::string token = fake.drawn("A-Za-z0-9", 32);
  expect_found({
      {"", "WWW-Authenticate: Bearer ", "resource_metadata=https1", ""},
      {"", "WWW-Authenticate: Bearer error=", "invalid_token1", ""},
      {"", "OAuth2Authorization authorization = ", "OAuth2Authorization.from", "(x)"},
      {"", "new AxiosError('Invalid proxy authorization', ", "AxiosError.ERR_BAD_OPTION", ", {"},
      {"", "`Proxy-Authorization`, `", "If-Modified-Since", "`"},
      {"", "/* Basic ", "Operators", " */"},
      {"", "Basic ", "SFNT/TrueType", " tables"},
      {"", "Authorization: Basic ", base64_of("user:password"), "\n"},
      {"", "- Bearer ", "https://tools.ietf.org/html/rfc6750", ""},
      {"http.authorization", "Authorization: Bearer ", token, ""},
      {"http.authorization", "Authorization: Basic ", base64_of("ann:" + token), "\n"},
      {"http.authorization", "sent Basic ", base64_of("ann:" + token), " to"},
  });
}

TEST(RealTexts, ExamplesInUrlsAreNone) {
  expect_found({
      {"", "new URL('https://abc:", "xyz", "@example.com')"},
      {"", "https://abc:", "123", "@example.com/"},
      {"", "redis://[[USERNAME:", "]PASSWORD", "@]HOST"},
      {"", "s3://access_key:", "secret_access_key", "@region/bucket"},
      {"", "https://USERNAME:", "PERSONAL_ACCESS_TOKEN", "@github.com/"},
      {"", "=~ https://([[:", "alnum:]_:]+)", "@github.com/(.*)"},
      {"", "https://:", "@google.com\\", "@example.com"},
      {"", "cvs://:", "pserver:anoncvs", "@sources.example.org:/cvs/src"},
      {"url.password", "https://abc:", "xyz", "@shop.example.com/"},
      {"url.password", "https://abc:", "x7Yz", "@example.com/"},
  });
}

TEST(RealTexts, TokensWithinPicturesAreNone) {
  FakeSecrets fake(23);
  const std::string token = "EAA" + fake.drawn("A-Za-z0-9", 150);
  const std::string around = fake.drawn("A-Za-z0-9", 90);
  EXPECT_TRUE(found_in("src=\"data:image/png;base64," + around + "/" + token + "+" + around + "\"")
                  .empty());
  EXPECT_FALSE(found_in("see /" + token + " there").empty());
}

TEST(RealTexts, PasswordsInFormatsOfProgramsAreFound) {
  FakeSecrets fake(24);
  const std::string password = fake.drawn("A-Za-z0-9", 10) + "7a";
  const std::string key = fake.drawn("A-Z", 3) + fake.drawn("a-z0-9", 9) + "4K9z";
  const std::string auth = base64_of("ann:" + password);
  expect_found({
      {"assignment", "machine api.example.com login ann password ", password, "\n"},
      {"assignment", "machine h\n  login ann\n  password ", password, "\n"},
      {"assignment", "requirepass ", password, "\n"},
      {"assignment", "masterauth ", password, "\n"},
      {"command.password", "db.example.com:5432:shop:ann:", password, "\n"},
      {"command.password", "echo 'ann:", password, "' | chpasswd"},
      {"command.password", "echo ann:", password, "|sudo chpasswd"},
      {"command.password", "chpasswd <<< \"ann:", password, "\""},
      {"command.password", "ldapsearch -x -D cn=admin -w ", password, " -b dc=x"},
      {"command.password", "curl -u \"", key + "0x7Yq", ":\" https://api.example.com"},
      {"assignment", "  psk=\"", password, "\"\n"},
      {"assignment", R"({"auths":{"r.example.com":{"auth":")", auth, R"("}}})"},
      {"assignment", "//r.example.com/:_auth = \"", auth, "\""},
      {"assignment", "setx API_KEY \"", key, "\""},
      {"assignment", "setx DB_PASSWORD ", password, "\r\n"},
      {"assignment", "variable \"db_password\" {\n  type    = string\n  default = \"", password,
       "\"\n}"},
      {"assignment", R"(["-e", "MAPS_KEY=)", key, R"("])"},
      {"assignment", R"(["DEPLOY_TOKEN=)", key, R"("])"},
      {"assignment", "SENDING_KEY=", key, "\n"},
      {"", "The password ", "Tr0ub4dor3x", " was refused"},
      {"", "default login anonymous password ", "user@site1", "\n"},
      {"", "AUTH: \"auth\": \"", "basic", "\""},
      {"", "\"auth\": \"", key, "\""},
      {"", "PRIMARY_KEY=", key, "\n"},
      {"", "sort_key=", key, "\n"},
      {"", "- \"5432:5432:", "tcp", "\""},
      {"", "curl -u \"", "some-user-name-here", ":\" x"},
      {"", "variable \"db_password\" {\n  type = string\n}\nlocals {\n  default = \"", password,
       "\"\n}"},
      {"", "ldapsearch -w ", "$LDAP_PASSWORD", " x"},
  });
}

TEST(RealTexts, TokensInUnusualPlacesAreFound) {
  FakeSecrets fake(25);
  const std::string telegram = "bot" + fake.drawn("1-9", 9) + ":AA" + fake.drawn("A-Za-z0-9", 33);
  const std::string twitter =
      std::string(21, 'A') + fake.drawn("A-Za-z0-9", 30) + "%2F" + fake.drawn("A-Za-z0-9", 50);
  const std::string azure = fake.drawn("A-Za-z", 3) + "9Q~" + fake.drawn("A-Za-z0-9", 34);
  const Found in_url = found_in("https://api.telegram.org/" + telegram + "/sendMessage");
  ASSERT_EQ(in_url.size(), 1U);
  EXPECT_TRUE(in_url[0].starts_with("telegram.token: ") && in_url[0].ends_with(telegram));
  expect_found({
      {"assignment", "TWITTER_BEARER_TOKEN=", twitter, "\n"},
      {"http.authorization", "sent Bearer ", twitter, "\n"},
      {"", "BEARER_TOKEN=", std::string(90, 'A'), "\n"},
      {"azure.client_secret", "is ", azure, "\n"},
  });
}

}  // namespace
}  // namespace bartizan
