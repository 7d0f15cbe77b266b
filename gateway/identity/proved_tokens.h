#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "audit/digest.h"
#include "gateway/identity/credentials.h"
#include "gateway/token/check_access_token.h"

namespace bartizan {

/// A cache of verified tokens, so that no signature is verified twice. It has the identity of each
/// token, by the SHA-256 of its bytes. It keeps no token.
///
/// Threads: any.
/// Bounded: by `tokens_max`. When it is full, it forgets half of its entries. Their tokens are
///          verified again.
class ProvedTokens {
 public:
  static constexpr std::size_t kTokensMax = 8192;

  /// The entry of one token.
  struct Entry {
    std::shared_ptr<const TokenIdentity>
        identity;                    ///< Null: the issuer answered that it is not valid.
    std::uint64_t keys_version = 0;  ///< Of its issuer's keys at the verification.
    std::uint64_t terms = 0;         ///< As in `Credential`.
    /// Seconds since 1970 from which on the entry is not used, whatever the token's expiry.
    std::int64_t until = kNeverExpires;
  };

  explicit ProvedTokens(std::size_t tokens_max = kTokensMax) : tokens_max_(tokens_max) {}

  /// The entry of a token, unless it has expired. Input: `now` in seconds since 1970.
  std::optional<Entry> find(const Hash& digest, std::int64_t now) const;
  void remember(const Hash& digest, Entry entry);
  void forget(const Hash& digest);
  std::size_t size() const;

 private:
  struct FirstBytes {
    std::size_t operator()(const Hash& digest) const;
  };
  void make_room();

  const std::size_t tokens_max_;
  mutable std::mutex mutex_;
  std::unordered_map<Hash, Entry, FirstBytes> tokens_;
};

}  // namespace bartizan
