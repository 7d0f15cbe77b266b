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
/// What tokens of one server and principal may hold together, and how many such pairs have any.
inline constexpr std::size_t tokens_per_share_max = 2 * tokens_per_message_max;
inline constexpr std::size_t token_bytes_per_share_max = 2 * token_bytes_per_message_max;
inline constexpr std::size_t token_shares_max = 256;
}  // namespace limits

/// The values that tokens stand for, in memory and nowhere else: of what each server sent to each
/// principal those that were told last, and of such pairs those that were here last. What was
/// forgotten stays a token, which means nothing to anybody.
///
/// Threads: any. Cost: a lock and a look; nothing for policies without tokens.
class TokenVault {
 public:
  /// Keeps what a server of that name sent to a principal.
  void keep(std::string_view principal, std::string_view server,
            const std::vector<Redaction::Token>& tokens);
  /// What such a token stands for, as the same server sent it to the same principal.
  std::optional<std::string> find(std::string_view principal, std::string_view server,
                                  std::string_view token);

 private:
  struct Kept {
    std::string token, value;
  };
  /// What one server sent to one principal.
  struct Share {
    std::string server, principal;
    std::list<Kept> kept;  ///< What was told longest ago comes first.
    std::map<std::string_view, std::list<Kept>::iterator> by_token;
    std::size_t bytes = 0;  ///< Of the values.
  };
  using Shares = std::list<Share>;
  Shares::iterator find_share(std::string_view principal, std::string_view server);

  std::mutex mutex_;
  Shares shares_;  ///< What was here last comes first.
};

}  // namespace bartizan
