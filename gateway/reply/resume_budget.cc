#include "gateway/reply/resume_budget.h"

#include <algorithm>

#include "gateway/reply/resume_buffer.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The time that returns are counted in.
constexpr std::chrono::seconds kWindow{1};

}  // namespace

std::uint64_t ResumeBudget::bytes_max() const {
  return memory_.bytes_max() / limits::kept_memory_fraction / workers_;
}

std::uint64_t ResumeBudget::principal_bytes_max() const {
  return std::min(limits::kept_principal_bytes_max, bytes_max() / 2);
}

ResumeBudget::Holder& ResumeBudget::join(const std::string& principal, ResumeBuffer& session) {
  Holder& holder = holders_[principal];
  holder.sessions.push_back(&session);
  return holder;
}

void ResumeBudget::leave(const std::string& principal, ResumeBuffer& session) {
  const auto found = holders_.find(principal);
  std::erase(found->second.sessions, &session);
  if (found->second.sessions.empty()) holders_.erase(found);
}

std::optional<MemoryBudget::Reservation> ResumeBudget::take(Holder& holder, std::uint64_t bytes) {
  if (!make_room(holder, bytes)) return std::nullopt;
  auto reserved = memory_.reserve(bytes);
  if (!reserved.has_value()) return std::nullopt;
  holder.bytes += bytes;
  bytes_ += bytes;
  return reserved;
}

void ResumeBudget::give_back(Holder& holder, std::uint64_t bytes) {
  holder.bytes -= bytes;
  bytes_ -= bytes;
}

bool ResumeBudget::make_room(Holder& holder, std::uint64_t bytes) {
  if (bytes > principal_bytes_max()) return false;
  while (holder.bytes + bytes > principal_bytes_max()) {
    if (!drop_from(holder)) return false;
  }
  return bytes_ + bytes <= bytes_max() || drop_for(holder, bytes);
}

/// Drops events of the principals that keep most until `bytes` fit; never of a principal that keeps
/// less than the holder. False if that does not suffice.
bool ResumeBudget::drop_for(const Holder& holder, std::uint64_t bytes) {
  std::vector<Holder*> by_size;
  by_size.reserve(holders_.size());
  for (auto& [principal, one] : holders_)
    by_size.push_back(&one);
  // A heap: what one principal loses changes its own place alone.
  std::ranges::make_heap(by_size, {}, &Holder::bytes);
  while (bytes_ + bytes > bytes_max()) {
    if (by_size.empty() || by_size.front()->bytes < holder.bytes) return false;
    std::ranges::pop_heap(by_size, {}, &Holder::bytes);
    if (drop_from(*by_size.back())) {
      std::ranges::push_heap(by_size, {}, &Holder::bytes);
    } else {
      by_size.pop_back();
    }
  }
  return true;
}

/// Drops the oldest of what the principal keeps, of its session that keeps most. False when nothing
/// can be dropped.
bool ResumeBudget::drop_from(Holder& holder) {
  const auto largest = std::ranges::max_element(
      holder.sessions, {}, [](const ResumeBuffer* one) { return one->bytes(); });
  if (largest != holder.sessions.end() && (*largest)->drop_oldest()) return true;
  return std::ranges::any_of(holder.sessions, [](ResumeBuffer* one) { return one->drop_oldest(); });
}

ResumptionLimits::Place ResumptionLimits::take(const std::string& principal, std::uint64_t bytes,
                                               std::chrono::steady_clock::time_point now) {
  if (spent_.size() >= kPrincipals && !spent_.contains(principal)) {
    std::erase_if(spent_, [now](const auto& entry) {
      return entry.second.in_progress == 0 && now - entry.second.since >= kWindow;
    });
  }
  Spent& spent = spent_[principal];
  if (now - spent.since >= kWindow) {
    spent.since = now;
    spent.returns = 0;
    spent.bytes = 0;
  }
  const bool is_spent = spent.returns >= limits::resumptions_per_second ||
                        spent.bytes >= limits::resumed_bytes_per_second ||
                        spent.in_progress >= limits::resumptions_in_progress_max;
  if (is_spent) return nullptr;
  ++spent.returns;
  spent.bytes += bytes;
  ++spent.in_progress;
  return Place(&spent);
}

}  // namespace bartizan
