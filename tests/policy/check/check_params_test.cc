#include "policy/check/check_params.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Reason;

TEST(CheckParams, RefusesWhatHasAnotherShape) {
  constexpr std::string_view kRef =
      R"({"jsonrpc":"2.0","id":1,"method":"completion/complete","params":
          {"argument":{"name":"a","value":""},"ref":)";
  const auto completion = [&](std::string_view ref) {
    return std::string(kRef).append(ref) + "}}";
  };
  const struct {
    std::string_view name;
    std::string message;
    Reason want;
    std::string_view pointer;
  } cases[] = {
      {"a prompt", completion(R"({"type":"ref/prompt","name":"p"})"), none, ""},
      {"a resource", completion(R"({"type":"ref/resource","uri":"u"})"), none, ""},
      {"an unknown type", completion(R"({"type":"ref/x","name":"p","uri":"u"})"), invalid_params,
       "/ref"},
      {"no type", completion(R"({"name":"p","uri":"u"})"), invalid_params, "/ref"},
      {"a list for a type", completion(R"({"type":["ref/prompt"],"name":"p"})"), invalid_params,
       "/ref"},
      {"both targets", completion(R"({"type":"ref/resource","uri":"u","name":"p"})"),
       invalid_params, "/ref/name"},
      {"a folded type", completion(R"({"type":"ref/prompt","name":"p","Type":"ref/resource"})"),
       ambiguous_member, "/ref/*"},
      {"a folded target", completion(R"({"type":"ref/prompt","name":"p","Name":"q"})"),
       ambiguous_member, "/ref/*"},
      {"an answer", R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})", none, ""},
      {"an answer with a folded member",
       R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline","ACTION":"accept"}})",
       ambiguous_member, ""},
      {"an error", R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})", none, ""},
      {"an unknown method", R"({"jsonrpc":"2.0","id":1,"method":"x/y","params":{"ref":1}})", none,
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SampleCall sample(c.message);
    const Decision decision = check_params(sample.call);
    EXPECT_EQ(decision.reason, c.want);
    EXPECT_EQ(decision.pointer, c.pointer);
    sample.call.direction = Direction::server_to_client;
    EXPECT_FALSE(check_params(sample.call).denies());
  }
}

TEST(CheckParams, KnowsWhichRevisionHasAMember) {
  SampleCall sample(R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",
      "params":{"notifications":{"ResourceSubscriptions":["u"]}}})");
  sample.call.version = ProtocolVersion::v2026_07_28;
  EXPECT_EQ(check_params(sample.call).reason, ambiguous_member);
  // There is no such method in the other; which ones there are is for another check.
  sample.call.version = ProtocolVersion::v2025_11_25;
  EXPECT_FALSE(check_params(sample.call).denies());
}

}  // namespace
}  // namespace bartizan
