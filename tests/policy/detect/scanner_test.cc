#include "policy/detect/scanner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/detect/detector_id.h"
#include "policy/detect/token_formats.h"
#include "policy/text/encoded_text.h"
#include "tests/policy/detect/expect_found.h"
#include "tests/policy/fake_secrets.h"

namespace bartizan {
namespace {

std::shared_ptr<const ScanDatabase> database() {
  return secrets_database();
}

TEST(Detectors, AreSelectedByFamilyNameAndGroup) {
  EXPECT_GE(detectors().size(), 80U);
  EXPECT_EQ(select_detectors("secrets").size() + select_detectors("pii").size(),
            detectors().size());
  EXPECT_EQ(select_detectors("pii.*").size(), select_detectors("pii").size());
  EXPECT_EQ(select_detectors("pii.card").size(), 1U);
  EXPECT_EQ(select_detectors("github.token").size(), 1U);
  EXPECT_GE(select_detectors("slack.*").size(), 2U);
  for (const std::string_view unknown : {"", "*", ".*", "github", "githu.*", "Github.token"}) {
    EXPECT_TRUE(select_detectors(unknown).empty()) << unknown;
  }
  std::set<std::string_view> names;
  for (const Detector& detector : detectors())
    EXPECT_TRUE(names.insert(detector.name).second) << detector.name;
}

// As common servers write what they were given: markdownify, HTML, mail.
TEST(Scanner, FindsTokensThatAWriterEscaped) {
  FakeSecrets fake = FakeSecrets::of("escaped");
  const std::string body = fake.drawn("A-Za-z0-9", 36);
  const std::string stripe = fake.drawn("A-Za-z0-9", 24);
  const struct {
    std::string_view detector;
    std::string spelled;
  } cases[] = {
      {"github.token", "ghp_" + body},
      {"github.token", "ghp\\_" + body},
      {"github.token", "ghp&#95;" + body},
      {"github.token", "ghp&#x5f;" + body},
      {"github.token", "ghp&lowbar;" + body},
      {"github.token", "ghp&UnderBar;" + body},
      {"github.token", "ghp\\u005f" + body},
      {"github.token", "ghp=5F" + body},
      {"github.token", "ghp_" + body.substr(0, 20) + "=\n" + body.substr(20)},
      {"github.token", "ghp_" + body.substr(0, 20) + "=\r\n" + body.substr(20)},
      {"stripe.key", "sk\\_live\\_" + stripe},
      {"stripe.key", "sk&#95;live&#95;" + stripe},
  };
  for (const auto& c : cases) {
    // The first line has 73 bytes where it is cut.
    const Found found = found_in(std::string(42, '.') + " see **" + c.spelled + "** there");
    EXPECT_EQ(std::ranges::count(found, std::string(c.detector) + ": " + c.spelled), 1)
        << c.spelled << (found.empty() ? "" : "\n" + found[0]);
  }
  for (const std::string& other : {"ghp&#95" + body, "ghp&nosuch;" + body, "ghp=5f" + body,
                                   "ghp_" + body.substr(0, 20) + "=x\n" + body.substr(20),
                                   "ghp_" + body.substr(0, 20) + "=\n" + body.substr(20)})
    EXPECT_TRUE(found_in("see " + other).empty()) << other;
}

TEST(Scanner, FindsEveryFormatWithItsSpan) {
  std::vector<TokenFormat> formats(token_formats().begin(), token_formats().end());
  formats.insert(formats.end(), run_formats().begin(), run_formats().end());
  for (const TokenFormat& format : formats) {
    FakeSecrets fake = FakeSecrets::of(format.pattern);
    for (int i = 0; i < 4; ++i) {
      const std::string secret = fake.token(format.pattern);
      const std::string text = "see \"" + secret + "\" there";
      const Found found = found_in(text);
      EXPECT_TRUE(std::ranges::count(found, std::string(format.detector) + ": " + secret) == 1)
          << format.pattern << "\n"
          << text << (found.empty() ? "" : found[0]);
    }
  }
}

TEST(Scanner, KnowsTokensByTheirLengthAlphabetAndPlace) {
  FakeSecrets fake(2);
  const std::string body = fake.drawn("A-Za-z0-9", 36);
  const std::string key = "AKIA" + fake.drawn("A-Z2-7", 16);
  const std::string hex = fake.drawn("0-9a-f", 64);
  expect_found({
      {"github.token", "", "ghp_" + body, ""},
      {"github.token", "token ", "ghp_" + body, "."},
      {"github.token", "x=", "ghp_" + body, "\n"},
      {"github.token", R"("a\n)", "ghp_" + body, R"(\n")"},
      {"github.token", "a%3D", "ghp_" + body, "%0A"},
      {"github.token", R"(a\u003d)", "ghp_" + body, ""},
      {"github.token", "\x1b[1;31m", "ghp_" + body, "\x1b[0m"},
      {"github.token", "密码", "ghp_" + body, "。"},
      {"github.token", "id_", "ghp_" + body, ""},
      {"", "", "ghp_" + body.substr(1), ""},
      {"", "", "ghp_" + body.substr(0, 20) + "-" + body.substr(21), ""},
      {"", "x", "ghp_" + body, ""},
      {"", "", "ghp_" + std::string(36, 'x'), ""},
      {"", "", "GHP_" + body, ""},
      {"", "", "ghp_" + body.substr(0, 18) + std::string(1, '\0') + body.substr(18), ""},
      {"aws.access_key", "id ", key, ","},
      {"", "id ", key + "A", ","},
      {"", "id ", key.substr(0, 19), ","},
      {"", "id ", "AKIAIOSFODNN7EXAMPLE", ","},
      {"", "id ", "a" + key, ","},
      {"digitalocean.token", "", "dop_v1_" + hex, ""},
      {"", "", "dop_v1_" + hex + "0", ""},
      {"", "", "dop_v1_" + hex.substr(1), ""},
  });
}

/// Tokens without a literal of their own are found at long runs.
TEST(Scanner, KnowsTokensByTheirShape) {
  FakeSecrets fake(3);
  const std::string hex = fake.drawn("0-9a-f", 64);
  const std::string word = fake.drawn("A-Za-z0-9", 14);
  const std::string discord = "MT" + fake.drawn("A-Za-z0-9", 22) + "." +
                              fake.drawn("A-Za-z0-9_-", 6) + "." + fake.drawn("A-Za-z0-9", 30);
  const std::string okta = "00" + fake.drawn("A-Za-z0-9", 40);
  const std::string asana = "1/" + fake.drawn("1-9", 16) + ":" + hex.substr(0, 32);
  const std::string azure =
      fake.drawn("A-Za-z", 3) + "8Q~" + fake.drawn("A-Za-z0-9", 17) + "." + fake.drawn("a-z", 16);
  expect_found({
      {"airtable.token", "see ", "pat" + word + "." + hex, ", there"},
      {"", "see ", "pat" + word + "." + hex.substr(1), ""},
      {"", "see ", "pat" + word.substr(1) + "." + hex, ""},
      {"", "see ", "xpat" + word + "." + hex, ""},
      {"asana.token", "x=", asana, "\n"},
      {"", "x=", asana.substr(0, asana.size() - 1), "\n"},
      {"discord.token", "bot ", discord, "."},
      {"discord.token", "a/", discord, ""},
      {"", "bot ", "A" + discord.substr(1), ""},
      {"", "bot ", discord.substr(0, 40), ""},
      {"okta.token", "SSWS ", okta, "\""},
      {"", "SSWS ", okta + "0", ""},
      {"", "SSWS ", okta.substr(1), ""},
      {"twilio.key", "is ", "SK" + hex.substr(0, 32), "."},
      {"", "is ", "SK" + hex.substr(0, 33), "."},
      {"", "is ", "sk" + hex.substr(0, 32), "."},
      {"azure.client_secret", "is ", azure, "\n"},
      {"", "is ", azure.substr(3), "\n"},
      {"azure.client_secret", "is ", "a~" + azure.substr(2), "\n"},
      {"twilio.key", fake.drawn("A-Za-z0-9", 64) + "\n", "SK" + hex.substr(0, 32), "\n"},
      {"", "docs/", "00-Introduction-to-the-Deployment-Pipeline", ".md"},
      {"", "/", "pa-governor-signs-new-clean-energy-bill-in-law", "/"},
      {"", "x->", "fw_updateFirmwareComponents", "()"},
      {"", "case ", "BSA_AV_REMOTE_CONTROL_EVENT_MAX", ":"},
      {"", "at ", "MaintenanceWindowsManager.handle.processScheduledMaintenanceTasks", "("},
      {"elevenlabs.key", "key_", "sk_" + hex.substr(0, 48), ""},
      {"elevenlabs.key", "", "sk_" + hex.substr(0, 48), ""},
      {"", "", "sk_" + hex.substr(0, 47), ""},
  });
}

TEST(Scanner, FindsJsonTokens) {
  FakeSecrets fake(3);
  const std::string token = fake.json_token();
  const std::string unsigned_token = token.substr(0, token.rfind('.') + 1);
  const std::string header = token.substr(0, token.find('.'));
  expect_found({
      {"jwt", "", token, ""},
      {"jwt", "a ", token, ". More."},
      {"jwt", "{\"t\":\"", token, "\"}"},
      {"", "", base64_url_of(R"({"name":"Ann","age":12})") + ".abcdefghijk.abc", ""},
      {"", "", token.substr(0, token.find('.')), ""},
      {"", "x", token, ""},
      {"jwt", "", unsigned_token, ""},
      {"jwt", "", header + ".." + fake.drawn("A-Za-z0-9_-", 16) + "." + fake.drawn("A-Za-z0-9", 40),
       "."},
      {"", "", header + "...", ""},
  });
}

TEST(Scanner, FindsWholeBlocksOfPrivateKeys) {
  FakeSecrets fake(4);
  const std::string dashes(5, '-');
  const std::string block = fake.private_key("RSA PRIVATE KEY", "\n");
  expect_found({
      {"private_key", "x\n", block, "\ny"},
      {"private_key", "k = \"", fake.private_key("EC PRIVATE KEY", "\\n"), "\\n\""},
      {"private_key", "", fake.private_key("PGP PRIVATE KEY BLOCK", "\r\n"), ""},
      {"private_key", "", fake.private_key("OPENSSH PRIVATE KEY", "\n    "), ""},
      {"private_key", "", fake.private_key("ENCRYPTED PRIVATE KEY", " "), ""},
      {"private_key", "", block.substr(0, 200), ""},
      {"", "", fake.private_key("CERTIFICATE", "\n"), ""},
      {"", "", fake.private_key("PUBLIC KEY", "\n"), ""},
      {"", "", dashes + "BEGIN PRIVATE KEY" + dashes + "\n...\n" + dashes + "END PRIVATE KEY", ""},
      {"", "a line with ", dashes + "BEGIN RSA PRIVATE KEY" + dashes, " begins one"},
  });
}

TEST(Scanner, FindsPasswordsOfUrls) {
  FakeSecrets fake(5);
  const std::string secret = fake.drawn("A-Za-z0-9", 14);
  expect_found({
      {"url.password", "postgres://app:", secret, "@db.example.com:5432/main"},
      {"url.password", "DB=\"mongodb+srv://app:", secret, "@c0.example.net/?w=1\""},
      {"url.password", "redis://:", secret, "@cache:6379/0"},
      {"url.password", "amqps://svc:", "p/" + secret, "@mq/vhost"},
      {"url.password", "https://", fake.drawn("a-f0-9", 40), "@git.example.com/x.git"},
      {"url.password", "[a](ftp://u:", secret, "@h/f)"},
      {"", "https://app:", "${PASSWORD}", "@host/"},
      {"", "https://user:", "<password>", "@host/"},
      {"", "https://user:", "password", "@host/"},
      {"", "https://", "user", "@host/"},
      {"", "https://host:", "8080", "/a@b"},
      {"", "https://host/", "a:" + secret + "@b", ""},
      {"", "user:", secret, "@host"},
  });
}

TEST(Scanner, FindsWhatUrlsAreSignedWith) {
  FakeSecrets fake(6);
  const std::string hex = fake.drawn("0-9a-f", 64);
  const std::string base64 = fake.drawn("A-Za-z0-9", 41) + "%2B3%3D";
  const std::string url =
      "https://b.s3.eu-west-1.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-Signature=";
  expect_found({
      {"url.presigned", "see " + url, hex, " now"},
      {"url.presigned", "<a href=\"https://b/k?X-Amz-Expires=9&amp;X-Amz-Signature=", hex, "\">"},
      {"url.presigned", "https://s.googleapis.com/b/o?X-Goog-Expires=9&X-Goog-Signature=", hex, ""},
      {"url.presigned",
       "https://x.blob.core.windows.net/c/b?sv=2024-01-01&se=2026-01-01&sr=b&sp=r&sig=", base64,
       ""},
      {"azure.sas", "?sv=2024-01-01&ss=b&srt=sco&sp=rw&se=2026-01-01&sig=", base64, ""},
      {"url.presigned",
       "https://d1.cloudfront.net/a?Expires=17&Key-Pair-Id=KABC&Signature=", base64 + "__", ""},
      {"", "https://host/a?Signature=", base64, "&x=1"},
      {"", "https://host/a?sig=", hex.substr(0, 10), "&sv=1"},
      {"", "https://host/a?X-Amz-Signature=", "...", ""},
  });
}

TEST(Scanner, SaysWhichUrlASignatureIsOf) {
  FakeSecrets fake(7);
  const std::string url = "https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA" +
                          fake.drawn("A-Z2-7", 16) + "%2F20260101%2Fus-east-1%2Fs3%2Faws4_request" +
                          "&X-Amz-Signature=" + fake.drawn("0-9a-f", 64) + "&x=1";
  const std::string text = "At [this](" + url + ") page";
  Scanner scanner(database());
  const DetectorId presigned = detector_id("url.presigned");
  std::size_t count = 0;
  for (const DetectorMatch& sighting : scanner.scan(text)) {
    if (sighting.detector != presigned) continue;
    ++count;
    EXPECT_EQ(text.substr(sighting.whole_begin, url.size()), url);
  }
  EXPECT_EQ(count, 2U);
}

TEST(Scanner, FindsSecretsOfHeaders) {
  FakeSecrets fake(8);
  const std::string secret = fake.drawn("A-Za-z0-9", 32);
  const std::string basic = base64_of("ann:" + fake.password());
  expect_found({
      {"http.authorization", "Authorization: Bearer ", secret, "\r\n"},
      {"http.authorization", R"({"authorization": "Bearer )", secret, "\"}"},
      {"http.authorization", "curl -H 'authorization: bearer ", secret, "' x"},
      {"http.authorization", "Proxy-Authorization: Basic ", basic, ""},
      {"http.authorization", "log: Basic ", basic, " refused"},
      {"http.authorization", "sent Bearer ", secret, ","},
      {"", "Authorization: Bearer ", "<token>", ""},
      {"", "Authorization: Bearer ", "$TOKEN", ""},
      {"", "a bearer ", "authentication", " is needed"},
      {"", "the basic ", "authentication", " is old"},
      {"", "authorization: ", "required", ""},
      {"http.cookie", "Set-Cookie: sid=", secret, "; Path=/; HttpOnly"},
      {"http.cookie", "Cookie: theme=dark; session=", secret, ""},
      {"http.cookie", R"("set-cookie": ["a=)", secret, R"(; Path=/"])"},
      {"", "Cookie: theme=", "dark", "; lang=en"},
      {"", "a cookie: ", "flour and sugar", ""},
  });
}

TEST(Scanner, FindsPasswordsInOptionsOfCommands) {
  FakeSecrets fake(19);
  const std::string password = fake.drawn("A-Za-z0-9", 12) + "7a";
  expect_found({
      {"command.password", "curl -u ann:", password, " https://api.example.com"},
      {"command.password", "$ curl -sSu 'ann:", password, "' -d x https://api.example.com"},
      {"command.password", "curl --user \"ann:", password, "\""},
      {"command.password", "curl -uann:", password, ""},
      {"command.password", "curl -x proxy:3128 --proxy-user ann:", password, "\n"},
      {"command.password", R"(curl -u \"ann:)", password, R"(\" x)"},
      {"command.password", "mysql -h db -u root -p", password, " shop < dump.sql"},
      {"command.password", "mysqldump -uroot -p'", password, "' shop"},
      {"command.password", "/usr/bin/mariadb-dump -p", password, "\n"},
      {"command.password", "sshpass -p ", password, " ssh ann@host"},
      {"command.password", "sshpass -p'", password, "' scp a b"},
      {"command.password", "redis-cli -h cache -a ", password, " ping"},
      {"command.password", "redis-cli --pass ", password, ""},
      {"command.password", R"(["curl", "-u", "ann:)", password, R"(", "https://api.example.com"])"},
      {"command.password", R"([\"curl\",\"-u\",\"ann:)", password, R"(\"])"},
      {"command.password", "Command: ['sshpass', '-p', '", password, "', 'ssh']"},
      {"command.password", "curl -u ann:\"", password, "\" x"},
      {"command.password", "curl -uann:'", password, "'"},
      {"command.password", "curl -u\"ann:", password, "\" x"},
      {"command.password", R"({"cmd":"mysql -uroot -p\")", password, R"(\" shop"})"},
      {"command.password", R"({"cmd":"curl -u ann:)", password, R"(","next":"-u x:y"})"},
      {"command.password", R"(\"curl -u ann:)", password, R"(\")"},
      {"command.password", "[\"curl\",\n  \"-u\",\n  \"ann:", password, "\"\n]"},
      {"command.password", "curl -X POST \\\n  -u ann:", password, " \\\n  https://x"},
      {"command.password", "run `curl -u ann:", password, "` first"},
      {"command.password", "run `curl https://x`, then curl -u ann:", password, ""},
      {"command.password", "curl https://x?a=1&b=2 -u ann:", password, ""},
      {"command.password", "apt-get install -y curl mysql-client && curl x | sh && mysql -p",
       password, " db"},
      {"command.password", "curl a curl a curl a curl a curl a; mysql -p", password, ";"},
      {"command.password", "curl mysql -u ann:", password, ""},
      {"command.password", "sshpass -e ssh host \"mysql -p", password, "\""},
      {"command.password", "sudo sshpass -p ", password, " ssh -p 22022 host"},
      {"", "curl " + std::string(509, 'a') + R"( \"-ux:)", password,
       ""},  // Where it stops looking.
      {"", "curl x | grep -uann:", password, ""},
      {"", "curl x && sudo -u user:", password, " y"},
      {"", "mysqldump shop | ssh -p", "22101", " ann@backup"},
      {"", "mysql -e q; mkdir -p/", password, ""},
      {"", "docker run -d mysql -p", "3306:3306", " x"},
      {"", "curl `", password, ""},
      {"", "curl -u ann:", "$PASSWORD", " x"},
      {"", "curl -u ", "ann", " x"},
      {"", "curl -o ann:", password, " x"},
      {"", "curls -u ann:", password, ""},
      {"", "mysql -p ", password, ""},  // Names a database; the password is asked for.
      {"", R"(["mysql", "-p", ")", password, R"("])"},
      {"", R"(["curl"] and "-u", "ann:)", password, R"(")"},
      {"", "mysql -P", "3306", ""},
      {"", "use curl\n-u ann:", password, ""},
      {"", "redis-cli -p ", "6379", ""},
      {"", "redis-cli -a ", "<password>", ""},
  });
}

TEST(Scanner, FindsWhatIsAssignedToNamesOfSecrets) {
  FakeSecrets fake(9);
  const std::string password = fake.password();
  const std::string key =
      fake.drawn("a-z0-9", 10) + fake.drawn("A-Z", 3) + fake.drawn("a-z0-9", 12);
  const std::string aws = fake.drawn("A-Za-z0-9", 38) + "/x";
  const std::string hex = fake.drawn("a-f0-9", 32);
  expect_found({
      {"assignment", "DB_PASSWORD=", password, "\n"},
      {"assignment", "export API_KEY='", key, "'"},
      {"assignment", "ADMIN_PASSWORD=", password, "\n"},
      {"assignment", "export SEAFILE_ADMIN_PASSWORD=", password, "\n"},
      {"assignment", "SUPERUSER_PASSWORD=", password, "\n"},
      {"assignment", "HOMEPAGE_TOKEN=", key, "\n"},
      {"", "NEXT_PAGE_TOKEN=", key, "\n"},
      {"", "HTTPMinTokens: ", key, "\n"},
      {"assignment", R"({"password": ")", password, "\"}"},
      {"assignment", R"({\"client_secret\":\")", key, R"(\"})"},
      {"assignment", "password: ", password, "\n"},
      {"assignment", "const apiKey: string = \"", key, "\";"},
      {"assignment", "apiKey := \"", key, "\""},
      {"assignment", "'secret' => '", key, "',"},
      {"assignment", "<password>", password, "</password>"},
      {"assignment", "run --token ", key, " x"},
      {"assignment", "- name: AUTH_TOKEN\n  value: ", key, "\n"},
      {"assignment", "ALTER USER a IDENTIFIED BY '", password, "'"},
      {"assignment", "GET /x?api_key=", key, "&b=1"},
      {"assignment", "X-Api-Key: ", key, "\r\n"},
      {"assignment", "config[\"secret_key\"] = \"", key, "\""},
      {"connection.password", "Server=db;User Id=app;Password=", password, ";Encrypt=1"},
      {"connection.password", "host=db user=app password=", "letmein", " dbname=x"},
      {"aws.secret_key", "aws_secret_access_key = ", aws, "\n"},
      {"datadog.key", "DD_API_KEY=", hex, ""},
      {"", "password: ", "required", ""},
      {"", "password=", "${DB_PASSWORD}", ""},
      {"", "api_key: \"", "<your-api-key>", "\""},
      {"", "api_key: \"", "YOUR_API_KEY_GOES_HERE_1", "\""},
      {"", "password = ", "os.environ[\"PASSWORD\"]", ""},
      {"", "token = ", "get_token(request, 12345)", ""},
      {"", "secret = ", "config.secrets.primary_key2", ""},
      {"", "password: \"", "changeme", "\""},
      {"", "password=", "xxxxxxxx", ""},
      {"", "max_tokens: ", key, ""},
      {"", "next_page_token: \"", key, "\""},
      {"", "token_type: \"", key, "\""},
      {"", "password_file=", "/run/secrets/db-password-1", ""},
      {"", "secret: ", "/run/secrets/db-password-1", ""},
      {"", "tokenizer = \"", key, "\""},
      {"", "\"js-tokens\": \"", "^7.1.2", "\""},
      {"", "The password is hard: ", "1 of 3 words", ""},
  });
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return encoded;
}

std::string hex_of(std::string_view text) {
  std::string encoded = percent_encoded(text);
  std::erase(encoded, '%');
  return encoded;
}

std::string unicode_escaped(std::string_view text) {
  std::string encoded;
  for (const char c : text)
    encoded += "\\u00" + hex_of({&c, 1});
  return encoded;
}

/// What is found is the encoded piece, with no byte of the secret outside.
TEST(Scanner, LooksThroughOneEncoding) {
  FakeSecrets fake(11);
  const std::string token = "ghp_" + fake.drawn("A-Za-z0-9", 36);
  const std::string key = "AKIA" + fake.drawn("A-Z2-7", 16);
  const std::string slashed = fake.drawn("A-Za-z0-9", 20) + "/" + fake.drawn("A-Za-z0-9", 19);
  const std::string json = R"({"user":"ann","token":")" + token + R"(","n":1})";
  const std::string encoded = base64_of(json);
  const std::size_t at = json.find("ghp_") / 3 * 4;
  const std::size_t end = (json.find("ghp_") + token.size() + 2) / 3 * 4;
  expect_found({
      {"github.token", "x ", percent_encoded(token), " y"},
      {"github.token", "q=", "%67hp_" + token.substr(4), "&x"},
      {"aws.access_key", R"("id": ")", R"(\u0041KIA)" + key.substr(4), "\""},
      {"aws.access_key", "", unicode_escaped(key), ""},
      {"github.token", "", "ghp\\x5f" + token.substr(4), ""},
      {"aws.secret_key", R"({\"aws_secret_access_key\":\")",
       slashed.substr(0, 20) + "\\" + slashed.substr(20), R"(\"})"},
      {"github.token", "hex ", hex_of(token), ""},
      {"github.token", "data: " + encoded.substr(0, at), encoded.substr(at, end - at),
       encoded.substr(end)},
      {"", "twice ", base64_of(base64_of(token + token)), ""},
      {"", "plain ", base64_of("nothing in here but a sentence of words"), ""},
  });
}

/// A run is found wherever it begins and ends.
TEST(Scanner, FindsShortBase64AtEveryPlace) {
  FakeSecrets fake(13);
  Scanner scanner(database());
  for (std::size_t before = 0; before < 160; ++before) {
    // From 27 digits on: an id of 20 bytes, and more around it.
    for (std::size_t around = 0; around < 10; ++around) {
      const std::string key = "AKIA" + fake.drawn("A-Z2-7", 16);
      std::string encoded =
          base64_of(std::string(around / 2, '.') + key + std::string(around % 2, ' '));
      std::erase(encoded, '=');
      for (const std::size_t after : {0UZ, 1UZ, 9UZ, 39UZ, 200UZ}) {
        const std::string text = std::string(before, ' ') + encoded + std::string(after, ' ');
        EXPECT_EQ(scanner.scan(text).size(), 1U) << text;
      }
    }
  }
}

TEST(Scanner, LooksThroughBase64InLines) {
  FakeSecrets fake(12);
  for (const std::string_view line_end : {"\n", "\r\n"}) {
    for (std::size_t before = 0; before < 80; ++before) {
      const std::string token = "ghp_" + fake.drawn("A-Za-z0-9", 36);
      const std::string digits =
          base64_of(std::string(before, 'a') + ' ' + token + std::string(40, ' '));
      std::string text;
      for (std::size_t i = 0; i < digits.size(); i += 76)
        text += digits.substr(i, 76) + std::string(line_end);
      Scanner scanner(database());
      const auto sightings = scanner.scan(text);
      ASSERT_EQ(sightings.size(), 1U) << before;
      std::string masked = text;
      masked.replace(sightings[0].begin, sightings[0].end - sightings[0].begin, "");
      EXPECT_LE(sightings[0].end - sightings[0].begin, token.size() * 4 / 3 + 8);
      EXPECT_FALSE(masked.contains(base64_of(token.substr(0, 36)).substr(4, 12)));
    }
  }
}

/// Every byte of a hostile text is read a bounded number of times, whatever the text repeats.
TEST(Scanner, ReadsHostileTextsInLinearWork) {
  constexpr std::uint64_t kReadsMax = 48;
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  const std::vector<std::string> pieces = {
      "ghp_",
      "sk-ant-",
      "glpat-glpat-",
      "xoxb-",
      "-eyJh",
      "eyJh.",
      "eyJhbGciOi.",
      "_eyJh",
      "a://",
      "a://b:c@",
      "://a:",
      "X-Amz-Signature=",
      "&X-Amz-Signature=aaaaaaaaaaaaaaaaaa",
      "&sig=sv=",
      "Signature=",
      "authorization: bearer ",
      "authorization:authorization:",
      "bearer bearer-",
      "cookie:",
      "cookie:a=",
      "cookie:a=b;",
      "curl ",
      "curl -u a:",
      "curl -u a1b2c3d4:",
      "mysql -pa1b2c3",
      "sshpass -p '",
      "curl\", \"",
      "curl.",
      "curl`",
      "curl ` ",
      "\"curl x",
      "mysql-",
      "curl -u \\\n",
      "curl\", \"-u\", \"a1b2c3d4:",
      "password=",
      "password=\"",
      "password='password\"",
      "secret_",
      "token:",
      "token.",
      "--token ",
      "password,",
      "pwd=pwd:",
      "-----BEGIN ",
      "-----BEGIN RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----AAAA",
      "---- BEGIN ",
      "Private-Lines: ",
      "Private-Lines: A",
      "AccountKey=",
      "T3BlbkFJ",
      "AZDO",
      ":AAE",
      "-us1",
      ".atlasv1.",
      "dp.st.",
      "\\u0026sig=",
      "a\\u0026",
      "hvs.hvs.",
      "apikey\\\"",
      "-eyJhbGciOiJ9",
      "authorization=",
      "authorization=a1b2c3d4/",
      "&sig=a1b2c3d4e5f6g7h8",
      "sig=a1b7=",
      "x://:abc@",
      "x://:a/@",
      "token=\"",
      "%41",
      "%41a",
  };
  Scanner scanner(database());
  for (const std::string& piece : pieces) {
    std::string text;
    while (text.size() < kBytes)
      text += piece;
    scanner.scan(text);
    EXPECT_LE(scanner.work(), kReadsMax * text.size())
        << piece << ": " << scanner.work() / text.size();
    for (const std::string& other : pieces) {
      std::string pair;
      while (pair.size() < kBytes / 16)
        pair += piece + other;
      scanner.scan(pair);
      EXPECT_LE(scanner.work(), kReadsMax * pair.size())
          << piece << " " << other << ": " << scanner.work() / pair.size();
    }
  }
}

/// What stands before or behind is not read again for each of what is repeated.
TEST(Scanner, ReadsWhatManyPrefixesShareOnce) {
  constexpr std::uint64_t kReadsMax = 48;
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  const std::string many(kBytes, 'a');
  const struct {
    std::string begin, piece, end;
  } shapes[] = {
      {"sv=1", "&sig=a1b2c3d4e5f6g7h8", ""},
      {"", "-eyJhbGciOiJ9", ".a"},
      {"", "-eyJhbGciOiJIUzI1NiJ9", "." + many + "." + many + "." + many},
      {"", "authorization=", "/" + std::string(kBytes, '.')},
      {"", "authorization:", "AWS4-HMAC-SHA256 Signature=" + many},
      {"", "authorization:AWS4-HMAC-SHA256/", "Signature=" + many},
      {"password=\"", "x password=a1b2c3", "\""},
      {"", "password=", many},
      {"", "password: 'password: \"", many},
  };
  Scanner scanner(database());
  for (const auto& shape : shapes) {
    std::string text = shape.begin;
    while (text.size() < kBytes)
      text += shape.piece;
    text += shape.end;
    scanner.scan(text);
    EXPECT_LE(scanner.work(), kReadsMax * text.size())
        << shape.piece << ": " << scanner.work() / text.size();
  }
}

/// However long a value is, none of it stays.
TEST(Scanner, FindsLongValuesToTheirEnd) {
  FakeSecrets fake(14);
  const std::string key = fake.drawn("A-Za-z0-9", 5000);
  std::string wide = fake.drawn("A-Za-z0-9", 1023);
  for (int i = 0; i < 100; ++i)
    wide += "\xc3\xa9";
  expect_found({
      {"assignment", "API_KEY=", key, "\n"},
      {"assignment", R"({"password": ")", key, "\"}"},
      {"assignment", R"({"password": ")", wide, "\"}"},
      {"assignment", R"({\"client_secret\":\")", key, R"(\"})"},
      {"assignment", "<password>", key, "</password>"},
      {"http.cookie", "Cookie: session=", key, "; a=b"},
      {"http.authorization", "Authorization: Bearer ", key, "\r\n"},
      {"", R"({"token": ")", "some words " + key, "\"}"},
  });
}

/// Windows of a long text overlap, and base64 is read on in the next one where it was left.
TEST(Scanner, LooksThroughEncodingsOfLongTexts) {
  FakeSecrets fake(15);
  constexpr std::size_t kBytes = std::size_t{2500} << 10;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string plain(shift, ' ');
    std::size_t tokens = 0;
    for (; plain.size() < kBytes; ++tokens)
      plain +=
          "ghp_" + fake.drawn("A-Za-z0-9", 36) + ' ' + std::string(fake.below(4000), '-') + ' ';
    std::string lines;
    const std::string digits = base64_of(plain);
    for (std::size_t i = 0; i < digits.size(); i += 76)
      lines += digits.substr(i, 76) + "\r\n";
    Scanner scanner(database());
    for (const std::string& text :
         {digits, "x " + lines, percent_encoded(plain), ' ' + hex_of(plain)}) {
      EXPECT_EQ(scanner.scan(text).size(), tokens) << text.substr(0, 20);
      EXPECT_LE(scanner.work(), 48 * text.size());
    }
  }
}

TEST(Scanner, DecodesLongTextsInBoundedMemory) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  for (const std::string_view piece : {"%41", "%41a", "\\/a", "QUFB"}) {
    std::string text;
    while (text.size() < kBytes)
      text += piece;
    EncodedText encoded;
    encoded.start(text);
    std::size_t windows = 0;
    for (; encoded.next(); ++windows) {
      EXPECT_LE(encoded.decoded().size(), kBytes / 4) << piece;
      EXPECT_LE(encoded.bytes(), std::size_t{24} << 20) << piece;
    }
    EXPECT_GE(windows, 8U);
    encoded.finish();
    EXPECT_LE(encoded.bytes(), std::size_t{2} << 20) << piece;
  }
}

TEST(Scanner, StopsWhereNobodyWantsMore) {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "x://:abc@ ";
  Scanner scanner(database());
  EXPECT_EQ(scanner.scan(text).size(), Scanner::kSightingsMax);
  EXPECT_EQ(scanner.scan(text.substr(0, 1000)).size(), 100U);
  EXPECT_EQ(scanner.scan(percent_encoded(text)).size(), Scanner::kSightingsMax);
}

TEST(Scanner, PartsWhatIsJoinedByNul) {
  FakeSecrets fake(10);
  const std::string token = "ghp_" + fake.drawn("A-Za-z0-9", 36);
  const std::string key = fake.private_key("RSA PRIVATE KEY", "\n");
  Scanner scanner(database());
  for (const std::string& secret : {token, key, "password=" + fake.password(), fake.json_token()}) {
    for (std::size_t at = 0; at <= secret.size(); ++at) {
      const std::string text = secret.substr(0, at) + '\0' + secret.substr(at);
      for (const DetectorMatch& sighting : scanner.scan(text))
        EXPECT_EQ(text.substr(sighting.begin, sighting.end - sighting.begin).find('\0'), text.npos);
    }
  }
}

/// How fast it is, `bench_micro` says; what it is made of stays small.
TEST(Scanner, HasASmallDatabase) {
  EXPECT_LT(database()->literal_count(), 2000U);
  EXPECT_LT(database()->bytes(), std::size_t{2} << 20);
}

}  // namespace
}  // namespace bartizan
