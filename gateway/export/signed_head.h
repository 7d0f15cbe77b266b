#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "gateway/export/exported_record.h"
#include "gateway/token/jwk_set.h"

namespace bartizan {

/// What the header of a signed head says that it is.
inline constexpr std::string_view kSignedHeadType = "bartizan-head+jwt";

/// A head of a record that was signed at a time.
struct SignedHead {
  RecordOrigin origin;
  AuditHead head;
  std::int64_t signed_at = 0;  ///< Seconds since 1970 UTC.
  std::string jws = {};        ///< As it was read.
};

/// The claims of a head, as a JSON object:
/// `{"instance":…,"chain":…,"seq":…,"hash":…,"iat":…}`.
std::string head_claims(const RecordOrigin& origin, const AuditHead& head, std::int64_t now);

/// The head that a compact JWS is about; or why it is none that this key has signed, as a sentence.
/// Source: RFC 7515 §5.2; RFC 8037 §3.1.
std::expected<SignedHead, std::string> read_signed_head(std::string_view jws, const IssuerKey& key);

/// Heads of a text, one on each line, in its order; or what is wrong with the first line that is
/// none: `line 3: …`. Empty lines do not count, and neither
/// do lines without the three parts of a token, which a crash leaves.
std::expected<std::vector<SignedHead>, std::string> read_signed_heads(std::string_view text,
                                                                      const IssuerKey& key);

}  // namespace bartizan
