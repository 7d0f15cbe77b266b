#include "policy/diff/diff_approvals.h"

#include <string_view>

namespace bartizan {

std::vector<ApprovalChange> diff_approvals(const ApprovalTerms& before,
                                           const ApprovalTerms& after) {
  std::vector<ApprovalChange> changes;
  const auto compare = [&changes](const auto& one, const auto& other, std::string_view more,
                                  std::string_view less, bool more_is_wider) {
    if (other > one) changes.push_back({std::string(more), more_is_wider});
    if (other < one) changes.push_back({std::string(less), !more_is_wider});
  };
  compare(before.valid_for, after.valid_for, "takes approvals for longer",
          "takes approvals for less long", true);
  compare(before.approvals, after.approvals, "wants more persons to approve",
          "wants fewer persons to approve", false);
  compare(before.self_approval, after.self_approval, "lets callers approve their own calls",
          "no longer lets callers approve their own calls", true);
  return changes;
}

}  // namespace bartizan
