#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>

#include "policy/detector_id.h"
#include "policy/named_secrets.h"
#include "policy/scanner.h"
#include "policy/token_formats.h"
#include "tests/policy/benign_output.h"
#include "tests/policy/manual.h"
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
  void count(const std::string& group, const CarriedSecret& secret) {
    Rate& rate = rates_[group];
    ++rate.texts;
    constexpr std::size_t kMoreMax = 8;
    const auto sightings = scanner_.scan(secret.text);
    const bool is_found = std::ranges::any_of(sightings, [&](const Sighting& sighting) {
      return sighting.begin <= secret.begin && sighting.end >= secret.end &&
             sighting.end - sighting.begin <= secret.end - secret.begin + kMoreMax;
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
  FakeSecrets fake(101);
  Rates rates;
  for (const TokenFormat& format : token_formats()) {
    for (int i = 0; i < 2; ++i) {
      const std::string secret = fake.token(format.pattern);
      for (const CarriedSecret& carried : texts_with(secret, fake))
        rates.count(std::string(format.detector), carried);
    }
  }
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
