#include "policy/verdict/reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policy/verdict/principal.h"

namespace bartizan {
namespace {

TEST(Reason, EveryOneHasItsOwnCodeCategoryAndSentence) {
  std::set<std::string_view> codes;
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
    const auto reason = static_cast<Reason>(i);
    SCOPED_TRACE(text(reason));
    EXPECT_TRUE(codes.insert(text(reason)).second);
    EXPECT_EQ(category(reason) == ReasonCategory::none, reason == Reason::none);
    EXPECT_TRUE(message_of(reason).ends_with('.'));
  }
}

// One for each neighbourhood of the table: a row in the wrong place shifts some of them.
TEST(Reason, CodesStandAtTheirReasons) {
  EXPECT_EQ(text(Reason::none), "none");
  EXPECT_EQ(text(Reason::header_mismatch), "header_mismatch");
  EXPECT_EQ(text(Reason::http_not_found), "http_not_found");
  EXPECT_EQ(text(Reason::csrf_token_invalid), "csrf_token_invalid");
  EXPECT_EQ(text(Reason::no_matching_rule), "no_matching_rule");
  EXPECT_EQ(text(Reason::not_pending), "not_pending");
  EXPECT_EQ(text(Reason::tool_quarantined), "tool_quarantined");
  EXPECT_EQ(text(Reason::skill_quarantined), "skill_quarantined");
  EXPECT_EQ(text(Reason::path_outside_root), "path_outside_root");
  EXPECT_EQ(text(Reason::path_not_text), "path_not_text");
  EXPECT_EQ(text(Reason::argument_undecidable), "argument_undecidable");
  EXPECT_EQ(text(Reason::argument_not_allowed), "argument_not_allowed");
  EXPECT_EQ(text(Reason::argument_not_absent), "argument_not_absent");
  EXPECT_EQ(text(Reason::command_malformed), "command_malformed");
  EXPECT_EQ(text(Reason::command_not_allowed), "command_not_allowed");
  EXPECT_EQ(text(Reason::command_blocked), "command_blocked");
  EXPECT_EQ(text(Reason::url_malformed), "url_malformed");
  EXPECT_EQ(text(Reason::url_not_allowed), "url_not_allowed");
  EXPECT_EQ(text(Reason::url_private), "url_private");
  EXPECT_EQ(text(Reason::sql_malformed), "sql_malformed");
  EXPECT_EQ(text(Reason::sql_not_allowed), "sql_not_allowed");
  EXPECT_EQ(text(Reason::limited), "limited");
  EXPECT_EQ(text(Reason::call_loop), "call_loop");
  EXPECT_EQ(text(Reason::flow_refused), "flow_refused");
  EXPECT_EQ(text(Reason::gateway_stopped), "gateway_stopped");
  EXPECT_EQ(text(Reason::circuit_open), "circuit_open");
  EXPECT_EQ(text(Reason::internal), "internal");
  EXPECT_EQ(category(Reason::http_not_found), ReasonCategory::protocol);
  EXPECT_EQ(category(Reason::not_pending), ReasonCategory::security);
  EXPECT_EQ(category(Reason::tool_quarantined), ReasonCategory::tool);
  EXPECT_EQ(category(Reason::skill_quarantined), ReasonCategory::tool);
  EXPECT_EQ(category(Reason::argument_undecidable), ReasonCategory::validation);
  EXPECT_EQ(category(Reason::limited), ReasonCategory::system);
  EXPECT_EQ(text(ReasonCategory::security), "security");
}

TEST(Reason, OnlyWhatPassesByItselfIsRetryable) {
  EXPECT_TRUE(retryable(Reason::limited));
  EXPECT_TRUE(retryable(Reason::call_loop));
  EXPECT_TRUE(retryable(Reason::overloaded));
  EXPECT_TRUE(retryable(Reason::server_timeout));
  // Nothing was sent, or the call may have taken effect.
  EXPECT_TRUE(retryable(Reason::shutting_down));
  EXPECT_FALSE(retryable(Reason::gateway_stopped));
  EXPECT_FALSE(retryable(Reason::forbidden));
  EXPECT_FALSE(retryable(Reason::path_outside_root));
  EXPECT_FALSE(retryable(Reason::internal));
}

TEST(Principal, TrustHasNames) {
  EXPECT_EQ(text(Trust::untrusted), "untrusted");
  EXPECT_EQ(text(Trust::system), "system");
}

}  // namespace
}  // namespace bartizan
