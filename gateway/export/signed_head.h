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

/// The `typ` in the header of a signed head.
inline constexpr std::string_view kSignedHeadType = "bartizan-head+jwt";

/// A head of a record, signed at a time.
struct SignedHead {
  RecordOrigin origin;
  AuditHead head;
  std::int64_t signed_at = 0;  ///< Seconds since 1970 UTC.
  std::string jws = {};        ///< As it was read.
};

/// The claims of a head, as a JSON object: `{"instance":…,"chain":…,"seq":…,"hash":…,"iat":…}`.
std::string head_claims(const RecordOrigin& origin, const AuditHead& head, std::int64_t now);

/// Verifies and reads a compact JWS. Returns its head, or a sentence that says why it is not a head
/// signed by this key.
/// Source: RFC 7515 §5.2; RFC 8037 §3.1.
std::expected<SignedHead, std::string> read_signed_head(std::string_view jws, const IssuerKey& key);

/// Reads the heads of a text, one per line, in its order. Returns the fault of the first invalid
/// line otherwise, such as `line 3: …`. It skips empty lines, and lines without the three parts of
/// a token, which a crash leaves.
std::expected<std::vector<SignedHead>, std::string> read_signed_heads(std::string_view text,
                                                                      const IssuerKey& key);

}  // namespace bartizan
