#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "audit/digest.h"
#include "gateway/identity/authenticate.h"

namespace bartizan {

namespace limits {
/// The most sessions of the console in total, and of one principal. A further session ends the
/// least recently used one.
inline constexpr std::size_t console_sessions_max = 64;
inline constexpr std::size_t console_sessions_per_principal_max = 8;
/// How long after its last request, and after its beginning, a session ends.
inline constexpr std::chrono::minutes console_idle_max{15};
inline constexpr std::chrono::hours console_session_max{8};
}  // namespace limits

/// One operator's session in one browser.
struct ConsoleSession {
  using Clock = std::chrono::steady_clock;
  PrincipalPtr principal;  ///< Never null.
  std::string proof;       ///< `api_key:NAME`.
  Credential credential;   ///< Checked again with each request.
  std::string csrf;        ///< The token in each form of this session: 64 hexadecimal digits.
  Clock::time_point begun;
  Clock::time_point used;
  /// The result of the last action, for the next page. GET does not remove it.
  std::string notice = {};
};

/// The sessions of the console. Only the SHA-256 of an id is kept, so a later reader of the memory
/// gets no cookie. State as a value, time as an argument.
///
/// Threads: one at a time.
/// Bounded: by `limits::console_sessions_max`.
class ConsoleSessions {
 public:
  using Clock = ConsoleSession::Clock;
  using Random = std::array<std::uint8_t, 32>;

  /// Begins a session and returns its id for the cookie: 64 hexadecimal digits of `id`. Input:
  /// `session`, without `begun`, `used` and `csrf`, which are set here.
  std::string begin(ConsoleSession session, const Random& id, const Random& csrf,
                    Clock::time_point now);
  /// Finds the session of that id and marks it as used at `now`; null if there is none, or it is
  /// over. Lifetime: until the next `begin`, `find` or `end`.
  ConsoleSession* find(std::string_view id, Clock::time_point now);
  /// Finds the session of that id without marking it as used: a page that refreshes itself does not
  /// show that anybody is there.
  ConsoleSession* find_unused(std::string_view id, Clock::time_point now);
  void end(std::string_view id);
  std::size_t size() const { return sessions_.size(); }

 private:
  void end_expired(Clock::time_point now);
  void make_room(std::string_view principal);

  std::map<Hash, ConsoleSession> sessions_;  ///< By the SHA-256 of the id.
};

}  // namespace bartizan
