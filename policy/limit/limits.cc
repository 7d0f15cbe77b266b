#include "policy/limit/limits.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "policy/limit/call_chain.h"

namespace bartizan {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// Up to this many buckets of one call need no allocation. A limit with many windows has several.
constexpr std::size_t kDrawsUsual = 32;
/// The time to retry if only slots are taken: the end of a call is not known.
constexpr std::chrono::milliseconds kSlotRetry{1000};

Micros to_micros(LimitTable::Time time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

/// The longest reported time to retry, also if the call will never fit.
constexpr std::chrono::milliseconds kRetryMax = std::chrono::hours(24);

std::chrono::milliseconds to_retry(Micros micros) {
  const std::chrono::milliseconds wait(micros / 1000 + (micros % 1000 != 0 ? 1 : 0));
  return std::min(wait, kRetryMax);
}

struct Bucket {
  std::array<std::uint64_t, 2> key{};
  std::array<std::int64_t, kWindowsMax> levels{};
  Micros updated = 0;
  Micros full_at = 0;           ///< The time when every window is full again.
  std::uint32_t in_use = 0;     ///< Slots taken.
  std::uint32_t next = kNone;   ///< The next bucket with the same place in the index.
  std::uint64_t owner = 0;      ///< The caller that made it.
  std::uint32_t older = kNone;  ///< Of the same owner, in a ring.
  std::uint32_t newer = kNone;
  std::uint64_t touched_by = 0;      ///< The last take that looked at it.
  CallChain chain;                   ///< Of a limit that looks for loops.
  std::unique_ptr<FairQueue> queue;  ///< If calls wait for a slot.

  std::size_t ahead(Ticket ticket) const { return queue == nullptr ? 0 : queue->ahead(ticket); }
};

}  // namespace

/// A chained hash table over a pool of buckets. Their places never change while a call is counted.
struct LimitTable::State {
  explicit State(Room room)
      : buckets_max(std::clamp<std::size_t>(room.buckets, 1, kNone - 1)),
        share_max(std::max<std::size_t>(room.of_one_caller, 1)),
        heads(std::bit_ceil(this->buckets_max), kNone) {}

  /// The buckets that one caller has made.
  struct Share {
    std::size_t count = 0;
    std::uint32_t hand = kNone;  ///< In the ring: the next candidate to forget.
  };

  std::size_t buckets_max;
  std::size_t share_max;
  std::vector<std::uint32_t> heads;
  std::vector<Bucket> pool;
  std::size_t hand = 0;                             ///< The next candidate to forget.
  std::unordered_map<std::uint64_t, Share> shares;  ///< Of callers that have buckets.
  std::uint64_t takes = 0;

  std::uint32_t& head(const Bucket& bucket) { return heads[bucket.key[0] & (heads.size() - 1)]; }
  std::uint32_t find(const std::array<std::uint64_t, 2>& key) const;
  std::uint32_t add(const LimitSet::Draw& draw, const CountedLimit& limit, std::uint64_t owner,
                    Micros now);
  std::uint32_t room_for(std::uint64_t owner, Micros now);
  std::uint32_t forget_one(Micros now);
  std::uint32_t forget_one_of(Share& share, Micros now);
  bool is_worth_keeping(const Bucket& bucket, Micros now) const;
  void unlink(std::uint32_t place);
  void enter_ring(std::uint32_t place);
  void leave_ring(std::uint32_t place);
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
  leave_ring(place);
}

/// A bucket that the present call has looked at stays, because its place is in use.
bool LimitTable::State::is_worth_keeping(const Bucket& bucket, Micros now) const {
  return bucket.in_use > 0 || bucket.queue != nullptr || bucket.full_at > now ||
         bucket.touched_by == takes;
}

void LimitTable::State::enter_ring(std::uint32_t place) {
  Bucket& bucket = pool[place];
  Share& share = shares[bucket.owner];
  ++share.count;
  if (share.hand == kNone) {
    bucket.older = bucket.newer = share.hand = place;
    return;
  }
  // Before the hand in the ring, so that it is the last candidate.
  Bucket& next = pool[share.hand];
  bucket.newer = share.hand;
  bucket.older = next.older;
  pool[next.older].newer = place;
  next.older = place;
}

void LimitTable::State::leave_ring(std::uint32_t place) {
  Bucket& bucket = pool[place];
  const auto share = shares.find(bucket.owner);
  pool[bucket.older].newer = bucket.newer;
  pool[bucket.newer].older = bucket.older;
  if (share->second.hand == place) share->second.hand = bucket.newer;
  if (--share->second.count == 0) shares.erase(share);
}

std::uint32_t LimitTable::State::forget_one_of(Share& share, Micros now) {
  const std::size_t steps = std::min(share.count, kEvictionStepsMax);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::uint32_t place = share.hand;
    share.hand = pool[place].newer;
    if (is_worth_keeping(pool[place], now)) continue;
    unlink(place);
    return place;
  }
  return kNone;
}

/// The place of a bucket without state worth keeping, removed from the index.
std::uint32_t LimitTable::State::forget_one(Micros now) {
  const std::size_t steps = std::min(pool.size(), kEvictionStepsMax);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto place = static_cast<std::uint32_t>(hand);
    hand = (hand + 1) % pool.size();
    if (is_worth_keeping(pool[place], now)) continue;
    unlink(place);
    return place;
  }
  return kNone;
}

std::uint32_t LimitTable::State::room_for(std::uint64_t owner, Micros now) {
  const auto share = shares.find(owner);
  if (share != shares.end() && share->second.count >= share_max)
    return forget_one_of(share->second, now);
  if (pool.size() >= buckets_max) return forget_one(now);
  pool.emplace_back();
  return static_cast<std::uint32_t>(pool.size() - 1);
}

std::uint32_t LimitTable::State::add(const LimitSet::Draw& draw, const CountedLimit& limit,
                                     std::uint64_t owner, Micros now) {
  const std::uint32_t place = room_for(owner, now);
  if (place == kNone) return kNone;
  Bucket& bucket = pool[place];
  bucket = {.key = draw.key, .updated = now, .full_at = now, .owner = owner};
  enter_ring(place);
  for (std::size_t i = 0; i < limit.windows.size(); ++i)
    bucket.levels[i] = limit.windows[i].capacity;
  std::uint32_t& first = head(bucket);
  bucket.next = first;
  first = place;
  return place;
}

namespace {

void refill(Bucket& bucket, const CountedLimit& limit, Micros now) {
  if (limit.loop) bucket.chain.forget(*limit.loop, now);
  if (now <= bucket.updated) return;
  for (std::size_t i = 0; i < limit.windows.size(); ++i) {
    bucket.levels[i] = limit.windows[i].refilled(bucket.levels[i], bucket.updated, now);
  }
  bucket.updated = now;
}

/// Whether all slots are taken, including those for which earlier calls wait.
bool lacks_slot(const Bucket& bucket, const CountedLimit& limit, Ticket ticket) {
  return limit.concurrency && bucket.in_use + bucket.ahead(ticket) >= *limit.concurrency;
}

/// The resource that the limit lacks for this call, and the time to retry; nothing if the call
/// fits.
std::optional<LimitTable::Refusal> refusal_of(const Bucket& bucket, const CountedLimit& limit,
                                              const LimitSet::Draw& draw, const CallWeight& weight,
                                              Ticket ticket) {
  Micros wait = 0;
  for (std::size_t i = 0; i < limit.windows.size(); ++i) {
    const LimitWindow& window = limit.windows[i];
    const std::int64_t wanted = window.weight_of(weight);
    const bool never = window.capacity < wanted;
    wait = std::max(wait, never ? LimitWindow::kForever : window.until(bucket.levels[i], wanted));
  }
  using Lack = LimitTable::Lack;
  if (wait > 0) return LimitTable::Refusal{draw.limit, to_retry(wait), Lack::room};
  if (limit.loop && bucket.chain.closes_circle(*limit.loop, draw.call)) {
    const Micros left = bucket.chain.forgotten_at(*limit.loop) - bucket.updated;
    return LimitTable::Refusal{draw.limit, to_retry(std::max<Micros>(left, 0)), Lack::progress};
  }
  if (lacks_slot(bucket, limit, ticket)) {
    return LimitTable::Refusal{draw.limit, kSlotRetry, Lack::slot};
  }
  return std::nullopt;
}

/// The time when the bucket has no state any more.
Micros full_at(const Bucket& bucket, const CountedLimit& limit) {
  Micros full_in = 0;
  for (std::size_t i = 0; i < limit.windows.size(); ++i) {
    const LimitWindow& window = limit.windows[i];
    full_in = std::max(full_in, window.until(bucket.levels[i], window.capacity));
  }
  if (limit.loop)
    full_in = std::max(full_in, bucket.chain.forgotten_at(*limit.loop) - bucket.updated);
  return full_in > LimitWindow::kForever - bucket.updated ? LimitWindow::kForever
                                                          : bucket.updated + full_in;
}

void charge(Bucket& bucket, const CountedLimit& limit, const LimitSet::Draw& draw,
            const CallWeight& weight) {
  for (std::size_t i = 0; i < limit.windows.size(); ++i)
    bucket.levels[i] -= limit.windows[i].weight_of(weight);
  if (limit.loop) bucket.chain.follow(*limit.loop, draw.call, bucket.updated);
  bucket.full_at = full_at(bucket, limit);
  if (limit.concurrency) ++bucket.in_use;
}

void drop_if_empty(Bucket& bucket) {
  if (bucket.queue != nullptr && bucket.queue->empty()) bucket.queue.reset();
}

/// In a bucket of a single principal, the principal may fill the queue.
FairQueue::Places places_of(const CountedLimit& limit) {
  const bool is_own = std::ranges::find(limit.per, LimitKey::principal) != limit.per.end();
  return is_own ? FairQueue::Places::own : FairQueue::Places::shared;
}

bool counts_bytes(const CountedLimit& limit) {
  return std::ranges::find(limit.rates, LimitUnit::bytes, &Rate::unit) != limit.rates.end();
}

}  // namespace

LimitTable::LimitTable() : LimitTable(Room()) {}
LimitTable::LimitTable(Room room) : state_(std::make_unique<State>(room)) {}
LimitTable::~LimitTable() = default;
LimitTable::LimitTable(LimitTable&&) noexcept = default;
LimitTable& LimitTable::operator=(LimitTable&&) noexcept = default;

std::optional<LimitTable::Refusal> LimitTable::take(const LimitSet& set, const Draws& draws,
                                                    const CallWeight& weight, Time now,
                                                    FairQueue::Waiter waiter) {
  State& state = *state_;
  const Micros micros = to_micros(now);
  ++state.takes;
  std::array<std::uint32_t, kDrawsUsual> usual;
  std::vector<std::uint32_t> many(draws.size() > usual.size() ? draws.size() : 0);
  const std::span<std::uint32_t> places = many.empty() ? std::span(usual) : std::span(many);
  std::size_t found = 0;
  std::optional<Refusal> waits;
  // All buckets are checked before any is charged, so that the call takes from all or none.
  for (const LimitSet::Draw& draw : draws) {
    const CountedLimit& limit = set.limits()[draw.limit];
    std::uint32_t place = state.find(draw.key);
    if (place == kNone) place = state.add(draw, limit, waiter.caller, micros);
    if (place == kNone) return Refusal{draw.limit, kSlotRetry, Lack::bucket};
    Bucket& bucket = state.pool[place];
    bucket.touched_by = state.takes;
    refill(bucket, limit, micros);
    places[found++] = place;
    const auto refusal = refusal_of(bucket, limit, draw, weight, waiter.ticket);
    if (!refusal) continue;
    if (refusal->lack == Lack::progress) bucket.chain.stop(*limit.loop, draw.call);
    if (refusal->lack != Lack::slot || limit.queue == 0) return refusal;
    if (!waits) waits = refusal;
  }
  if (waits) return waits;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    Bucket& bucket = state.pool[places[i]];
    charge(bucket, set.limits()[draws[i].limit], draws[i], weight);
    if (bucket.queue != nullptr) bucket.queue->serve(waiter.ticket);
    drop_if_empty(bucket);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> LimitTable::wait(const LimitSet& set, const Draws& draws,
                                              FairQueue::Waiter waiter) {
  bool has_place = false;
  for (const LimitSet::Draw& draw : draws) {
    const CountedLimit& limit = set.limits()[draw.limit];
    const std::uint32_t place = state_->find(draw.key);
    if (limit.queue == 0 || place == kNone) continue;
    Bucket& bucket = state_->pool[place];
    if (has_place || !lacks_slot(bucket, limit, waiter.ticket)) {
      if (bucket.queue != nullptr) bucket.queue->leave(waiter.ticket);
      drop_if_empty(bucket);
      continue;
    }
    has_place = true;
    if (bucket.queue == nullptr) bucket.queue = std::make_unique<FairQueue>();
    if (bucket.queue->has(waiter.ticket)) continue;
    if (bucket.queue->enter(waiter, limit.queue, places_of(limit))) continue;
    leave(draws, waiter.ticket);
    return draw.limit;
  }
  return std::nullopt;
}

void LimitTable::leave(const Draws& draws, Ticket ticket) {
  for (const LimitSet::Draw& draw : draws) {
    const std::uint32_t place = state_->find(draw.key);
    if (place == kNone || state_->pool[place].queue == nullptr) continue;
    state_->pool[place].queue->leave(ticket);
    drop_if_empty(state_->pool[place]);
  }
}

std::vector<Ticket> LimitTable::next(const LimitSet& set, const Draws& draws) const {
  std::vector<Ticket> tickets;
  for (const LimitSet::Draw& draw : draws) {
    const CountedLimit& limit = set.limits()[draw.limit];
    const std::uint32_t place = state_->find(draw.key);
    if (place == kNone || !limit.concurrency) continue;
    const Bucket& bucket = state_->pool[place];
    if (bucket.queue == nullptr || bucket.in_use >= *limit.concurrency) continue;
    std::ranges::copy(bucket.queue->first(*limit.concurrency - bucket.in_use),
                      std::back_inserter(tickets));
  }
  return tickets;
}

void LimitTable::charge_bytes(const LimitSet& set, const Draws& draws, std::uint64_t bytes,
                              Time now) {
  for (const LimitSet::Draw& draw : draws) {
    const CountedLimit& limit = set.limits()[draw.limit];
    if (!counts_bytes(limit)) continue;
    const std::uint32_t place = state_->find(draw.key);
    // A bucket that was full and then forgotten starts full again.
    if (place == kNone) continue;
    Bucket& bucket = state_->pool[place];
    refill(bucket, limit, to_micros(now));
    for (std::size_t i = 0; i < limit.windows.size(); ++i) {
      const LimitWindow& window = limit.windows[i];
      if (window.unit != LimitUnit::bytes) continue;
      bucket.levels[i] = window.indebted(bucket.levels[i], {.bytes = bytes});
    }
    bucket.full_at = full_at(bucket, limit);
  }
}

void LimitTable::give_back(const LimitSet& set, const Draws& draws) {
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
