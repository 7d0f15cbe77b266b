#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>

#include "policy/detect/detector_id.h"
#include "policy/detect/named_secrets.h"
#include "policy/detect/scanner.h"
#include "policy/detect/token_formats.h"
#include "tests/policy/benign_output.h"
#include "tests/policy/manual.h"
#include "tests/policy/published_formats.h"
#include "tests/policy/secret_carriers.h"

namespace bartizan {
namespace {

struct Rate {
  std::size_t texts = 0, found = 0;
  double recall() const { return static_cast<double>(found) / static_cast<double>(texts); }
};

class Rates {
 public:
  Rates() : scanner_(compile_scan_database().value()) {}

  /// Counts a text as found where every byte of the secret would be masked, and few others.
  void count(const std::string& group, const CarriedSecret& secret, std::size_t more_max = 8) {
    Rate& rate = rates_[group];
    ++rate.texts;
    const auto sightings = scanner_.scan(secret.text);
    const bool is_found = std::ranges::any_of(sightings, [&](const DetectorMatch& sighting) {
      return sighting.begin <= secret.begin && sighting.end >= secret.end &&
             sighting.end - sighting.begin <= secret.end - secret.begin + more_max;
    });
    if (is_found) ++rate.found;
    if (!is_found && missed_.size() < 40)
      missed_.push_back(group + " in " + std::string(secret.carrier) + ": " + secret.text);
    Rate& by_carrier = carriers_[std::string(secret.carrier)];
    ++by_carrier.texts;
    if (is_found) ++by_carrier.found;
  }
  void count(const std::string& group, const std::string& text, std::string_view secret) {
    const std::size_t begin = text.find(secret);
    count(group, {"by its name", text, begin, begin + secret.size()});
  }

  std::size_t found_in(std::string_view text) { return scanner_.scan(text).size(); }

  const std::map<std::string, Rate>& all() const { return rates_; }
  const std::map<std::string, Rate>& carriers() const { return carriers_; }
  const std::vector<std::string>& missed() const { return missed_; }

 private:
  Scanner scanner_;
  std::map<std::string, Rate> rates_, carriers_;
  std::vector<std::string> missed_;
};

std::string misses(const Rates& rates) {
  std::string text;
  for (const std::string& missed : rates.missed())
    text += missed + "\n";
  return text;
}

void print(const Rates& rates) {
  for (const auto& [name, rate] : rates.all())
    std::printf("%-28s %5zu of %5zu  %.3f\n", name.c_str(), rate.found, rate.texts, rate.recall());
  for (const auto& [name, rate] : rates.carriers())
    std::printf("in %-25s %5zu of %5zu  %.3f\n", name.c_str(), rate.found, rate.texts,
                rate.recall());
}

/// A row of the manual's table says what was measured.
void expect_published(const std::string& row) {
  EXPECT_TRUE(read_manual("detectors.md").contains(row))
      << "docs/detectors.md should have: " << row;
}

/// `11 138`
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3)
    text.insert(end - 3, " ");
  return text;
}

Rate sum(const Rates& rates) {
  Rate all;
  for (const auto& [name, rate] : rates.all()) {
    all.texts += rate.texts;
    all.found += rate.found;
  }
  return all;
}

TEST(ScannerRates, TokensOfProvidersAreFoundInAllCarriers) {
  Rates rates;
  std::vector<TokenFormat> formats(token_formats().begin(), token_formats().end());
  formats.insert(formats.end(), run_formats().begin(), run_formats().end());
  for (const TokenFormat& format : formats) {
    FakeSecrets fake = FakeSecrets::of(format.pattern);
    for (int i = 0; i < 2; ++i) {
      const std::string secret = fake.token(format.pattern);
      for (const CarriedSecret& carried : texts_with(secret, fake))
        rates.count(std::string(format.detector), carried);
    }
  }
  FakeSecrets fake(101);
  for (int i = 0; i < 5; ++i) {
    const std::string token = fake.json_token();
    for (const CarriedSecret& carried : texts_with(token, fake))
      rates.count("jwt", carried);
    const std::string key = fake.private_key("PRIVATE KEY", "\\n");
    for (const CarriedSecret& carried : texts_with(key, fake))
      rates.count("private_key", carried);
  }
  print(rates);
  for (const auto& [name, rate] : rates.all())
    EXPECT_GE(rate.recall(), 0.98) << name << "\n" << misses(rates);
  const auto below = std::ranges::count_if(
      rates.all(), [](const auto& one) { return one.second.found < one.second.texts; });
  EXPECT_EQ(below, 1) << "docs/detectors.md says: all but one 1.000\n" << misses(rates);
}

/// What others know of tokens, which the formats of the scanner were not made of.
TEST(ScannerRates, TokensAreFoundAsOthersDescribeThem) {
  FakeSecrets fake(105);
  Rates rates;
  for (const PublishedFormat& format : published_formats()) {
    for (int i = 0; i < 2; ++i) {
      const std::string secret = fake.token(format.pattern);
      // Of a URL the last part is what nobody may know.
      const bool is_url = secret.starts_with("https://");
      const std::size_t begin = is_url ? secret.find_last_of("/=") + 1 : 0;
      for (CarriedSecret& carried : texts_with(secret, fake)) {
        const bool is_as_written = carried.text.contains(secret);
        if (is_url && !is_as_written) continue;
        carried.begin += begin;
        rates.count(std::string(format.name), carried, is_url ? secret.size() : 8);
      }
    }
  }
  for (const auto& [name, rate] : rates.all()) {
    if (rate.found < rate.texts)
      std::printf("%-40s %5zu of %5zu\n", name.c_str(), rate.found, rate.texts);
  }
  std::printf("all: %.3f\n%s", sum(rates).recall(), misses(rates).c_str());
  EXPECT_GE(sum(rates).recall(), 0.98);
  expect_published(
      fmt::format("| recall, tokens of {} formats that others describe | {:.3f} | 0.98 |",
                  published_formats().size(), sum(rates).recall()));
}

TEST(ScannerRates, SecretsAreFoundByTheirNames) {
  FakeSecrets fake(102);
  Rates rates;
  for (const std::string_view name : {"password", "db_password", "client_secret", "api_key",
                                      "auth_token", "secret_key", "access_token", "passphrase"}) {
    const bool is_chosen = name.contains("pass");
    for (int i = 0; i < 8; ++i) {
      const std::string secret =
          is_chosen ? fake.password() : fake.drawn("A-Za-z0-9", 24 + fake.below(24));
      for (const std::string& text : texts_with_named(name, secret, fake))
        rates.count("assignment " + std::string(name), text, secret);
    }
  }
  for (const NamedSecret& named : named_secrets()) {
    const std::string name = std::string(named.word) + "_secret_key";
    const std::string secret = fake.token(named.pattern);
    for (const std::string& text : texts_with_named(name, secret, fake))
      rates.count(std::string(named.detector), text, secret);
  }
  print(rates);
  EXPECT_GE(sum(rates).recall(), 0.90) << misses(rates);
  expect_published(fmt::format("| recall, passwords and keys by their names | {:.3f} | 0.90 |",
                               sum(rates).recall()));
}

/// People choose passwords with all that their keyboards have, and files of configuration have them
/// without quotes.
TEST(ScannerRates, PasswordsOfAnyCharactersAreFoundByTheirNames) {
  constexpr int kEach = 400;
  const struct {
    std::string_view name, before, after;
    bool is_quoted;
  } carriers[] = {
      {"environment", "HOME=/root\nDB_PASSWORD=", "\nTZ=UTC\n", false},
      {"exported", "export DB_PASSWORD=", "\n", false},
      {"YAML", "db:\n  password: ", "\n  user: app\n", false},
      {"ini", "[client]\npassword = ", "\n", false},
      {"properties", "db.password=", "", false},
      {"quoted environment", "DB_PASSWORD=\"", "\"\n", true},
      {"quoted YAML", "password: '", "'\n", true},
  };
  FakeSecrets fake(104);
  Rates rates;
  for (const auto& carrier : carriers) {
    for (int i = 0; i < kEach; ++i) {
      const std::size_t size = 10 + fake.below(10);
      // What ends a quoted value is escaped there, each in a way of its own.
      const std::string secret =
          fake.drawn(carrier.is_quoted ? "A-Za-z0-9!#$%&()*+,./:;<=>?@^_{|}~-"
                                       : "A-Za-z0-9!#$%&()*+,./:;<=>?@^_{|}~'`-",
                     size);
      const std::string text = std::string(carrier.before) + secret + std::string(carrier.after);
      rates.count(std::string(carrier.name), text, secret);
    }
    // Of letters and digits alone it looks like a name of the program.
    for (int i = 0; i < kEach; ++i) {
      const std::string secret = fake.drawn("A-Za-z0-9", 10 + fake.below(7));
      const std::string text = std::string(carrier.before) + secret + std::string(carrier.after);
      rates.count(std::string(carrier.name) + ", alphanumeric", text, secret);
    }
  }
  print(rates);
  for (const auto& [name, rate] : rates.all())
    EXPECT_GE(rate.recall(), 0.80) << name << "\n" << misses(rates);
  EXPECT_GE(sum(rates).recall(), 0.90) << misses(rates);
  expect_published(
      fmt::format("| recall, passwords of any characters by their names | {:.3f} | 0.90 |",
                  sum(rates).recall()));
}

/// What says that it is a secret by what stands around it. `$` is the secret, `#` is any other
/// text.
struct Surrounded {
  std::string_view detector;
  std::string_view alphabet;
  std::size_t least, most;  ///< Bytes of the secret.
  std::vector<std::string_view> forms;
};

const std::vector<Surrounded>& surrounded() {
  static const std::vector<Surrounded> all = {
      {"url.password",
       "A-Za-z0-9!*_~.-",
       10,
       24,
       {"DATABASE_URL=postgres://app:$@db.internal:5432/#", "mysql://root:$@10.0.0.5/#",
        "mongodb+srv://#:$@cluster0.example.net/?retryWrites=true", "redis://:$@cache:6379/0",
        "amqp://#:$@queue/%2F", "remote: https://#:$@git.example.com/a/b.git",
        "{\"url\":\"postgresql+psycopg://#:$@db/#\"}", "ftp://#:$@files.example.com/",
        "smb://#:$@nas/share", "proxy = \"http://#:$@proxy:3128\"",
        "ldaps://cn=#:$@dir.example.com", "<url>jdbc:oracle://#:$@db/x</url>"}},
      {"url.presigned",
       "a-f0-9",
       64,
       64,
       {("https://#.s3.amazonaws.com/a.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=#%2F"
         "20260102%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=20260102T030405Z&X-Amz-Expires=900&"
         "X-Amz-SignedHeaders=host&X-Amz-Signature=$"),
        ("[file](https://storage.googleapis.com/#/a?X-Goog-Algorithm=GOOG4-RSA-SHA256&"
         "X-Goog-Credential=#%40x.iam.gserviceaccount.com%2F20260102%2Fauto%2Fstorage%2F"
         "goog4_request&X-Goog-Signature=$)"),
        ("https://#.blob.core.windows.net/c/a?sv=2024-11-04&se=2026-01-02T03%3A04%3A05Z&sr=b&sp=r&"
         "sig=$"),
        "https://d111.cloudfront.net/a?Expires=1767323045&Signature=$&Key-Pair-Id=K2#",
        "https://#.oss-cn-hangzhou.aliyuncs.com/a?OSSAccessKeyId=#&Expires=1767323045&Signature=$",
        ("{\"url\":\"https://#.s3.amazonaws.com/a?AWSAccessKeyId=#\\u0026Expires=1767323045"
         "\\u0026Signature=$\"}"),
        ("https://#.cos.ap-guangzhou.myqcloud.com/a?q-sign-algorithm=sha1&q-ak=#&"
         "q-sign-time=1767323045;1767326645&q-key-time=1767323045;1767326645&q-header-list=host&"
         "q-url-param-list=&q-signature=$")}},
      {"http.authorization",
       "A-Za-z0-9_-",
       24,
       60,
       {"Authorization: Bearer $\r\n", "authorization: token $",
        "curl -H 'Authorization: Bearer $' x", "{\"Authorization\":\"Bearer $\"}",
        "headers={'Authorization': f'Bearer $'}", "Authorization: Basic $\n",
        "Proxy-Authorization: Basic $", "> Authorization: ApiKey $",
        "\"authorization\", \"Bearer $\"", "req.Header.Set(\"Authorization\", \"Bearer $\")",
        "log: sent bearer $ to upstream", "<header name=\"Authorization\">Bearer $</header>"}},
      {"http.cookie",
       "A-Za-z0-9",
       24,
       60,
       {"Cookie: session=$\r\n", "Set-Cookie: sid=$; Path=/; HttpOnly",
        "Cookie: theme=dark; JSESSIONID=$", "{\"Cookie\":\"connect.sid=$; lang=en\"}",
        "curl -H \"Cookie: auth=$\" https://x", "set-cookie: __Host-session=$; Secure",
        "Cookie: PHPSESSID=$", "'cookie': 'access_token=$'"}},
      {"command.password",
       "A-Za-z0-9_.-",
       10,
       20,
       {"curl -u #:$ https://x", "curl -s --user '#:$' https://x", "$ curl -X POST -u \"#:$\" x",
        "mysql -u root -p$ #", "mysqldump --host db -p'$' # > a.sql", "sshpass -p $ ssh #@host",
        "redis-cli -a $ keys '*'", "RUN curl -fsSLu #:$ https://x | sh",
        R"("cmd": ["curl", "-s", "-u", "#:$", "https://x"])",
        "run(['sshpass', '-p', '$', 'ssh'])"}},
      {"connection.password",
       "A-Za-z0-9!*_-",
       8,
       20,
       {"Server=db;Database=#;User Id=app;Password=$;Encrypt=true", "Data Source=db;UID=#;PWD=$",
        "host=db user=# password=$ dbname=#", "jdbc:sqlserver://db:1433;user=#;password=$;",
        "\"ConnectionStrings\": {\"Main\": \"Server=db;User=#;Password=$;\"}",
        "Driver={ODBC};Server=db;Uid=#;Pwd=$;", "psql \"host=db password=$ user=#\"",
        "Endpoint=db;Username=#;Password=$"}},
  };
  return all;
}

TEST(ScannerRates, SecretsAreFoundByWhatStandsAroundThem) {
  constexpr int kEach = 60;
  FakeSecrets fake(106);
  Rates rates;
  for (const Surrounded& one : surrounded()) {
    for (const std::string_view form : one.forms) {
      for (int i = 0; i < kEach; ++i) {
        const std::string secret =
            fake.drawn(one.alphabet, one.least + fake.below(1 + one.most - one.least));
        std::string text;
        std::size_t begin = 0;
        for (const char c : form) {
          if (c == '$') begin = text.size();
          text += c == '$' ? secret : c == '#' ? fake.drawn("a-z0-9", 9) : std::string(1, c);
        }
        rates.count(std::string(one.detector), {form, text, begin, begin + secret.size()});
      }
    }
  }
  print(rates);
  for (const auto& [name, rate] : rates.all()) {
    EXPECT_GE(rate.recall(), 0.90) << name << "\n" << misses(rates);
    expect_published(fmt::format("| recall, `{}` | {:.3f} | 0.90 |", name, rate.recall()));
  }
}

/// Of all texts in which something is found, how many hold a secret, if one in ten does.
TEST(ScannerRates, WhatHoldsNoSecretIsLeftAlone) {
  constexpr std::size_t kBytes = std::size_t{10} << 20;
  Rates rates;
  std::size_t texts = 0;
  std::size_t found = 0;
  for (const BenignOutput& output : benign_output(kBytes, 103)) {
    ++texts;
    const std::size_t count = rates.found_in(output.text);
    if (count > 0) ++found;
    if (count > 0 && found < 10) std::printf("found in: %s\n", output.text.c_str());
  }
  const double secrets = static_cast<double>(texts) / 10;
  const double precision = secrets / (secrets + static_cast<double>(found));
  std::printf("benign: found in %zu of %zu texts, precision %.3f\n", found, texts, precision);
  EXPECT_GE(precision, 0.95);
  EXPECT_EQ(found, 0U);
  expect_published(fmt::format("| {:.3f}: nothing is found in {} benign texts | 0.95 |", precision,
                               grouped(texts)));
}

}  // namespace
}  // namespace bartizan
