#include "gateway/approval/approval_request.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

constexpr ApprovalSalt kSalt{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
constexpr std::int64_t kNow = 1'795'262'400;
constexpr std::string_view kParams =
    R"({"name":"write","arguments":{"path":"/srv/a","size":1.50},"_meta":{"trace":"t1"},)"
    R"("inputResponses":{"q":{"action":"accept"}}})";

ApprovalSubject subject() {
  return {.principal = "ann",
          .endpoint = "desk",
          .server = "files",
          .method = "tools/call",
          .target = "write",
          .params = {},
          .tool_fingerprint = "f1",
          .policy = "p1",
          .rule = "r1"};
}

/// Parameters, which a subject views.
class Params {
 public:
  explicit Params(std::string_view text) : bytes_(text), value_(document_.read(bytes_).value()) {}
  ApprovalSubject of(ApprovalSubject subject) const {
    subject.params = value_;
    return subject;
  }

 private:
  JsonDocument document_;
  Bytes bytes_;
  JsonValue value_;
};

ApprovalRequest request() {
  return make_approval_request("019aa640-1e7b-7c1e-9a3b-2f4d5e6f7a8b",
                               Params(kParams).of(subject()),
                               {.approvals = 2, .valid_for = std::chrono::seconds(600)},
                               {.now = kNow, .expires = std::chrono::seconds(900)}, kSalt, "{}");
}

std::string difference(std::string_view params, const ApprovalSubject& of) {
  return std::string(find_difference(request(), Params(params).of(of)).value_or("nothing"));
}

TEST(ApprovalRequestOfACall, HasItsTimes) {
  const ApprovalRequest made = request();
  EXPECT_EQ(made.state, ApprovalState::pending);
  EXPECT_EQ(made.needed, 2);
  EXPECT_EQ(made.made_at, kNow);
  EXPECT_EQ(made.ends_at, kNow + 900);
  EXPECT_EQ(made.expires, kNow + 900 + 600);
  EXPECT_EQ(made.salt, "000102030405060708090a0b0c0d0eff");
}

TEST(ApprovalRequestOfACall, IsOfTheSameCallInWhateverSpelling) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {"as it was", kParams},
      {"another order and white space",
       R"({ "_meta": {"trace":"t1"}, "inputResponses":{"q":{"action":"accept"}},
            "arguments":{"size":1.5,"path":"/srv/a"}, "name":"write"})"},
      {"another number spelled alike",
       R"({"name":"write","arguments":{"path":"/srv/a","size":15e-1},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"an escape",
       R"({"name":"write","arguments":{"path":"\/srv\/\u0061","size":1.5},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"a progress token, which is an id",
       R"({"name":"write","arguments":{"path":"/srv/a","size":1.5},)"
       R"("_meta":{"trace":"t1","progressToken":7},"inputResponses":{"q":{"action":"accept"}}})"}};
  for (const auto& [name, params] : rows)
    EXPECT_EQ(difference(params, subject()), "nothing") << name;
}

TEST(ApprovalRequestOfACall, NamesWhatIsDifferent) {
  using Change = std::function<void(ApprovalSubject&)>;
  const std::vector<std::pair<std::string_view, Change>> parts{
      {"principal", [](ApprovalSubject& of) { of.principal = "amn"; }},
      {"endpoint", [](ApprovalSubject& of) { of.endpoint = "desl"; }},
      {"server", [](ApprovalSubject& of) { of.server = "filet"; }},
      {"method", [](ApprovalSubject& of) { of.method = "tools/call "; }},
      {"target", [](ApprovalSubject& of) { of.target = "Write"; }},
      {"rule", [](ApprovalSubject& of) { of.rule = "r2"; }},
      {"policy", [](ApprovalSubject& of) { of.policy = "p2"; }},
      {"tool definition", [](ApprovalSubject& of) { of.tool_fingerprint = "f2"; }}};
  for (const auto& [name, change] : parts) {
    ApprovalSubject other = subject();
    change(other);
    EXPECT_EQ(difference(kParams, other), name);
  }
}

// Each byte of the parameters, changed so that they are JSON still.
TEST(ApprovalRequestOfACall, NamesArgumentsOfWhichOneByteIsAnother) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {"an argument's value",
       R"({"name":"write","arguments":{"path":"/srv/b","size":1.50},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"an argument's name",
       R"({"name":"write","arguments":{"Path":"/srv/a","size":1.50},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"a digit",
       R"({"name":"write","arguments":{"path":"/srv/a","size":1.51},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"metadata that is forwarded",
       R"({"name":"write","arguments":{"path":"/srv/a","size":1.50},"_meta":{"trace":"t2"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"what was answered",
       R"({"name":"write","arguments":{"path":"/srv/a","size":1.50},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accepT"}}})"},
      {"one argument more",
       R"({"name":"write","arguments":{"path":"/srv/a","size":1.50,"f":0},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"},
      {"one argument less",
       R"({"name":"write","arguments":{"path":"/srv/a"},"_meta":{"trace":"t1"},)"
       R"("inputResponses":{"q":{"action":"accept"}}})"}};
  for (const auto& [name, params] : rows)
    EXPECT_EQ(difference(params, subject()), "arguments") << name;
}

TEST(ApprovalRequestOfACall, CannotBeMadeToLastLonger) {
  ApprovalRequest later = request();
  ++later.expires;
  EXPECT_EQ(find_difference(later, Params(kParams).of(subject())), "expiry");
}

}  // namespace
}  // namespace bartizan
