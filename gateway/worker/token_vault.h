#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/redact/redactor.h"

namespace bartizan {

namespace limits {
/// The most values for one server and principal, and the most such pairs.
inline constexpr std::size_t tokens_per_share_max = 2 * tokens_per_message_max;
inline constexpr std::size_t token_bytes_per_share_max = 2 * token_bytes_per_message_max;
inline constexpr std::size_t token_shares_max = 256;
}  // namespace limits

/// The values of redaction tokens, in memory only. For each server and principal it keeps the
/// newest values, and it keeps the pairs that were used last. A token whose value was dropped stays
/// in the text and has no effect.
///
/// Threads: any. Cost: a lock and a look; nothing for policies without tokens.
class TokenVault {
 public:
  /// Keeps what a server of that name sent to a principal.
  void keep(std::string_view principal, std::string_view server,
            const std::vector<Redaction::Token>& tokens);
  /// The value of such a token, if that server sent it to that principal.
  std::optional<std::string> find(std::string_view principal, std::string_view server,
                                  std::string_view token);

 private:
  struct Kept {
    std::string token, value;
  };
  /// What one server sent to one principal.
  struct Share {
    std::string server, principal;
    std::list<Kept> kept;  ///< The oldest value comes first.
    std::map<std::string_view, std::list<Kept>::iterator> by_token;
    std::size_t bytes = 0;  ///< Of the values.
  };
  using Shares = std::list<Share>;
  Shares::iterator find_share(std::string_view principal, std::string_view server);

  std::mutex mutex_;
  Shares shares_;  ///< The pair that was used last comes first.
};

}  // namespace bartizan
