#include "gateway/approval/approval_request.h"

#include <array>
#include <cstddef>
#include <utility>

#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

std::uint8_t nibble(char digit) {
  return static_cast<std::uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/// Input: as `hex_of` wrote it, which the state file ensures.
ApprovalSalt salt_of(std::string_view hex) {
  ApprovalSalt salt{};
  for (std::size_t i = 0; i < salt.size() && 2 * i + 1 < hex.size(); ++i)
    salt[i] = static_cast<std::uint8_t>(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
  return salt;
}

}  // namespace

ApprovalRequest make_approval_request(std::string id, ApprovalSubject subject,
                                      const ApprovalTerms& terms, const ApprovalTimes& times,
                                      const ApprovalSalt& salt, std::string shown) {
  const std::int64_t ends_at = times.now + times.expires.count();
  subject.expires = ends_at + terms.valid_for.count();
  return {.id = std::move(id),
          .principal = std::string(subject.principal),
          .endpoint = std::string(subject.endpoint),
          .server = std::string(subject.server),
          .method = std::string(subject.method),
          .target = std::string(subject.target),
          .rule = std::string(subject.rule),
          .policy = std::string(subject.policy),
          .salt = hex_of(salt),
          .digest = approval_digest(subject, salt),
          .params = params_digest(subject, salt),
          .fingerprint = std::string(subject.tool_fingerprint),
          .expires = subject.expires,
          .shown = std::move(shown),
          .needed = terms.approvals,
          .made_at = times.now,
          .ends_at = ends_at,
          .valid_for = terms.valid_for.count()};
}

std::optional<std::string_view> find_difference(const ApprovalRequest& request,
                                                ApprovalSubject subject) {
  const ApprovalSalt salt = salt_of(request.salt);
  subject.expires = request.expires;
  if (approval_digest(subject, salt) == request.digest) return std::nullopt;
  const std::array<std::pair<bool, std::string_view>, 9> parts{
      {{request.principal == subject.principal, "principal"},
       {request.endpoint == subject.endpoint, "endpoint"},
       {request.server == subject.server, "server"},
       {request.method == subject.method, "method"},
       {request.target == subject.target, "target"},
       {request.rule == subject.rule, "rule"},
       {request.policy == subject.policy, "policy"},
       {request.fingerprint == subject.tool_fingerprint, "tool definition"},
       {request.params == params_digest(subject, salt), "arguments"}}};
  for (const auto& [is_same, name] : parts) {
    if (!is_same) return name;
  }
  return "expiry";
}

}  // namespace bartizan
