#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "gateway/export/signed_head.h"

namespace bartizan {

/// Signed heads that a record is held against.
struct HeadOptions {
  std::string file = {};     ///< Of heads, one on each line.
  std::string newest = {};   ///< A head that is known to be the newest one.
  std::string key = {};      ///< File of the Ed25519 public key, PEM.
  std::string max_age = {};  ///< How old the newest one may be: `1h`.
  bool is_asked() const { return !file.empty() || !newest.empty(); }
  /// Whether any of it was written, even where that is not enough to ask.
  bool is_given() const { return is_asked() || !key.empty() || !max_age.empty(); }
};

/// What to say where the options have heads and no key.
inline constexpr std::string_view kNoHeadKey = "signed heads need --head-key PUBLIC.pem";

/// All heads of the options, each verified. Errors: a sentence.
std::expected<std::vector<SignedHead>, std::string> read_heads(const HeadOptions& options);

/// What signed heads say of a record.
struct HeadVerdict {
  SignedHead newest;      ///< The one that covers most.
  std::size_t heads = 0;  ///< That were verified.
  /// Why the record is not shown to be complete up to now: no head is known to be the newest, or it
  /// is too old. Empty where it is.
  std::string doubt = {};
};

/// Reads the heads, verifies each signature, and holds each against the record at `record`: its
/// chain, and the hash at its number. Whether the record is whole up to the newest one, and has it,
/// is `verify_audit`'s to say.
/// Input:  `now` in seconds since 1970 UTC.
/// Errors: a sentence that names the first thing that is wrong.
std::expected<HeadVerdict, std::string> check_heads(const HeadOptions& options,
                                                    const std::string& record, std::int64_t now);

}  // namespace bartizan
