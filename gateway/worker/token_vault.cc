#include "gateway/worker/token_vault.h"

#include <algorithm>
#include <iterator>

namespace bartizan {

TokenVault::Shares::iterator TokenVault::find_share(std::string_view principal,
                                                    std::string_view server) {
  const auto share = std::ranges::find_if(shares_, [&](const Share& one) {
    return one.principal == principal && one.server == server;
  });
  if (share != shares_.end()) shares_.splice(shares_.begin(), shares_, share);
  return share;
}

void TokenVault::keep(std::string_view principal, std::string_view server,
                      const std::vector<Redaction::Token>& tokens) {
  if (tokens.empty()) return;
  const std::lock_guard lock(mutex_);
  if (find_share(principal, server) == shares_.end()) {
    shares_.emplace_front();
    shares_.front().server = server;
    shares_.front().principal = principal;
    if (shares_.size() > limits::token_shares_max) shares_.pop_back();
  }
  Share& share = shares_.front();
  for (const Redaction::Token& token : tokens) {
    const auto known = share.by_token.find(token.text);
    if (known != share.by_token.end()) {
      share.kept.splice(share.kept.end(), share.kept, known->second);
      continue;
    }
    share.kept.push_back({token.text, token.value});
    share.by_token.emplace(share.kept.back().token, std::prev(share.kept.end()));
    share.bytes += token.value.size();
  }
  while (share.kept.size() > limits::tokens_per_share_max ||
         share.bytes > limits::token_bytes_per_share_max) {
    share.bytes -= share.kept.front().value.size();
    share.by_token.erase(share.kept.front().token);
    share.kept.pop_front();
  }
}

std::optional<std::string> TokenVault::find(std::string_view principal, std::string_view server,
                                            std::string_view token) {
  const std::lock_guard lock(mutex_);
  const auto share = find_share(principal, server);
  if (share == shares_.end()) return std::nullopt;
  const auto found = share->by_token.find(token);
  if (found == share->by_token.end()) return std::nullopt;
  return found->second->value;
}

}  // namespace bartizan
