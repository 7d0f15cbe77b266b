#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/issuer_config.h"
#include "gateway/identity/fetch_issuer_keys.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"

namespace bartizan {

/// The keys of one issuer, for all workers. They are fetched on first use. They are fetched again
/// when they are old, or when a token names an unknown key. While the issuer cannot be reached,
/// they stay valid for a configured time.
///
/// Threads: any.
/// Bounded: one fetch at a time; `kPause` between two of them, and a pause after failures. A flood
///          of tokens with unknown keys costs no more.
class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
 public:
  using Clock = std::chrono::steady_clock;
  /// The time between two fetches for tokens with unknown keys.
  static constexpr std::chrono::seconds kPause{10};
  /// The pause after a failure; doubled with each further one, up to `kPause`.
  static constexpr std::chrono::seconds kRetry{1};
  /// The time from a fetch to the next one, unless an unknown key requires it earlier.
  static constexpr std::chrono::minutes kRefresh{30};
  /// The longest wait for a fetch.
  static constexpr std::chrono::seconds kWait{10};

  /// Input: the first version, which no other keys of an issuer may have had.
  IssuerKeys(IssuerConfig config, std::uint64_t version)
      : config_(std::move(config)), version_(version) {}

  /// The keys from the last fetch. `version` increases whenever they change.
  struct Known {
    std::shared_ptr<const JwkSet> keys;  ///< Null if there are none, or they are too old.
    std::uint64_t version = 0;
    /// Set by `refresh`: whether the issuer has answered since the call.
    bool was_asked = false;
  };
  Known known(Clock::time_point now) const;

  /// Fetches the keys, unless their version is not `version` any more. It waits for the fetch, or
  /// for one in progress, up to `kWait`. Returns the keys that are known then. They are the same if
  /// the issuer has no others, cannot be reached, or was asked a moment ago.
  ///
  /// Threads: those of the loop, which must be the caller's.
  Task<Known> refresh(Loop& loop, std::uint64_t version);

  /// Fetches the keys again if they are old. The caller does not wait.
  void keep_fresh(Loop& loop);

  /// Whether these are the keys of the issuer in that configuration.
  bool is_of(const IssuerConfig& config) const;

 private:
  enum class Turn : std::uint8_t { fetch, wait, no };
  std::uint64_t answers() const;
  bool is_fetching() const;
  Turn take_turn(std::uint64_t version, Clock::time_point now);
  void finish(Result<FetchedKeys> fetched, Clock::time_point now);
  static Task<void> fetch(std::shared_ptr<IssuerKeys> self, Loop& loop);

  const IssuerConfig config_;
  mutable std::mutex mutex_;
  std::shared_ptr<const JwkSet> keys_;
  Hash digest_{};  ///< Of the text of `keys_`.
  std::uint64_t version_;
  std::uint64_t answers_ = 0;   ///< Successful fetches.
  std::uint32_t failures_ = 0;  ///< In a row.
  bool is_fetching_ = false;
  Clock::time_point fetched_at_;
  Clock::time_point next_at_;  ///< No fetch starts before this time.
};

using IssuerKeysPtr = std::shared_ptr<IssuerKeys>;

/// The keys of all configured issuers. A reload keeps those of issuers that it does not change.
///
/// Threads: any. Bounded by the issuers of the configurations in use.
class IssuerKeyTable {
 public:
  IssuerKeysPtr find_or_make(const IssuerConfig& config);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<IssuerKeys>, std::less<>> keys_;  ///< By the issuer's name.
  std::uint64_t made_ = 0;
};

}  // namespace bartizan
