#include "gateway/front_door/sign_ins.h"

#include <utility>

namespace bartizan {

SignIns::Refreshing::Refreshing(SignIns& all, std::string grant)
    : all_(all), grant_(std::move(grant)), is_first_(false) {
  const std::lock_guard lock(all_.mutex_);
  is_first_ = all_.refreshing_.insert(grant_).second;
}

SignIns::Refreshing::~Refreshing() {
  if (!is_first_) return;
  const std::lock_guard lock(all_.mutex_);
  all_.refreshing_.erase(grant_);
}

IssuerKeysPtr SignIns::keys_of(const IssuerConfig& provider) {
  IssuerKeysPtr keys = keys_->find_or_make(provider);
  const std::lock_guard lock(mutex_);
  held_keys_.insert_or_assign(provider.name, keys);
  return keys;
}

std::shared_ptr<const ProviderMetadata> SignIns::find_metadata(std::string_view issuer,
                                                               std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = metadata_.find(issuer);
  return found == metadata_.end() || found->second.until <= now ? nullptr : found->second.metadata;
}

void SignIns::keep_metadata(const std::string& issuer,
                            std::shared_ptr<const ProviderMetadata> metadata, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(metadata_, [now](const auto& known) { return known.second.until <= now; });
  metadata_.insert_or_assign(issuer, Known{std::move(metadata), now + kMetadataAge});
}

}  // namespace bartizan
