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
/// Sessions of the console together, and of one principal. One more ends the one that was used
/// longest ago.
inline constexpr std::size_t console_sessions_max = 64;
inline constexpr std::size_t console_sessions_per_principal_max = 8;
/// A session ends so long after its last request, or so long after it began.
inline constexpr std::chrono::minutes console_idle_max{15};
inline constexpr std::chrono::hours console_session_max{8};
}  // namespace limits

/// One operator's session in one browser.
struct ConsoleSession {
  using Clock = std::chrono::steady_clock;
  PrincipalPtr principal;  ///< Never null.
  std::string proof;       ///< `api_key:NAME`.
  Credential credential;   ///< To be asked about again with each request.
  std::string csrf;        ///< What each form of this session carries: 64 hexadecimal digits.
  Clock::time_point begun;
  Clock::time_point used;
  /// What became of the last act, for the page behind it; a GET does not remove it.
  std::string notice = {};
};

/// The sessions of the console. Of an id only the SHA-256 is kept: whoever reads this memory later
/// has no cookie. State as a value, time as an argument.
///
/// Threads: one at a time.
/// Bounded: by `limits::console_sessions_max`.
class ConsoleSessions {
 public:
  using Clock = ConsoleSession::Clock;
  using Random = std::array<std::uint8_t, 32>;

  /// Begins a session of whom `session` names, and answers its id as the cookie carries it: 64
  /// hexadecimal digits of `id`. `begun`, `used` and `csrf` are set here.
  std::string begin(ConsoleSession session, const Random& id, const Random& csrf,
                    Clock::time_point now);
  /// The session of that id, which is used at `now`; null where there is none, or it is over.
  /// Lifetime: until the next `begin`, `find` or `end`.
  ConsoleSession* find(std::string_view id, Clock::time_point now);
  /// The session of that id, without a use of it: a page that asks again by itself is nobody who
  /// is there.
  ConsoleSession* find_unused(std::string_view id, Clock::time_point now);
  void end(std::string_view id);
  std::size_t size() const { return sessions_.size(); }

 private:
  void end_expired(Clock::time_point now);
  void make_room(std::string_view principal);

  std::map<Hash, ConsoleSession> sessions_;  ///< By the SHA-256 of the id.
};

}  // namespace bartizan
