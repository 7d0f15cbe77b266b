#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "gateway/identity/approval_keys.h"
#include "gateway/store/approvals.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The most bytes of a decision that was signed elsewhere.
inline constexpr std::size_t kSignedApprovalMax = std::size_t{4} << 10;

/// Whether the header of the text says that it is a signed decision. Nothing is verified.
bool is_signed_approval(std::string_view text);

/// Verifies that a decision that was signed elsewhere approves this request now. Returns the key
/// that signed it.
///
/// Input:  `pending`, the request that waits for exactly this call; null for none. `now` in seconds
/// since 1970.
/// Errors: a sentence for the record, without any part of the text. The order of checks is: size
/// and form, `alg` and `typ`, `kid` and the signature; then the claims `decision`, `approver`,
/// `approval` and `digest`, `exp`, `iat`.
/// Source: RFC 7515 §5.2; RFC 8725 §3.1, §3.8, §3.11.
std::expected<const SignerKey*, std::string> check_signed_approval(
    std::string_view text, std::span<const SignerKey> signers, const ApprovalRequest* pending,
    std::int64_t now);

}  // namespace bartizan
