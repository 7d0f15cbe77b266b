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

/// Tokens that were proved before, so that no signature is verified twice: whom each names, by the
/// SHA-256 of its bytes. No token is kept.
///
/// Threads: any.
/// Bounded: by `tokens_max`. Where there is no room, half of what is kept is forgotten, and proved
///          again when it comes.
class ProvedTokens {
 public:
  static constexpr std::size_t kTokensMax = 8192;

  /// What is remembered of one token.
  struct Entry {
    std::shared_ptr<const TokenIdentity> identity;  ///< Null: its issuer says that it is not valid.
    std::uint64_t keys_version = 0;                 ///< Of its issuer's keys when it was proved.
    std::uint64_t terms = 0;                        ///< As in `Credential`.
    /// Seconds since 1970 from which on it is not remembered any more, whenever the token expires.
    std::int64_t until = kNeverExpires;
  };

  explicit ProvedTokens(std::size_t tokens_max = kTokensMax) : tokens_max_(tokens_max) {}

  /// What is remembered of a token, unless it has expired. Input: `now` in seconds since 1970.
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
