#include "policy/access/approval_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 10'000;

/// One approval, with the roles of who gave it.
struct Given {
  std::string_view approver;
  std::vector<std::string> roles;
  std::int64_t age = 0;
  std::string_view rule = {};
};

Persons persons() {
  Config config;
  config.principals["anna"] = {.id = "anna",
                               .identities = std::vector<std::string>{"anna-laptop", "corp:a1"}};
  config.principals["anna-laptop"] = {.id = "anna-laptop"};
  config.principals["bob"] = {.id = "bob", .identities = std::vector<std::string>{}};
  return Persons(config);
}

TEST(Persons, ArePrincipalsThatTheConfigurationJoins) {
  const Persons all = persons();
  EXPECT_EQ(all.person_of("anna"), "anna");
  EXPECT_EQ(all.person_of("anna-laptop"), "anna");
  EXPECT_EQ(all.person_of("corp:a1"), "anna");
  EXPECT_EQ(all.person_of("corp:a2"), "corp:a2");
  EXPECT_EQ(all.person_of("bob"), "bob");
}

TEST(CountApprovals, CountsPersonsWhoMayApprove) {
  const ApprovalTerms terms{.approvers = {"boss"}, .principals = {"carl"}};
  ApprovalTerms own = terms;
  own.self_approval = true;
  const struct {
    std::string_view name;
    ApprovalTerms terms;
    std::string_view caller;
    std::vector<Given> approvals;
    std::size_t count;
  } rows[] = {
      {"nobody", terms, "zoe", {}, 0},
      {"by role", terms, "zoe", {{"bob", {"boss"}}}, 1},
      {"by name", terms, "zoe", {{"carl", {}}}, 1},
      {"another role", terms, "zoe", {{"bob", {"bos"}}}, 0},
      {"another name", terms, "zoe", {{"carla", {}}}, 0},
      {"two", terms, "zoe", {{"bob", {"boss"}}, {"carl", {}}}, 2},
      {"one twice", terms, "zoe", {{"bob", {"boss"}}, {"bob", {"boss"}, 3}}, 1},
      {"two identities of one person",
       terms,
       "zoe",
       {{"anna-laptop", {"boss"}}, {"corp:a1", {"boss"}}},
       1},
      {"two of one issuer who are not joined",
       terms,
       "zoe",
       {{"corp:a1", {"boss"}}, {"corp:a2", {"boss"}}},
       2},
      {"the caller", terms, "bob", {{"bob", {"boss"}}}, 0},
      {"the caller by another identity", terms, "anna-laptop", {{"corp:a1", {"boss"}}}, 0},
      {"the caller, who may", own, "anna-laptop", {{"corp:a1", {"boss"}}}, 1},
      {"just in time", terms, "zoe", {{"bob", {"boss"}, 599}}, 1},
      {"too late", terms, "zoe", {{"bob", {"boss"}, 600}}, 0},
      {"from the future", terms, "zoe", {{"bob", {"boss"}, -1}}, 0},
      {"given to this rule", terms, "zoe", {{"bob", {"boss"}, 0, "writes"}}, 1},
      {"given to another", terms, "zoe", {{"bob", {"boss"}, 0, "flow:writes"}}, 0},
  };
  const Persons all = persons();
  for (const auto& row : rows) {
    std::vector<Approval> approvals;
    for (const Given& given : row.approvals) {
      approvals.push_back({.approver = given.approver,
                           .roles = given.roles,
                           .at = kNow - given.age,
                           .rule = given.rule});
    }
    EXPECT_EQ(count_approvals(row.terms, "writes", all, row.caller, approvals, kNow), row.count)
        << row.name;
  }
}

}  // namespace
}  // namespace bartizan
