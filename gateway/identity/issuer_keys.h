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

/// The keys of one issuer, for all workers: fetched when they are first needed, fetched again when
/// they have become old or a token names one that is not among them, and kept for a stated time
/// while the issuer cannot be asked.
///
/// Threads: any.
/// Bounded: one fetch at a time; `kPause` between two of them, longer after failures. A flood of
///          tokens with keys that nobody knows costs no more than that.
class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
 public:
  using Clock = std::chrono::steady_clock;
  /// Between two fetches for tokens whose keys are not known.
  static constexpr std::chrono::seconds kPause{10};
  /// After a failure; doubled with each further one, up to `kPause`.
  static constexpr std::chrono::seconds kRetry{1};
  /// From a fetch to the next one, where nothing calls for it earlier.
  static constexpr std::chrono::minutes kRefresh{30};
  /// How long a caller waits for somebody else's fetch.
  static constexpr std::chrono::seconds kWait{10};

  /// Input: the first version, which no keys of an issuer had before.
  IssuerKeys(IssuerConfig config, std::uint64_t version)
      : config_(std::move(config)), version_(version) {}

  /// The keys as they were last fetched. `version` goes up whenever they are others.
  struct Known {
    std::shared_ptr<const JwkSet> keys;  ///< Null where there are none, or too old ones.
    std::uint64_t version = 0;
    /// Of `refresh`: the issuer has answered since it was called.
    bool was_asked = false;
  };
  Known known(Clock::time_point now) const;

  /// Has keys fetched that are not those of `version`, and waits for that, or for a fetch that is
  /// on its way already, up to `kWait`. Answers what is known then: other keys, or the same where
  /// the issuer has no others, cannot be asked, or was asked a moment ago.
  ///
  /// Threads: those of the loop, whose caller waits.
  Task<Known> refresh(Loop& loop, std::uint64_t version);

  /// Fetches the keys anew where they have become old, without anybody waiting.
  void keep_fresh(Loop& loop);

  /// Whether it has the keys of an issuer as that configuration describes it.
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
  std::uint64_t answers_ = 0;   ///< Fetches that succeeded.
  std::uint32_t failures_ = 0;  ///< In a row.
  bool is_fetching_ = false;
  Clock::time_point fetched_at_;
  Clock::time_point next_at_;  ///< Not before that is another fetch begun.
};

using IssuerKeysPtr = std::shared_ptr<IssuerKeys>;

/// The keys of all issuers that are configured. Those of one that a reload leaves as it was stay.
///
/// Threads: any. Bounded by the issuers of the configurations that somebody holds.
class IssuerKeyTable {
 public:
  IssuerKeysPtr find_or_make(const IssuerConfig& config);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<IssuerKeys>, std::less<>> keys_;  ///< By the issuer's name.
  std::uint64_t made_ = 0;
};

}  // namespace bartizan
