#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "policy/detector_id.h"
#include "policy/named_secrets.h"
#include "policy/scanner.h"
#include "policy/token_formats.h"
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
  void count(const std::string& group, std::string_view text, std::string_view secret) {
    Rate& rate = rates_[group];
    ++rate.texts;
    const std::size_t begin = text.find(secret);
    const auto sightings = scanner_.scan(text);
    const bool is_found = std::ranges::any_of(sightings, [&](const Sighting& sighting) {
      return sighting.begin <= begin && sighting.end >= begin + secret.size() &&
             sighting.end - sighting.begin <= secret.size() + 8;
    });
    if (is_found) ++rate.found;
    if (!is_found && missed_.size() < 40) missed_.push_back(group + ": " + std::string(text));
  }

  std::size_t found_in(std::string_view text) { return scanner_.scan(text).size(); }

  const std::map<std::string, Rate>& all() const { return rates_; }
  const std::vector<std::string>& missed() const { return missed_; }

 private:
  Scanner scanner_;
  std::map<std::string, Rate> rates_;
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
      for (const std::string& text : texts_with(secret, fake))
        rates.count(std::string(format.detector), text, secret);
    }
  }
  for (int i = 0; i < 5; ++i) {
    const std::string token = fake.json_token();
    for (const std::string& text : texts_with(token, fake))
      rates.count("jwt", text, token);
    const std::string key = fake.private_key("PRIVATE KEY", "\\n");
    for (const std::string& text : texts_with(key, fake))
      rates.count("private_key", text, key);
  }
  print(rates);
  for (const auto& [name, rate] : rates.all())
    EXPECT_GE(rate.recall(), 0.98) << name << "\n" << misses(rates);
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
}

/// Of all texts in which something is found, how many hold a secret, if one in ten does.
TEST(ScannerRates, WhatHoldsNoSecretIsLeftAlone) {
  FakeSecrets fake(103);
  Rates rates;
  std::size_t texts = 0;
  std::size_t found = 0;
  for (const std::string& text : benign_texts(std::size_t{2} << 20, fake)) {
    ++texts;
    const std::size_t count = rates.found_in(text);
    if (count > 0) ++found;
    if (count > 0 && found < 10) std::printf("found in: %s\n", text.c_str());
  }
  const double precision = static_cast<double>(texts) / 10 /
                           (static_cast<double>(texts) / 10 + static_cast<double>(found));
  std::printf("benign: found in %zu of %zu texts, precision %.3f\n", found, texts, precision);
  EXPECT_GE(precision, 0.95);
}

}  // namespace
}  // namespace bartizan
