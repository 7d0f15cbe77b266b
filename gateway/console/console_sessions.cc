#include "gateway/console/console_sessions.h"

#include <algorithm>
#include <utility>

#include "gateway/runtime/random.h"

namespace bartizan {
namespace {

bool is_over(const ConsoleSession& session, ConsoleSession::Clock::time_point now) {
  return now - session.used >= limits::console_idle_max ||
         now - session.begun >= limits::console_session_max;
}

}  // namespace

std::string ConsoleSessions::begin(ConsoleSession session, const Random& id, const Random& csrf,
                                   Clock::time_point now) {
  end_expired(now);
  make_room(session.principal->id);
  session.csrf = KeyedDigest::hex(csrf);
  session.begun = now;
  session.used = now;
  std::string cookie = KeyedDigest::hex(id);
  sessions_.insert_or_assign(Digester().sha256(cookie), std::move(session));
  return cookie;
}

ConsoleSession* ConsoleSessions::find(std::string_view id, Clock::time_point now) {
  ConsoleSession* session = find_unused(id, now);
  if (session != nullptr) session->used = now;
  return session;
}

ConsoleSession* ConsoleSessions::find_unused(std::string_view id, Clock::time_point now) {
  const auto found = sessions_.find(Digester().sha256(id));
  if (found == sessions_.end()) return nullptr;
  if (is_over(found->second, now)) {
    sessions_.erase(found);
    return nullptr;
  }
  return &found->second;
}

void ConsoleSessions::end(std::string_view id) {
  sessions_.erase(Digester().sha256(id));
}

void ConsoleSessions::end_expired(Clock::time_point now) {
  std::erase_if(sessions_, [now](const auto& one) { return is_over(one.second, now); });
}

/// A principal at its own limit loses its oldest session; otherwise the oldest of all ends.
void ConsoleSessions::make_room(std::string_view principal) {
  const auto is_own = [principal](const auto& one) {
    return one.second.principal->id == principal;
  };
  const auto own = static_cast<std::size_t>(std::ranges::count_if(sessions_, is_own));
  const bool is_own_full = own >= limits::console_sessions_per_principal_max;
  if (!is_own_full && sessions_.size() < limits::console_sessions_max) return;
  auto oldest = sessions_.end();
  for (auto one = sessions_.begin(); one != sessions_.end(); ++one) {
    if (is_own_full && !is_own(*one)) continue;
    if (oldest == sessions_.end() || one->second.used < oldest->second.used) oldest = one;
  }
  sessions_.erase(oldest);
}

}  // namespace bartizan
