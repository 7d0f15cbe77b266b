#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "gateway/export/signed_head.h"

namespace bartizan {

/// Signed heads to compare a record with.
struct HeadOptions {
  std::string file = {};     ///< File with one head per line.
  std::string newest = {};   ///< A head that is known to be the newest.
  std::string key = {};      ///< File of the Ed25519 public key, PEM.
  std::string max_age = {};  ///< Maximum age of the newest head: `1h`.
  bool is_asked() const { return !file.empty() || !newest.empty(); }
  /// Whether any of them was written, even without a head.
  bool is_given() const { return is_asked() || !key.empty() || !max_age.empty(); }
};

/// The error for heads without a key.
inline constexpr std::string_view kNoHeadKey = "signed heads need --head-key PUBLIC.pem";

/// All heads of the options, each verified. Errors: a sentence.
std::expected<std::vector<SignedHead>, std::string> read_heads(const HeadOptions& options);

/// The result of comparing signed heads with a record.
struct HeadVerdict {
  SignedHead newest;      ///< The one that covers the most records.
  std::size_t heads = 0;  ///< Number of verified heads.
  /// Why the record is not proven complete up to now: no head is known to be the newest, or the
  /// newest is too old. Empty if it is proven.
  std::string doubt = {};
};

/// Reads the heads, verifies each signature, and compares each with the record at `record`: its
/// chain, and the hash at its number. `verify_audit` checks whether the record is complete up to
/// the newest head, and has that head.
/// Input:  `now` in seconds since 1970 UTC.
/// Errors: a sentence about the first error.
std::expected<HeadVerdict, std::string> check_heads(const HeadOptions& options,
                                                    const std::string& record, std::int64_t now);

}  // namespace bartizan
