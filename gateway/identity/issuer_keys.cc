#include "gateway/identity/issuer_keys.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

/// The interval at which a waiting caller checks whether the fetch has ended.
constexpr std::chrono::milliseconds kPoll{20};

/// The settings for fetching the keys.
auto source_of(const IssuerConfig& config) {
  return std::tie(config.issuer, config.jwks_url, config.jwks_file, config.private_networks,
                  config.ca_file, config.keys_max_age);
}

std::chrono::seconds pause_after(std::uint32_t failures) {
  const auto doubled = IssuerKeys::kRetry * (1U << std::min(failures - 1, 10U));
  return std::min<std::chrono::seconds>(doubled, IssuerKeys::kPause);
}

}  // namespace

bool IssuerKeys::is_of(const IssuerConfig& config) const {
  return source_of(config_) == source_of(config);
}

IssuerKeys::Known IssuerKeys::known(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const bool is_usable = keys_ != nullptr && now - fetched_at_ <= config_.keys_max_age;
  return {.keys = is_usable ? keys_ : nullptr, .version = version_};
}

IssuerKeys::Turn IssuerKeys::take_turn(std::uint64_t version, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (version_ != version) return Turn::no;
  if (is_fetching_) return Turn::wait;
  if (now < next_at_) return Turn::no;
  is_fetching_ = true;
  return Turn::fetch;
}

void IssuerKeys::finish(Result<FetchedKeys> fetched, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  is_fetching_ = false;
  if (fetched.has_value()) {
    // Tokens that were verified by unchanged keys need not be verified again.
    if (keys_ == nullptr || digest_ != fetched->digest) {
      keys_ = std::make_shared<const JwkSet>(std::move(fetched->set));
      digest_ = fetched->digest;
      ++version_;
    }
    fetched_at_ = now;
    next_at_ = now + kPause;
    failures_ = 0;
    ++answers_;
    return;
  }
  next_at_ = now + pause_after(++failures_);
}

std::uint64_t IssuerKeys::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

Task<IssuerKeys::Known> IssuerKeys::refresh(Loop& loop, std::uint64_t version) {
  const auto self = shared_from_this();  // A reload may release it meanwhile.
  const std::uint64_t before = answers();
  const Clock::time_point deadline = coarse_now() + kWait;
  Signal pause(loop);
  Turn turn = take_turn(version, coarse_now());
  // The caller that starts a fetch waits no longer than the others.
  if (turn == Turn::fetch) spawn(loop, fetch(self, loop));
  while (turn != Turn::no && coarse_now() < deadline) {
    if (answers() != before || !is_fetching()) break;
    co_await pause.wait(kPoll);
  }
  Known refreshed = known(coarse_now());
  refreshed.was_asked = answers() != before;
  co_return refreshed;
}

bool IssuerKeys::is_fetching() const {
  const std::lock_guard lock(mutex_);
  return is_fetching_;
}

Task<void> IssuerKeys::fetch(std::shared_ptr<IssuerKeys> self, Loop& loop) {
  /// If the loop ends meanwhile, another caller may fetch.
  struct Turned {
    IssuerKeys* keys;
    ~Turned() {
      if (keys == nullptr) return;
      const std::lock_guard lock(keys->mutex_);
      keys->is_fetching_ = false;
    }
  } turned{self.get()};
  Result<FetchedKeys> fetched = co_await fetch_issuer_keys(loop, self->config_);
  if (fetched.has_value()) {
    log(LogLevel::info, "the keys of an issuer were fetched",
        {{"issuer", self->config_.name}, {"keys", fetched->set.keys.size()}});
  } else {
    log(LogLevel::warning, "the keys of an issuer cannot be fetched",
        {{"issuer", self->config_.name}, {"error", fetched.error().detail}});
  }
  turned.keys = nullptr;
  self->finish(std::move(fetched), coarse_now());
}

void IssuerKeys::keep_fresh(Loop& loop) {
  {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = coarse_now();
    if (is_fetching_ || now - fetched_at_ < kRefresh || now < next_at_) return;
    is_fetching_ = true;
  }
  spawn(loop, fetch(shared_from_this(), loop));
}

IssuerKeysPtr IssuerKeyTable::find_or_make(const IssuerConfig& config) {
  const std::lock_guard lock(mutex_);
  std::erase_if(keys_, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<IssuerKeys>& known = keys_[config.name];
  IssuerKeysPtr keys = known.lock();
  if (keys != nullptr && keys->is_of(config)) return keys;
  // Versions of two objects never overlap, so that a verification by one does not count for
  // another.
  keys = std::make_shared<IssuerKeys>(config, ++made_ << 32);
  known = keys;
  return keys;
}

}  // namespace bartizan
