// Personal data: what each reader finds and leaves alone, its rates on the corpus, and what it
// costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/config.h"
#include "policy/detect/detector_set.h"
#include "policy/detect/id_checksums.h"
#include "policy/detect/scanner.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"
#include "tests/policy/benign_output.h"
#include "tests/policy/fake_secrets.h"
#include "tests/policy/manual.h"

namespace bartizan {
namespace {

using namespace std::string_view_literals;

/// A database for a rule about these detectors.
std::shared_ptr<const ScanDatabase> database_for(const std::vector<std::string>& detectors) {
  Config config;
  config.redactions["people"] = {.name = "people", .detectors = detectors};
  return compile_scan_database(config).value();
}

std::shared_ptr<const ScanDatabase> all_personal() {
  static const auto compiled = database_for({"pii"});
  return compiled;
}

using Found = std::vector<std::string>;

/// What is found of persons, as `detector: text`.
Found found_in(std::string_view text) {
  Scanner scanner(all_personal());
  Found found;
  for (const DetectorMatch& sighting : scanner.scan(text)) {
    const Detector& detector = detectors()[sighting.detector];
    if (detector.family != "pii") continue;
    found.push_back(std::string(detector.name) + ": " +
                    std::string(text.substr(sighting.begin, sighting.end - sighting.begin)));
  }
  return found;
}

/// A text, and what is found of it: `$` parts its beginning, what is found, and its end.
struct Row {
  std::string_view detector;  ///< Empty: nothing is found.
  std::string_view text;
};

void expect_found(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::string text(row.text);
    Found want;
    if (!row.detector.empty()) {
      const std::size_t begin = text.find('$');
      const std::size_t end = text.find('$', begin + 1);
      want = {std::string(row.detector) + ": " + text.substr(begin + 1, end - begin - 1)};
      std::erase(text, '$');
    }
    EXPECT_EQ(found_in(text), want) << text;
  }
}

TEST(PersonalData, FindsCardsByIssuerLengthAndChecksum) {
  expect_found({
      {"pii.card", "paid with $4111111111111111$."},
      {"pii.card", "$4111 1111 1111 1111$"},
      {"pii.card", "$4111-1111-1111-1111$, 12/29"},
      {"pii.card", "{\"card\":\"$378282246310005$\"}"},
      {"pii.card", "Amex $3782 822463 10005$"},
      {"pii.card", "$30569309025904$"},
      {"pii.card", R"(a\n$4111111111111111$)"},
      {"pii.card", "card_$4111111111111111$"},
      {"", "4111111111111112"},
      {"", "4111 1111 1111 1112"},
      {"", "4111 1111-1111 1111"},
      {"", "4111-1111-1111-1111-1"},
      {"", "41111111111111111"},
      {"", "0.4111111111111111"},
      {"", "1748503543012"},
      {"", "9111111111111111"},
      {"", "x4111111111111111"},
      {"", "4111111111111111a"},
      {"", "4006381333931"},
      {"pii.card", "$6200000000000005$"},
      {"", "620000000000000005"},
  });
}

TEST(PersonalData, FindsAccountsOfBanksByCountryAndChecksum) {
  expect_found({
      {"pii.iban", "$DE89370400440532013000$"},
      {"pii.iban", "to $DE89 3704 0044 0532 0130 00$, please"},
      {"pii.iban", "$GB29-NWBK-6016-1331-9268-19$"},
      {"pii.iban", "$NO93 8601 1117 947$ X"},
      {"", "DE89370400440532013001"},
      {"", "DE8937040044053201300"},
      {"", "DE89 3704 0044 0532 0130 01"},
      {"", "XX89370400440532013000"},
      {"", "DE89/3704/0044/0532/0130/00"},
      {"", "xDE89370400440532013000"},
  });
}

TEST(PersonalData, FindsSocialSecurityNumbersByTheirFormOrTheirName) {
  expect_found({
      {"pii.us_ssn", "$536-90-4399$"},
      {"pii.us_ssn", "ssn: $536904399$"},
      {"pii.us_ssn", "Social Security Number $536 90 4399$"},
      {"pii.us_ssn", "SSN, phone number: $048-05-1121$"},
      {"", "phone number of 01-02-2024"},
      {"pii.phone", "phone number $020 7946 0018$"},
      {"", "536904399"},
      {"", "536 90 4399"},
      {"", "000-90-4399"},
      {"", "666-90-4399"},
      {"", "936-90-4399"},
      {"", "536-00-4399"},
      {"", "536-90-0000"},
      {"", "536-90-4399-1"},
      {"", "1-536-90-4399"},
      {"", "lessn 536904399"},
  });
}

TEST(PersonalData, FindsMailAddresses) {
  expect_found({
      {"pii.email", "<$ann.lee+mcp@example.co.uk$>"},
      {"pii.email", "mail $ann@xn--80ak6aa92e.com$."},
      {"pii.email", "mailto:$ann@example.com$?subject=x"},
      {"pii.email", R"(a\n$ann@example.com$)"},
      {"pii.email", "to=$ann_lee@example.com$&x"},
      {"pii.email", "CORP\\$user@example.com$"},
      {"", "ann@localhost"},
      {"", "ann@example."},
      {"", "@example.com"},
      {"", "npm i pkg@1.2.3"},
      {"", "icon@2x.png"},
      {"", "getty@tty1.service"},
      {"", "git@github.com:org/repository.git"},
      {"", "https://ann@example.com/"},
      {"", "postgres://app:Xk29vTq7LmPz@db.internal.example.com/shop"},
      {"", "amqp://app:X!k-9@mq.example.com"},
      {"pii.email", "https://example.com:80?mail=$ann@example.com$"},
      {"pii.email", "https://example.com:80,$ann@example.com$"},
      {"pii.email", "// todo: $ann@example.com$"},
      {"", "a @Override b"},
      {"pii.email", "$ana@uni.edu.py$"},
      {"", "name@file.py"},
      {"pii.email", "$x@foo.cc$"},
      {"pii.email", "$ann@corp.local$"},
      {"pii.email", "$info@müller.de$"},
      {"pii.email", "$jörg@example.com$, x"},
      {"pii.email", "$mu\u0308ller@example.com$"},
      {"pii.email", "CORP\\$jörg@example.com$"},
      {"pii.email", "$иван@пример.рф$"},
      {"pii.email", "请联系$ann@example.com$谢谢"},
      {"pii.email", "«$ann@example.com$»"},
      {"pii.email", "$o'brien@example.com$"},
      {"pii.email", "'$o'brien@example.com$'"},
      {"pii.email", "b'$ann@example.com$'"},
  });
}

TEST(PersonalData, FindsTelephoneNumbers) {
  expect_found({
      {"pii.phone", "$+49 30 1234567$"},
      {"pii.phone", "$+442079460123$"},
      {"pii.phone", "$+44 (20) 7946 0123$."},
      {"pii.phone", "$+1 415 555 0132$, 2026"},
      {"pii.phone", "$(415) 555-0132$"},
      {"pii.phone", "$(415)555-0132$"},
      {"pii.phone", "$415-555-0132$"},
      {"pii.phone", "$415.555.0132$"},
      {"pii.phone", "$1-415-555-0132$"},
      {"pii.phone", "phone: $415 555 0132$"},
      {"pii.phone", "mobilePhone=$4155550132$"},
      {"pii.phone", "call $020 7946 0018$"},
      {"pii.phone", "My number is $09-7625400$"},
      {"", "415 555 0132"},
      {"", "4155550132"},
      {"", "020 7946 0018"},
      {"", "hotel 4155550132"},
      {"", "number 0123456789"},
      {"", "+0200"},
      {"", "+1 115 555 0132"},
      {"", "x+4930123456789"},
      {"", "115-555-0132"},
      {"", "2026-11-22 10:20:30"},
      {"pii.phone", "x\n$+49 30 1234567$"},
      {"pii.phone", "Phone:\n$+4930123456789$"},
      {"", "x\n+20241122,foo"},
      {"", "x\n+20241122 10:30:00"},
      {"pii.phone", "\"mobile\":\"$4155550132$\""},
      {"", "\"label\":\"mobile\"\0\"orderId\":\"4155550132\"\0"sv},
  });
}

TEST(PersonalData, FindsAddressesOfMachines) {
  expect_found({
      {"pii.ip", "from $192.0.2.1$."},
      {"pii.ip", "$10.0.0.0/8$ is private"},
      {"pii.ip", "$192.0.2.1$:8080"},
      {"pii.ip", "http://$192.0.2.1$/x"},
      {"pii.ip", "$2001:db8::1$"},
      {"pii.ip", "[$2001:db8::1$]:443"},
      {"pii.ip", "$::1$"},
      {"pii.ip", "$::ffff:192.0.2.1$"},
      {"pii.ip", "$fe80::1%eth0/64$"},
      {"pii.ip", "$684D:1111:222:3333:4444:5555:6:77$"},
      {"pii.ip", "src=$::$"},
      {"pii.mac", "$aa:bb:cc:00:11:22$"},
      {"pii.mac", "$AA-BB-CC-00-11-22$"},
      {"pii.mac", "$0012.3456.789a$"},
      {"pii.mac", "mac: $001a2b3c4d5e$"},
      {"pii.mac", "MAC Address $001A2B-3C4D5E$"},
      {"pii.mac", "bssid=$001a-2b3c-4d5e$"},
      {"pii.mac", "hwaddr $00 1a 2b 3c 4d 5e$ up"},
      {"", "id 001a2b3c4d5e"},
      {"", "commit 001a2b-3c4d5e"},
      {"", "serial 001a-2b3c-4d5e"},
      {"", "mac build of 001a2b3c4d5e"},
      {"", "mac 12345678-001a-2b3c-4d5e-001122334455"},
      {"", "dump 00 1a 2b 3c 4d 5e up"},
      {"", "256.0.0.1"},
      {"", "1.2.3"},
      {"", "1.2.3.4.5"},
      {"", "v1.2.3.4"},
      {"", "version 1.2.3.4"},
      {"", "build 10.20.30.40"},
      {"", "FileVersion=1.2.3.4"},
      {"", "\"version\": \"1.2.3.4\""},
      {"pii.ip", "Build server $10.20.30.40$"},
      {"pii.ip", "conversion $10.20.30.40$"},
      {"pii.ip", "\"version\":\"2\"\0\"host\":\"$10.1.2.3$\"\0"sv},
      {"", "Chrome/120.0.0.0"},
      {"", "foo==1.2.3.4"},
      {"", "pkg@1.2.3.4"},
      {"", "https://x/pkg@1.2.3.4/y"},
      {"pii.ip", "http://$10.1.2.3$/"},
      {"pii.ip", "ssh user@$10.1.2.3$"},
      {"pii.ip", "redis://app:x@$1.2.3.4$:6379"},
      {"pii.ip", "ip=$10.1.2.3$"},
      {"pii.ip", "host=$10.0.0.1$"},
      {"pii.mac", "mac: $24-11-22-15-30-45$"},
      {"pii.mac", "link/ether $00:11:22:33:44:55$ brd"},
      {"", "24-11-22-15-30-45"},
      {"", "24:11:22:15:30:45"},
      {"", "tool-1.2.3.4.tar.gz"},
      {"", "01.2.3.4"},
      {"", "12:34:56"},
      {"", "std::cout << a::b"},
      {"", "f :: Int -> Int"},
      {"", "x::1::2"},
      {"", "12345::1"},
      {"", "00:00:00:00:00:00"},
      {"", "ff:ff:ff:ff:ff:ff"},
      {"", "aa:bb:cc:00:11:22:33"},
      {"", "aa:bb:cc:dd:ee:ff:00:11"},
      {"", "aa-bb-cc-00-11"},
  });
}

TEST(PersonalData, FindsAddressesOfWallets) {
  expect_found({
      {"pii.crypto", "$1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa$"},
      {"pii.crypto", "to $3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy$, now"},
      {"pii.crypto", "$bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4$"},
      {"pii.crypto", "$BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4$"},
      {"pii.crypto", "$0x52908400098527886E0F7030069857D2E4169EE7$"},
      {"", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"},
      {"", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa2"},
      {"", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"},
      {"", "0x0000000000000000000000000000000000000000"},
      {"", "0x52908400098527886E0F7030069857D2E4169EE"},
      {"", "0x52908400098527886E0F7030069857D2E4169EE71"},
  });
}

TEST(PersonalData, FindsIdsOfCountries) {
  expect_found({
      {"pii.uk_nhs", "NHS no. $943 476 5919$"},
      {"pii.uk_nhs", "nhs_number=$9434765919$"},
      {"", "943 476 5919"},
      {"", "NHS no. 943 476 5918"},
      {"pii.uk_nino", "$AB123456C$"},
      {"pii.uk_nino", "NI number $AB 12 34 56 C$."},
      {"", "NI number AB 12 34 56 E"},
      {"", "NI number DB 12 34 56 C"},
      {"", "NI number xAB 12 34 56 C"},
      {"", "ratio AB 12 34 56"},
      {"", "AB123456E"},
      {"", "QQ123456C"},
      {"", "GB123456C"},
      {"pii.es_nif", "$12345678Z$"},
      {"", "12345678A"},
      {"pii.es_nie", "$X1234567L$"},
      {"pii.es_nie", "NIE $X-1234567-L$"},
      {"pii.es_nie", "NIE $X1234567-L$"},
      {"pii.es_nif", "DNI $12345678-Z$"},
      {"", "12345678-A"},
      {"", "X-1234567-A"},
      {"", "AX-1234567-L"},
      {"", "12345678-Zx"},
      {"", "X1234567M"},
      {"pii.it_fiscal_code", "$RSSMRA85T10A562S$"},
      {"", "RSSMRA85T10A562T"},
      {"pii.pl_pesel", "PESEL $44051401359$"},
      {"", "44051401359"},
      {"", "PESEL 44051401358"},
      {"pii.in_aadhaar", "Aadhaar: $2345 6789 1238$"},
      {"", "2345 6789 1238"},
      {"pii.in_aadhaar", "aadhaar $234567891238$"},
      {"", "2345 6789 1237"},
      {"", "234567891238"},
      {"pii.in_pan", "$ABCPD1234E$"},
      {"", "ABCXD1234E"},
      {"pii.au_tfn", "TFN $123 456 782$"},
      {"", "123 456 782"},
      {"", "TFN 123 456 783"},
      {"pii.ca_sin", "SIN: $130 692 544$"},
      {"", "since 130 692 544"},
      {"pii.sg_nric", "$S1234567D$"},
      {"", "S1234567E"},
      {"pii.fi_hetu", "$131052-308T$"},
      {"pii.fi_hetu", "$010594Y9032$"},
      {"", "131052-308U"},
      {"", "321052-308T"},
      {"pii.se_personnummer", "personnummer $811228-9874$"},
      {"pii.se_personnummer", "personnummer $19811228-9874$"},
      {"pii.se_personnummer", "personnummer $198112289874$"},
      {"", "personnummer 17811228-9874"},
      {"", "personnummer 19811228-9875"},
      {"", "ref 19811228-9874"},
      {"", "811228-9874"},
      {"", "backup-241120-0930.tar"},
      {"", "personnummer 811228-9875"},
      {"", "personnummer 811328-9874"},
      {"pii.kr_rrn", "$970101-1234567$"},
      {"", "971301-1234567"},
      {"", "970101-9234567"},
  });
}

TEST(PersonalData, LooksThroughOneEncoding) {
  Scanner scanner(all_personal());
  const std::string encoded = base64_of("the card is 4111111111111111 and no other");
  EXPECT_FALSE(scanner.scan("x " + encoded + " y").empty());
  EXPECT_FALSE(scanner.scan("q=ann%40example.com").empty());
}

/// What nobody asks for is not looked for, and hides nothing that somebody asks for.
TEST(PersonalData, IsFoundWhereARuleNamesIt) {
  const std::string text = "4111111111111111 ann@example.com 192.0.2.1";
  const struct {
    std::vector<std::string> detectors;
    std::size_t found;
  } rows[] = {
      {{"secrets"}, 0}, {{"pii.card"}, 1},       {{"pii.card", "pii.ip"}, 2},
      {{"pii.*"}, 3},   {{"secrets", "pii"}, 3},
  };
  for (const auto& row : rows) {
    const auto database = database_for(row.detectors);
    Scanner scanner(database);
    EXPECT_EQ(scanner.scan(text).size(), row.found) << row.detectors.front();
  }
  EXPECT_TRUE(Scanner(compile_scan_database().value()).scan(text).empty());
}

/// Numbers, times, versions and digests of every day are nobody's.
TEST(PersonalData, LeavesBenignOutputAlone) {
  Scanner scanner(all_personal());
  for (const BenignOutput& output : benign_output(std::size_t{1} << 20, 11)) {
    for (const DetectorMatch& sighting : scanner.scan(output.text)) {
      const Detector& detector = detectors()[sighting.detector];
      EXPECT_NE(detector.family, "pii")
          << detector.name << " in " << output.kind << ": "
          << output.text.substr(sighting.begin, sighting.end - sighting.begin);
    }
  }
}

/// Every byte of a hostile text is read a bounded number of times, whatever the text repeats.
TEST(PersonalData, IsReadInLinearWork) {
  constexpr std::uint64_t kReadsMax = 96;
  constexpr std::size_t kBytes = std::size_t{16} << 10;
  const std::vector<std::string> pieces = {
      "1",          "1 ",         "1-",          "1.",       "12 ",   "123-", "4111 ",
      "4111-",      "+1 ",        "(415) ",      "415-555-", "a@",    "@a.",  "@",
      "a.b@c.",     ":",          "::",          "a:",       "1:",    "ff:",  "1::",
      "aa-",        "0012.",      "192.0.2.",    "DE89 ",    "DE89-", "bc1",  "0x",
      "1A1zP1",     "ssn 1 ",     "phone 12 ",   "536-90-",  "a1",    "\\n1", "%201",
      "12345678Z",  "131052-308", "9434765919 ", "1a ",      "1,",    "é",    "'@é.",
      "a@10.0.0.1",
  };
  Scanner scanner(all_personal());
  for (const std::string& piece : pieces) {
    for (const std::string& other : pieces) {
      std::string text;
      while (text.size() < kBytes)
        text += piece + other;
      scanner.scan(text);
      EXPECT_LE(scanner.work(), kReadsMax * text.size())
          << piece << " " << other << ": " << scanner.work() / text.size();
    }
  }
}

// The corpus.

/// The entities of the corpus that are claimed.
const std::map<std::string, std::string, std::less<>> kClaimed = {
    {"CREDIT_CARD", "pii.card"}, {"IBAN_CODE", "pii.iban"},     {"EMAIL_ADDRESS", "pii.email"},
    {"IP_ADDRESS", "pii.ip"},    {"PHONE_NUMBER", "pii.phone"}, {"US_SSN", "pii.us_ssn"},
    {"MAC_ADDRESS", "pii.mac"},  {"CRYPTO", "pii.crypto"},
};

struct Rate {
  std::size_t wanted = 0, found = 0, wrong = 0;
  double recall() const { return static_cast<double>(found) / static_cast<double>(wanted); }
  double precision() const {
    return static_cast<double>(found) / static_cast<double>(found + wrong);
  }
};

/// Where the character of that number begins.
std::size_t byte_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && seen++ == character) break;
  }
  return at;
}

using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

void count(Rate& rate, Spans wanted, std::size_t count, Spans found) {
  rate.wanted += count;
  // A few rows tell how many there are, and not where.
  if (wanted.empty()) {
    rate.found += std::min(count, found.size());
    rate.wrong += found.size() - std::min(count, found.size());
    return;
  }
  for (const auto& span : found)
    ++(std::ranges::find(wanted, span) != wanted.end() ? rate.found : rate.wrong);
}

TEST(PersonalData, HasTheRatesOnTheCorpusThatTheManualTells) {
  const auto file = corpus_file("pii-presidio/cases.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus pii-presidio is absent";
  Scanner scanner(all_personal());
  std::map<std::string, Rate> rates;
  Rate all;
  for (const std::string& line : corpus_lines(file)) {
    JsonDocument document;
    const Bytes bytes{std::string_view(line)};
    const auto row = document.read(bytes);
    ASSERT_TRUE(row.has_value()) << line;
    const auto claimed = kClaimed.find(row->find("entity").text());
    if (claimed == kClaimed.end()) continue;
    const std::string text(row->find("text").text());
    Spans wanted;
    for (const JsonValue span : row->find("spans")) {
      std::vector<std::size_t> ends;
      for (const JsonValue end : span)
        ends.push_back(static_cast<std::size_t>(std::stoul(std::string(end.raw()))));
      wanted.emplace_back(byte_of(text, ends.at(0)), byte_of(text, ends.at(1)));
    }
    Spans found;
    for (const DetectorMatch& sighting : scanner.scan(text)) {
      if (detectors()[sighting.detector].name == claimed->second)
        found.emplace_back(sighting.begin, sighting.end);
    }
    const auto expected =
        static_cast<std::size_t>(std::stoul(std::string(row->find("count").raw())));
    count(rates[claimed->second], wanted, expected, found);
    count(all, wanted, expected, found);
  }
  for (const auto& [name, rate] : rates) {
    std::printf("%-12s %3zu of %3zu found, %zu wrong: recall %.3f, precision %.3f\n", name.c_str(),
                rate.found, rate.wanted, rate.wrong, rate.recall(), rate.precision());
    EXPECT_GE(rate.recall(), 0.95) << name;
    EXPECT_GE(rate.precision(), 0.95) << name;
    const std::string row =
        fmt::format("| `{}` | {} of {} | {} | {:.3f} | {:.3f} |", name, rate.found, rate.wanted,
                    rate.wrong, rate.recall(), rate.precision());
    EXPECT_TRUE(read_manual("detectors.md").contains(row))
        << "docs/detectors.md should have: " << row;
  }
  EXPECT_GT(all.wanted, 0U);
}

TEST(IdChecksums, FindSlipsOfThePen) {
  EXPECT_TRUE(passes_luhn("79927398713"));
  EXPECT_FALSE(passes_luhn("79927398710"));
  EXPECT_TRUE(passes_verhoeff("2363"));
  EXPECT_FALSE(passes_verhoeff("2364"));
  EXPECT_EQ(iban_remainder("GB82WEST12345698765432"), 1U);
  EXPECT_FALSE(is_base58_address(""));
  EXPECT_FALSE(is_base58_address("0"));
  EXPECT_FALSE(is_witness_address("bc1"));
  EXPECT_TRUE(is_witness_address("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"));
}

}  // namespace
}  // namespace bartizan
