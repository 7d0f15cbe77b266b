// Project Wycheproof: signatures of tokens, and of Ed25519 alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "gateway/token/verify_signature.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

/// A file of the corpus, read; skips the test where it is absent.
class JoseCorpus : public testing::Test {
 protected:
  JsonValue read(const std::string& name) {
    const auto path = corpus_file("jose-wycheproof/" + name);
    if (path.empty()) return {};
    std::ifstream file(path, std::ios::binary);
    bytes_ = Bytes(std::string(std::istreambuf_iterator<char>(file), {}));
    const auto root = document_.read(bytes_, kResponseLimits);
    EXPECT_TRUE(root.has_value());
    return root ? *root : JsonValue();
  }

 private:
  Bytes bytes_;
  JsonDocument document_;
};

JwkSet set_of(JsonValue group) {
  // A key that has a public part is judged by that: the private one is never published.
  const JsonValue key = group.find("public") ? group.find("public") : group.find("private");
  auto set = read_jwk_set(Bytes(fmt::format(R"({{"keys":[{}]}})", key.raw())));
  EXPECT_TRUE(set.has_value());
  return *std::move(set);
}

/// Why a token is refused, and by what its key is left out.
struct Outcome {
  std::optional<TokenFault> fault;
  std::optional<KeyDefect> defect;
};

Outcome outcome_of(std::string_view token, JsonValue group) {
  const JwkSet set = set_of(group);
  Outcome outcome;
  for (std::size_t i = 0; i < kKeyDefectCount; ++i)
    if (set.left_out[i] != 0) outcome.defect = static_cast<KeyDefect>(i);
  const auto jws = read_compact_jws(token);
  if (!jws) {
    outcome.fault = jws.error();
    return outcome;
  }
  const auto verified = verify_signature(*jws, set.keys, {});
  if (!verified) outcome.fault = verified.error();
  return outcome;
}

/// Valid in the corpus, and refused here on purpose.
std::optional<std::string_view> class_of(const Outcome& outcome) {
  if (outcome.defect == KeyDefect::symmetric && outcome.fault == TokenFault::algorithm_symmetric) {
    return "HMAC: whoever verifies could sign";
  }
  // Case 372, whose result contradicts its name; it is HMAC, too.
  if (outcome.fault == TokenFault::header_encoding) return "a letter that base64url has not";
  if (outcome.defect == KeyDefect::algorithm_unknown && outcome.fault == TokenFault::unknown_key) {
    return "the key is for \"ES521\", which no algorithm is called";
  }
  if (outcome.fault == TokenFault::key_other_algorithm) {
    return "the key is for PS256, and the token is signed by PS384";
  }
  return std::nullopt;
}

TEST_F(JoseCorpus, TokensOfJsonWebSignature) {
  const JsonValue root = read("json_web_signature_test.json");
  if (!root) GTEST_SKIP() << "jose-wycheproof is absent";
  std::map<std::string_view, int> refused;
  int valid = 0;
  int invalid = 0;
  for (const JsonValue group : root.find("testGroups")) {
    for (const JsonValue test : group.find("tests")) {
      SCOPED_TRACE(fmt::format("{} {}", test.find("tcId").raw(), test.find("comment").text()));
      const Outcome outcome = outcome_of(test.find("jws").text(), group);
      if (test.find("result").text() == "invalid") {
        ++invalid;
        EXPECT_TRUE(outcome.fault.has_value());
        continue;
      }
      ++valid;
      if (!outcome.fault.has_value()) continue;
      const auto why = class_of(outcome);
      EXPECT_TRUE(why.has_value()) << entry_of(*outcome.fault).name;
      ++refused[why.value_or("")];
    }
  }
  EXPECT_EQ(valid + invalid, 401);
  EXPECT_EQ(invalid, 355);
  const std::map<std::string_view, int> want{
      {"HMAC: whoever verifies could sign", 9},
      {"a letter that base64url has not", 1},
      {"the key is for \"ES521\", which no algorithm is called", 2},
      {"the key is for PS256, and the token is signed by PS384", 2}};
  EXPECT_EQ(refused, want);
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

TEST_F(JoseCorpus, SignaturesOfEd25519) {
  const JsonValue root = read("ed25519_test.json");
  if (!root) GTEST_SKIP() << "jose-wycheproof is absent";
  int accepted = 0;
  int refused = 0;
  for (const JsonValue group : root.find("testGroups")) {
    const auto set =
        read_jwk_set(Bytes(fmt::format(R"({{"keys":[{}]}})", group.find("publicKeyJwk").raw())));
    ASSERT_TRUE(set.has_value());
    for (const JsonValue test : group.find("tests")) {
      SCOPED_TRACE(fmt::format("{} {}", test.find("tcId").raw(), test.find("comment").text()));
      const bool is_verified =
          !set->keys.empty() &&
          set->keys.front().key.verify(SignatureAlgorithm::eddsa, from_hex(test.find("msg").text()),
                                       from_hex(test.find("sig").text()));
      EXPECT_EQ(is_verified, test.find("result").text() == "valid");
      ++(is_verified ? accepted : refused);
    }
  }
  EXPECT_EQ(accepted, 88);
  EXPECT_EQ(refused, 63);
}

}  // namespace
}  // namespace bartizan
