#include "gateway/approval/approval_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace bartizan {
namespace {

constexpr ApprovalSalt kSalt{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::string_view kParams =
    R"({"name":"write","arguments":{"a":9007199254740993,"b":"x"}})";
/// Made by another program: the parts after their lengths, hashed by its library.
constexpr std::string_view kDigest =
    "c5445e109435749be890cb672fcf4203e0a6a73bdd1da8bf70d15d841bc5f2b1";

ApprovalSubject subject() {
  return {.principal = "ann",
          .endpoint = "/mcp",
          .server = "files",
          .method = "tools/call",
          .target = "write",
          .params = {},
          .tool_fingerprint = "f1",
          .policy = "p1",
          .rule = "r1",
          .expires = 1'795'262'400};
}

std::string digest_of(std::string_view params, ApprovalSubject subject,
                      const ApprovalSalt& salt = kSalt) {
  JsonDocument document;
  const Bytes bytes(params);  // Which the value views.
  subject.params = document.read(bytes).value();
  return approval_digest(subject, salt);
}

TEST(ApprovalDigest, IsTheHashOfThePartsAfterTheirLengths) {
  EXPECT_EQ(digest_of(kParams, subject()), kDigest);
}

struct Spelling {
  std::string_view name;
  std::string_view params;
  bool is_same;  ///< As `kParams`.
};

TEST(ApprovalDigest, IsOfWhatTheParametersSay) {
  const std::vector<Spelling> spellings{
      {"another order", R"({"arguments":{"b":"x","a":9007199254740993},"name":"write"})", true},
      {"white space", R"({ "name" : "write", "arguments":{"a": 9007199254740993 ,"b":"x"} })",
       true},
      {"an escape", R"({"name":"write","arguments":{"a":9007199254740993,"b":"\u0078"}})", true},
      {"the number with a fraction of zero",
       R"({"name":"write","arguments":{"a":9007199254740993.0,"b":"x"}})", true},
      {"the number with an exponent",
       R"({"name":"write","arguments":{"a":900719925474099.3e1,"b":"x"}})", true},
      {"a progress token",
       R"({"_meta":{"progressToken":1},"name":"write","arguments":{"a":9007199254740993,"b":"x"}})",
       true},
      {"the identity of a trace, and an id of the client's",
       R"({"_meta":{"traceparent":"00-1-2-01","bartizan/correlation_id":"t-1"},"name":"write","arguments":{"a":9007199254740993,"b":"x"}})",
       true},
      {"an id that is none",
       R"({"_meta":{"bartizan/correlation_id":"t 1"},"name":"write","arguments":{"a":9007199254740993,"b":"x"}})",
       false},
      {"metadata that says nothing",
       R"({"_meta":{},"name":"write","arguments":{"a":9007199254740993,"b":"x"}})", true},
      {"a number that is the same double",
       R"({"name":"write","arguments":{"a":9007199254740992,"b":"x"}})", false},
      {"a fraction that no double has",
       R"({"name":"write","arguments":{"a":9007199254740993.00000000000000000001,"b":"x"}})",
       false},
      {"a number as a string", R"({"name":"write","arguments":{"a":"9007199254740993","b":"x"}})",
       false},
      {"another argument", R"({"name":"write","arguments":{"a":9007199254740993,"b":"y"}})", false},
      {"one more argument",
       R"({"name":"write","arguments":{"a":9007199254740993,"b":"x","c":null}})", false},
      {"metadata", R"({"name":"write","arguments":{"a":9007199254740993,"b":"x"},"_meta":{"t":1}})",
       false},
      {"an answer to a question",
       R"({"name":"write","arguments":{"a":9007199254740993,"b":"x"},"inputResponses":{"q":1}})",
       false}};
  for (const Spelling& one : spellings)
    EXPECT_EQ(digest_of(one.params, subject()) == kDigest, one.is_same) << one.name;
  EXPECT_EQ(digest_of(R"({"_meta":{"progressToken":1},"name":"w"})", subject()),
            digest_of(R"({"_meta":{"progressToken":"2"},"name":"w"})", subject()))
      << "the token is an id";
}

TEST(ApprovalDigest, IsOfEveryPart) {
  using Change = std::function<void(ApprovalSubject&)>;
  const std::vector<std::pair<std::string_view, Change>> changes{
      {"principal", [](ApprovalSubject& of) { of.principal = "bob"; }},
      {"endpoint", [](ApprovalSubject& of) { of.endpoint = "/people/mcp"; }},
      {"server", [](ApprovalSubject& of) { of.server = "mail"; }},
      {"method", [](ApprovalSubject& of) { of.method = "prompts/get"; }},
      {"target", [](ApprovalSubject& of) { of.target = "write2"; }},
      {"fingerprint", [](ApprovalSubject& of) { of.tool_fingerprint = "f2"; }},
      {"policy", [](ApprovalSubject& of) { of.policy = "p2"; }},
      {"rule", [](ApprovalSubject& of) { of.rule = "r2"; }},
      {"expiry", [](ApprovalSubject& of) { ++of.expires; }},
      {"a byte that moves from one part to the next", [](ApprovalSubject& of) {
         of.tool_fingerprint = "f1p";
         of.policy = "1";
       }}};
  for (const auto& [name, change] : changes) {
    ApprovalSubject changed = subject();
    change(changed);
    EXPECT_NE(digest_of(kParams, changed), kDigest) << name;
  }
  ApprovalSalt other = kSalt;
  other.back() ^= 1;
  EXPECT_NE(digest_of(kParams, subject(), other), kDigest) << "salt";
}

}  // namespace
}  // namespace bartizan
