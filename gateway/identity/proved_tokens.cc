#include "gateway/identity/proved_tokens.h"

#include <cstring>
#include <utility>

namespace bartizan {

// Nobody can choose a SHA-256, so its first bytes are as good as any hash of it.
std::size_t ProvedTokens::FirstBytes::operator()(const Hash& digest) const {
  std::size_t first = 0;
  std::memcpy(&first, digest.data(), sizeof(first));
  return first;
}

std::optional<ProvedTokens::Entry> ProvedTokens::find(const Hash& digest, std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  const auto found = tokens_.find(digest);
  if (found == tokens_.end() || found->second.until <= now) return std::nullopt;
  const TokenIdentity* identity = found->second.identity.get();
  if (identity != nullptr && identity->expires <= now) return std::nullopt;
  return found->second;
}

void ProvedTokens::remember(const Hash& digest, Entry entry) {
  const std::lock_guard lock(mutex_);
  if (tokens_.size() >= tokens_max_) make_room();
  tokens_.insert_or_assign(digest, std::move(entry));
}

void ProvedTokens::forget(const Hash& digest) {
  const std::lock_guard lock(mutex_);
  tokens_.erase(digest);
}

std::size_t ProvedTokens::size() const {
  const std::lock_guard lock(mutex_);
  return tokens_.size();
}

/// Removes every other entry in table order, which is unrelated to owners.
void ProvedTokens::make_room() {
  bool is_kept = true;
  std::erase_if(tokens_, [&is_kept](const auto&) { return is_kept = !is_kept; });
}

}  // namespace bartizan
