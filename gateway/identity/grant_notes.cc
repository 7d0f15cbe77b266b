#include "gateway/identity/grant_notes.h"

#include <utility>

namespace bartizan {
namespace {

void forget_old(std::map<std::string, std::int64_t, std::less<>>& notes, std::int64_t now) {
  std::erase_if(notes, [now](const auto& note) { return note.second <= now; });
}

}  // namespace

void GrantNotes::end(std::string id, std::int64_t until, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  forget_old(ended_, now);
  ended_.insert_or_assign(std::move(id), until);
  changes_.fetch_add(1, std::memory_order_release);
}

bool GrantNotes::has_ended(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  return ended_.contains(id);
}

void GrantNotes::note_step_up(const std::string& id, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  forget_old(step_ups_, now);
  if (step_ups_.size() < kStepUpsMax) step_ups_.insert_or_assign(id, now + kStepUpSeconds);
}

bool GrantNotes::take_step_up(std::string_view id, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = step_ups_.find(id);
  if (found == step_ups_.end()) return false;
  const bool is_recent = found->second > now;
  step_ups_.erase(found);
  return is_recent;
}

}  // namespace bartizan
