#include "policy/limits.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace bartizan {
namespace {

/// Time is counted in whole microseconds: fine enough for any rate, and coarse enough that a token
/// bucket's level fits 63 bits.
using Micros = std::int64_t;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
/// What to say where only slots are taken: nobody knows when a call ends.
constexpr std::chrono::milliseconds kSlotRetry{1000};

/// One window as a token bucket. A token weighs as much as the window has microseconds, so each
/// microsecond refills exactly `count`, and no remainder is ever lost.
struct Window {
  std::int64_t token;
  std::int64_t refill;  ///< In one microsecond.
  std::int64_t capacity;

  /// The level after `elapsed`, starting from `level`.
  std::int64_t refilled(std::int64_t level, Micros elapsed) const {
    return elapsed >= until(level, capacity) ? capacity : level + elapsed * refill;
  }
  /// How long until the level has risen to `wanted`.
  Micros until(std::int64_t level, std::int64_t wanted) const {
    if (level >= wanted) return 0;
    if (refill == 0) return kForever;
    return (wanted - level - 1) / refill + 1;
  }
};

Window window_of(const LimitConfig& limit, const Rate& rate) {
  const std::int64_t token =
      std::max<std::int64_t>(1, std::chrono::microseconds(rate.window).count());
  const auto most = static_cast<std::uint64_t>(kForever / token);
  const std::uint64_t size = std::min(limit.burst.value_or(rate.count), most);
  return {token, static_cast<std::int64_t>(std::min(rate.count, most)),
          static_cast<std::int64_t>(size) * token};
}

Micros to_micros(LimitTable::Time time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

/// The longest wait that is worth telling, also where there will never be room.
constexpr std::chrono::milliseconds kRetryMax = std::chrono::hours(24);

std::chrono::milliseconds to_retry(Micros micros) {
  const std::chrono::milliseconds wait(micros / 1000 + (micros % 1000 != 0 ? 1 : 0));
  return std::min(wait, kRetryMax);
}

struct Bucket {
  std::array<std::uint64_t, 2> key{};
  std::array<std::int64_t, kWindowsMax> levels{};
  Micros updated = 0;
  Micros full_at = 0;            ///< When every window is full again.
  std::uint32_t in_use = 0;      ///< Slots taken.
  std::uint32_t next = kNone;    ///< The next bucket with the same place in the index.
  std::uint64_t touched_by = 0;  ///< The last take that looked at it.
};

}  // namespace

/// A chained hash table over a pool of buckets, whose places never change while a call is counted.
struct LimitTable::State {
  explicit State(std::size_t buckets_max)
      : buckets_max(std::clamp<std::size_t>(buckets_max, 1, kNone - 1)),
        heads(std::bit_ceil(this->buckets_max), kNone) {}

  std::size_t buckets_max;
  std::vector<std::uint32_t> heads;
  std::vector<Bucket> pool;
  std::size_t hand = 0;  ///< Where the search for a bucket to forget goes on.
  std::uint64_t takes = 0;

  std::uint32_t& head(const Bucket& bucket) { return heads[bucket.key[0] & (heads.size() - 1)]; }
  std::uint32_t find(const std::array<std::uint64_t, 2>& key) const;
  std::uint32_t add(const LimitSet::Draw& draw, const LimitConfig& limit, Micros now);
  std::uint32_t forget_one(Micros now);
  void unlink(std::uint32_t place);
};

std::uint32_t LimitTable::State::find(const std::array<std::uint64_t, 2>& key) const {
  std::uint32_t place = heads[key[0] & (heads.size() - 1)];
  while (place != kNone && pool[place].key != key)
    place = pool[place].next;
  return place;
}

void LimitTable::State::unlink(std::uint32_t place) {
  std::uint32_t* link = &head(pool[place]);
  while (*link != place)
    link = &pool[*link].next;
  *link = pool[place].next;
}

/// The place of a bucket that carries no memory worth keeping, taken out of the index. One that the
/// call at hand has looked at stays: its place was noted.
std::uint32_t LimitTable::State::forget_one(Micros now) {
  const std::size_t steps = std::min(pool.size(), kEvictionStepsMax);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto place = static_cast<std::uint32_t>(hand);
    hand = (hand + 1) % pool.size();
    const Bucket& bucket = pool[place];
    if (bucket.in_use > 0 || bucket.full_at > now || bucket.touched_by == takes) continue;
    unlink(place);
    return place;
  }
  return kNone;
}

std::uint32_t LimitTable::State::add(const LimitSet::Draw& draw, const LimitConfig& limit,
                                     Micros now) {
  std::uint32_t place = kNone;
  if (pool.size() < buckets_max) {
    place = static_cast<std::uint32_t>(pool.size());
    pool.emplace_back();
  } else {
    place = forget_one(now);
  }
  if (place == kNone) return kNone;
  Bucket& bucket = pool[place];
  bucket = {.key = draw.key, .updated = now, .full_at = now};
  for (std::size_t i = 0; i < limit.rates.size(); ++i) {
    bucket.levels[i] = window_of(limit, limit.rates[i]).capacity;
  }
  std::uint32_t& first = head(bucket);
  bucket.next = first;
  first = place;
  return place;
}

namespace {

void refill(Bucket& bucket, const LimitConfig& limit, Micros now) {
  const Micros elapsed = now - bucket.updated;
  if (elapsed <= 0) return;
  for (std::size_t i = 0; i < limit.rates.size(); ++i) {
    bucket.levels[i] = window_of(limit, limit.rates[i]).refilled(bucket.levels[i], elapsed);
  }
  bucket.updated = now;
}

/// How long the limit has no room; nothing where it has.
std::optional<std::chrono::milliseconds> wait_of(const Bucket& bucket, const LimitConfig& limit) {
  Micros wait = 0;
  for (std::size_t i = 0; i < limit.rates.size(); ++i) {
    const Window window = window_of(limit, limit.rates[i]);
    const bool never = window.capacity < window.token;
    wait = std::max(wait, never ? kForever : window.until(bucket.levels[i], window.token));
  }
  if (wait > 0) return to_retry(wait);
  if (limit.concurrency && bucket.in_use >= *limit.concurrency) return kSlotRetry;
  return std::nullopt;
}

void charge(Bucket& bucket, const LimitConfig& limit) {
  Micros full_in = 0;
  for (std::size_t i = 0; i < limit.rates.size(); ++i) {
    const Window window = window_of(limit, limit.rates[i]);
    bucket.levels[i] -= window.token;
    full_in = std::max(full_in, window.until(bucket.levels[i], window.capacity));
  }
  bucket.full_at = full_in == kForever ? kForever : bucket.updated + full_in;
  if (limit.concurrency) ++bucket.in_use;
}

}  // namespace

LimitTable::LimitTable(std::size_t buckets_max) : state_(std::make_unique<State>(buckets_max)) {}
LimitTable::~LimitTable() = default;
LimitTable::LimitTable(LimitTable&&) noexcept = default;
LimitTable& LimitTable::operator=(LimitTable&&) noexcept = default;

std::optional<LimitTable::Refusal> LimitTable::take(const LimitSet& set,
                                                    const std::vector<LimitSet::Draw>& draws,
                                                    Time now) {
  State& state = *state_;
  const Micros micros = to_micros(now);
  ++state.takes;
  std::vector<std::uint32_t> places;
  places.reserve(draws.size());
  // Looking first and charging afterwards is what makes it all or none.
  for (const LimitSet::Draw& draw : draws) {
    const LimitConfig& limit = set.limits()[draw.limit];
    std::uint32_t place = state.find(draw.key);
    if (place == kNone) place = state.add(draw, limit, micros);
    if (place == kNone) return Refusal{draw.limit, kSlotRetry};
    Bucket& bucket = state.pool[place];
    bucket.touched_by = state.takes;
    refill(bucket, limit, micros);
    if (const auto wait = wait_of(bucket, limit)) return Refusal{draw.limit, *wait};
    places.push_back(place);
  }
  for (std::size_t i = 0; i < draws.size(); ++i) {
    charge(state.pool[places[i]], set.limits()[draws[i].limit]);
  }
  return std::nullopt;
}

void LimitTable::give_back(const LimitSet& set, const std::vector<LimitSet::Draw>& draws) {
  for (const LimitSet::Draw& draw : draws) {
    if (!set.limits()[draw.limit].concurrency) continue;
    const std::uint32_t place = state_->find(draw.key);
    if (place != kNone && state_->pool[place].in_use > 0) --state_->pool[place].in_use;
  }
}

std::size_t LimitTable::size() const {
  return state_->pool.size();
}

}  // namespace bartizan
