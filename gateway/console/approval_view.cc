#include "gateway/console/approval_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "gateway/approval/approval_desk.h"
#include "policy/access/approval_check.h"

namespace bartizan {
namespace {

/// Digits of the digest in a tag; the subject of a request never changes.
constexpr std::size_t kTagDigits = 16;

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

bool may_see(const Policy& policy, const ApprovalRequest& request, const Principal& reader,
             ConsoleAccess access) {
  if (access == ConsoleAccess::everything) return true;
  if (access == ConsoleAccess::none) return false;
  const Persons& persons = policy.persons();
  if (persons.person_of(reader.id) == persons.person_of(request.principal)) return true;
  const ApprovalTerms* terms = policy.find_approval_terms(request.rule);
  return terms != nullptr && may_approve(*terms, reader.id, reader.roles);
}

ApprovalState state_at(const ApprovalRequest& request, std::int64_t now) {
  const bool is_open =
      request.state == ApprovalState::pending || request.state == ApprovalState::approved;
  return is_open && request.ends_at <= now ? ApprovalState::expired : request.state;
}

std::int64_t approved_by(const Approvals::Found& found) {
  return std::ranges::count_if(found.answers, &ApprovalAnswer::approves);
}

const ApprovalAnswer* answer_of(const Approvals::Found& found, std::string_view person) {
  const auto own = std::ranges::find(found.answers, person, &ApprovalAnswer::person);
  return own == found.answers.end() ? nullptr : &*own;
}

std::string entity_tag(const Approvals::Found& found, std::int64_t now) {
  return fmt::format("{}-{}-{}", text(state_at(found.request, now)), approved_by(found),
                     std::string_view(found.request.digest).substr(0, kTagDigits));
}

bool is_match(std::string_view if_match, std::string_view tag) {
  if (without_blanks(if_match) == "*") return true;
  const std::string quoted = fmt::format("\"{}\"", tag);
  while (!if_match.empty()) {
    const std::string_view one = if_match.substr(0, if_match.find(','));
    if (without_blanks(one) == quoted) return true;
    if_match.remove_prefix(std::min(one.size() + 1, if_match.size()));
  }
  return false;
}

std::optional<std::string> why_no_answer(const Policy& policy, const Approvals::Found& found,
                                         const Principal& reader, std::int64_t now) {
  const ApprovalState state = state_at(found.request, now);
  if (state != ApprovalState::pending) return fmt::format("it is {} already", text(state));
  const std::string_view person = policy.persons().person_of(reader.id);
  if (const ApprovalAnswer* own = answer_of(found, person)) {
    return fmt::format("{} has {} it already", own->approver,
                       own->approves ? "approved" : "denied");
  }
  return refusal_of_approver(policy, found.request, reader);
}

}  // namespace bartizan
