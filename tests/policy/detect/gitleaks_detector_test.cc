// Rules in the format of gitleaks: what they find in texts and messages, and what their keywords,
// entropy and allowlists let pass.
#include "policy/detect/gitleaks_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "policy/detect/detector_set.h"
#include "policy/detect/scanner.h"
#include "policy/redact/redaction_mark.h"
#include "policy/redact/redaction_rules.h"
#include "policy/redact/redactor.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

using Found = std::vector<std::string>;

/// A configuration that looks for the rules of gitleaks_rules.toml.
const Config& house() {
  static const Config config = [] {
    LoadedConfig loaded =
        load_config(project_file("tests/policy/detect/gitleaks_detector_test.toml"));
    std::string said;
    for (const ConfigProblem& problem : loaded.problems)
      said += text(problem) + "\n";
    EXPECT_EQ(said, "");
    return std::move(loaded.config);
  }();
  return config;
}

/// What is found, without `custom.house.` and without what is built in.
Found found_in(const Config& config, std::string_view text) {
  const DetectorSet names(config);
  static const auto database = compile_scan_database(house()).value();
  Scanner scanner(&config == &house() ? database : compile_scan_database(config).value());
  Found found;
  for (const DetectorMatch& sighting : scanner.scan(text)) {
    const std::string_view name = names.name(sighting.detector);
    constexpr std::string_view kHouse = "custom.house.";
    if (!name.starts_with(kHouse)) continue;
    found.push_back(std::string(name.substr(kHouse.size())) + ": " +
                    std::string(text.substr(sighting.begin, sighting.end - sighting.begin)));
  }
  return found;
}

const std::string kHex40 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b";
const std::string kMixed36 = "dZr8Qw1Lk0Ty7Vb3Nm5Xc9Pa2Sd4Fg6HjKlE";

TEST(GitleaksDetector, FindsWhatRulesDescribe) {
  const std::string pem =
      "-----BEGIN ACME KEY-----\n" + std::string(3000, 'b') + "\n-----END ACME KEY-----";
  const struct {
    std::string_view name;
    std::string text;
    Found found;
  } rows[] = {
      {"a key whose alternatives share no four bytes",
       "id ACMAQZ4WLM7XKR2TPBVD.",
       {"acme-access-key: ACMAQZ4WLM7XKR2TPBVD"}},
      {"the other alternative", "A3CXQZ4WLM7XKR2TPBVD", {"acme-access-key: A3CXQZ4WLM7XKR2TPBVD"}},
      {"one that is a part of a word", "xACMAQZ4WLM7XKR2TPBVD", {}},
      {"one letter too few", "ACMAQZ4WLM7XKR2TPBV", {}},
      {"low entropy", "ACMAAAAAAAAAAAAAAAAA", {}},
      {"an allowed form of the secret", "ACMAQZ4WLM7XKREXAMPLE", {}},
      {"a prefix", "acme_pat_" + kMixed36, {"acme-pat: acme_pat_" + kMixed36}},
      {"a prefix in other letters", "ACME_PAT_" + kMixed36, {}},
      {"the end of the text",
       "acme_fg_abcdefghij0123456789",
       {"acme-fine-grained-pat: acme_fg_abcdefghij0123456789"}},
      {"the end of a line of JSON",
       R"(acme_fg_abcdefghij0123456789\nnext)",
       {"acme-fine-grained-pat: acme_fg_abcdefghij0123456789"}},
      {"what goes on", "acme_fg_abcdefghij0123456789/next", {}},
      {"what it is given to",
       "ROCKET_KEY=0a1b2c3d4e5f60718293a4b5c6d7e8f9 next",
       {"rocket-api-key: 0a1b2c3d4e5f60718293a4b5c6d7e8f9"}},
      {"the group that is named",
       "rocket-secret: \"" + kHex40 + "\"",
       {"rocket-client-secret: " + kHex40}},
      {"a named group as Go writes it",
       "see https://hooks.anvil.example/T12345678/abcdefghijklmnopqrstuvwx now",
       {"anvil-webhook: abcdefghijklmnopqrstuvwx"}},
      {"short keywords",
       "dt07.ABCDEFGHIJKLMNOPQRSTUVWX.ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
       {"dynamite-token: dt07.ABCDEFGHIJKLMNOPQRSTUVWX.ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}},
      {"none of its keywords",
       "dt27.ABCDEFGHIJKLMNOPQRSTUVWX.ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
       {}},
      {"a keyword that stands elsewhere",
       "of Coyote: patAbCdEf01234567.0123456789abcdef0123456789abcdef",
       {"coyote-pat: patAbCdEf01234567.0123456789abcdef0123456789abcdef"}},
      {"the keyword behind it",
       "patAbCdEf01234567.0123456789abcdef0123456789abcdef is the coyote's",
       {"coyote-pat: patAbCdEf01234567.0123456789abcdef0123456789abcdef"}},
      {"without the keyword", "patAbCdEf01234567.0123456789abcdef0123456789abcdef", {}},
      {"the keyword in another string",
       std::string("coyote") + '\0' + "patAbCdEf01234567.0123456789abcdef0123456789abcdef",
       {}},
      {"a long match", "x\n" + pem + "\ny", {"acme-private-key: " + pem}},
      {"a password in a URL",
       "magnet://wile:sup3rs3cr3t@db.example/x",
       {"magnet-dsn: sup3rs3cr3t"}},
      {"a variable in its place", "magnet://wile:${PASSWORD}@db.example/x", {}},
      {"a stopword for all rules", "magnet://wile:NotASecret1@db.example/x", {}},
      {"a line", "A=1\nACME_SECRET=hunter2hunter2\nB=2", {"env-line: hunter2hunter2"}},
      {"not the beginning of a line", "A=1\nX ACME_SECRET=hunter2hunter2\nB=2", {}},
      {"a whole text", "acme-otp-123456", {"whole-text: acme-otp-123456"}},
      {"almost a whole text", "see acme-otp-123456", {}},
      {"over lines",
       "machine acme.example\n  login wile\n  password b33p-b33p",
       {"netrc-acme: b33p-b33p"}},
      {"a name of a key",
       "service_token = \"q8Zr2Lk0Ty7Vb3Nm5Xc9\"",
       {"generic-acme-key: q8Zr2Lk0Ty7Vb3Nm5Xc9"}},
      {"an allowed match", "public_key = \"q8Zr2Lk0Ty7Vb3Nm5Xc9\"", {}},
      {"a stopword", "service_token = \"q8Zr2Lk0-Example-Ty7Vb3Nm5Xc9\"", {}},
      {"an allowed line", "RUN --mount=type=secret,id=key=q8Zr2Lk0Ty7Vb3Nm5Xc9 x", {}},
      {"the line before is another",
       "RUN --mount=type=secret,id=x\nkey=q8Zr2Lk0Ty7Vb3Nm5Xc9 x",
       {"generic-acme-key: q8Zr2Lk0Ty7Vb3Nm5Xc9"}},
      {"both conditions", "token: background-worker-queue-jumper", {}},
      {"one of both conditions",
       "token: backgrounds-walker-queue-jumper",
       {"generic-acme-key: backgrounds-walker-queue-jumper"}},
      {"the allowlist of older files", "tk_test_000000000000000000000000", {}},
      {"almost that",
       "tk_test_abcdefghijklmnopqrstuvwx",
       {"tunnel-key: tk_test_abcdefghijklmnopqrstuvwx"}},
      {"letters of any case in a part", "bs-DeadBeef-CAFE0123", {"birdseed: bs-DeadBeef-CAFE0123"}},
      {"letters of one case in the other", "bs-DeadBeef-cafe0123", {}},
      {"an allowlist for some", "bs-DeadBeef-CAFE0123 # harmless", {}},
      {"that is for no other", "zq123xABCDEFGHIJ # harmless", {"no-keyword: zq123xABCDEFGHIJ"}},
      {"letters of other scripts",
       "Schlüssel: Ab12Cd34Ef56Gh78",
       {"unicode-key: Ab12Cd34Ef56Gh78"}},
      {"twice in a text",
       "rr-0123456789ab rr-ba9876543210",
       {"roadrunner: rr-0123456789ab", "roadrunner: rr-ba9876543210"}},
      {"what suppresses in files of gitleaks",
       "rr-0123456789ab # gitleaks:allow",
       {"roadrunner: rr-0123456789ab"}},
      {"encoded once",
       "YWNtZSByci0wMTIzNDU2Nzg5YWIgLiAgLg==",
       {"roadrunner: ZSByci0wMTIzNDU2Nzg5YWIg"}},
  };
  for (const auto& row : rows) {
    Found found = found_in(house(), row.text);
    // Where it is found among others, the others have rows of their own.
    if (row.found.empty() || !row.found.front().starts_with("generic"))
      std::erase_if(found, [](const std::string& one) { return one.starts_with("generic"); });
    EXPECT_EQ(found, row.found) << row.name;
  }
}

/// A result with that content, as it leaves the gateway.
std::string redacted(const Config& config, std::string_view message) {
  const RedactionRules rules(config, compile_scan_database(config).value());
  Redactor redactor(compile_scan_database().value(), HashSeed{1, 2});
  const Bytes bytes(message);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  EXPECT_TRUE(root.has_value());
  const Redaction redaction =
      redactor.redact(rules, {.carrier = Carrier::results}, *root, root->find("result"));
  std::string left;
  append_redacted(left, message, redaction.edits);
  return left;
}

// Strings of a message are searched together. A rule means one of them by "text", with its name.
TEST(GitleaksDetector, FindsInMessages) {
  const struct {
    std::string_view name, message, left;
  } rows[] = {
      {"a whole text", R"({"result":{"a":"acme-otp-123456","b":"x acme-otp-123456"}})",
       R"({"result":{"a":"[redacted:custom.house.whole-text]","b":"x acme-otp-123456"}})"},
      {"a whole text without a name", R"({"result":{"a":["acme-otp-123456"]}})",
       R"({"result":{"a":["[redacted:custom.house.whole-text]"]}})"},
      {"the first and the last line",
       R"({"result":{"t":"ACME_SECRET=hunter2hunter2\nACME_SECRET=hunter3hunter3"}})",
       R"({"result":{"t":"ACME_SECRET=[redacted:custom.house.env-line]\nACME_SECRET=[redacted:custom.house.env-line]"}})"},
      {"by the name of the member", R"({"result":{"rocket":"0a1b2c3d4e5f60718293a4b5c6d7e8f9"}})",
       R"({"result":{"rocket":"[redacted:custom.house.rocket-api-key]"}})"},
      {"its keyword in the name",
       R"({"result":{"coyote":"patAbCdEf01234567.0123456789abcdef0123456789abcdef","x":"patAbCdEf01234567.0123456789abcdef0123456789abcdef"}})",
       R"({"result":{"coyote":"[redacted:custom.house.coyote-pat]","x":"patAbCdEf01234567.0123456789abcdef0123456789abcdef"}})"},
      {"split between two blocks",
       R"({"result":{"content":[{"type":"text","text":"acme_pat_dZr8Qw1Lk0Ty7Vb3"},{"type":"text","text":"Nm5Xc9Pa2Sd4Fg6HjKlE"}]}})",
       R"({"result":{"content":[{"type":"text","text":"[redacted:custom.house.acme-pat]"},{"type":"text","text":"[redacted:custom.house.acme-pat]"}]}})"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(redacted(house(), row.message), row.left) << row.name;
}

TEST(GitleaksDetector, CanBeNamedAloneOrWithItsFile) {
  const DetectorSet names(house());
  const std::size_t rules = house().detectors.at("house").rules.size();
  EXPECT_EQ(rules, 20U);
  const struct {
    std::string_view name;
    std::size_t selected;
  } rows[] = {{"custom", rules + 1},
              {"custom.*", rules + 1},
              {"custom.house", rules},
              {"custom.house.*", rules},
              {"custom.house.acme-pat", 1},
              {"custom.house.acme", 0},
              {"custom.other", 1},
              {"custom.other.acme-pat", 0},
              {"house", 0},
              {"acme-pat", 0}};
  for (const auto& row : rows)
    EXPECT_EQ(names.select(row.name).size(), row.selected) << row.name;
  EXPECT_EQ(names.name(own_detector_id(0)), "custom.house.acme-access-key");
  EXPECT_EQ(names.name(own_detector_id(rules)), "custom.other");
}

Config config_of(std::vector<GitleaksRule> rules) {
  Config config;
  config.detectors["house"] = {.name = "house", .rules = std::move(rules)};
  return config;
}

TEST(GitleaksDetector, FindsInLongTexts) {
  const Config config = config_of({{.id = "a", .regex = "acme[0-9]+!"},
                                   {.id = "b", .regex = "wile-[a-z]+"},
                                   {.id = "c", .regex = "coyote[a-z]+!"}});
  const std::string digits(4000, '7');
  // A match across each place where a search may begin anew.
  for (const std::size_t before :
       {std::size_t{0}, std::size_t{262143} - 2000, std::size_t{262144}, std::size_t{600000}}) {
    const std::string text = std::string(before, ' ') + "acme" + digits + "! x";
    EXPECT_EQ(found_in(config, text), Found{"a: acme" + digits + "!"}) << before;
  }
  // What is longer than a search looks ahead is found all the same where it begins anew.
  const std::string letters(300000, 'w');
  const Found found = found_in(config, "x wile-" + letters + ".");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("b: wile-www"));
  EXPECT_EQ(found_in(config, "coyote" + std::string(100000, 'x') + "!").size(), 1U);
}

TEST(GitleaksDetector, CostsAsMuchAsTheTextIsLong) {
  // Matches that need a look ahead, and that do not count.
  Config config = config_of({{.id = "a", .regex = "acme(?: [^!]{0,64}!)?", .entropy = 5}});
  Scanner scanner(compile_scan_database(config).value());
  std::string text;
  while (text.size() < std::size_t{1} << 19)
    text += "acme ";
  EXPECT_TRUE(scanner.scan(text).size() <= Scanner::kSightingsMax);
  EXPECT_LT(scanner.work(), 32 * text.size());
  // Beyond so many matches that do not count, the others do: nobody hides one among them.
  EXPECT_EQ(scanner.scan(text).size(), Scanner::kSightingsMax);
}

TEST(GitleaksDetector, ReckonsEntropyAsGitleaks) {
  const struct {
    std::string_view text;
    double bits;
  } rows[] = {{"", 0}, {"aaaa", 0}, {"ab", 1}, {"abcd", 2}, {"aabbccdd", 2}, {"ä", 0.5}};
  for (const auto& row : rows)
    EXPECT_DOUBLE_EQ(shannon_entropy(row.text), row.bits) << row.text;
}

TEST(GitleaksDetector, RefusesWhatCannotBeLookedFor) {
  const GitleaksRule rows[] = {{.id = "a", .regex = "("},
                               {.id = "a", .regex = "acme", .secret_group = 1},
                               {.id = "a", .regex = "acme", .allowlists = {0}}};
  for (const GitleaksRule& rule : rows)
    EXPECT_FALSE(compile_scan_database(config_of({rule})).has_value()) << rule.regex;
  Config config = config_of({{.id = "a", .regex = "acme", .allowlists = {0}}});
  config.detectors["house"].allowlists.push_back({.regexes = {"("}});
  EXPECT_FALSE(compile_scan_database(config).has_value());
}

TEST(GitleaksDetector, TellsOfNamesThatMeanTwo) {
  Config config = config_of({{.id = "a.b", .regex = "acme"}, {.id = "c", .regex = "wile"}});
  config.detectors["house.a"] = {.name = "house.a", .rules = {{.id = "b", .regex = "acme"}}};
  config.detectors["house.c"] = {.name = "house.c", .words = {"coyote"}};
  config.redactions["all"] = {.name = "all", .detectors = {"custom"}};
  std::vector<std::string> said;
  for (const ConfigProblem& problem : find_redaction_problems(config))
    said.push_back(problem.message);
  EXPECT_EQ(said, (std::vector<std::string>{
                      "there are two detectors \"custom.house.c\"",
                      "there are two detectors \"custom.house.a.b\"",
                  }));
}

TEST(GitleaksDetector, HasItsNameInMarks) {
  const std::string longest = "custom." + std::string(64, 'n') + "." + std::string(64, 'i');
  const std::string mark = redaction_mark(longest, std::string(32, '0'));
  EXPECT_EQ(find_redaction_marks("x " + mark + " y").size(), 1U);
}

}  // namespace
}  // namespace bartizan
