#include "gateway/front_door/sign_ins.h"

#include <utility>

namespace bartizan {

namespace {

constexpr std::int64_t kRetrySeconds = 30;
constexpr std::size_t kRetriesMax = 1024;

std::string key_of(const std::string& door, const std::string& url) {
  return door + " " + url;
}

}  // namespace

SignIns::Fetching::Fetching(SignIns& all, std::string network)
    : all_(all), network_(std::move(network)), is_too_many_(false) {
  const std::lock_guard lock(all_.mutex_);
  int& of_network = ++all_.documents_of_[network_];
  is_too_many_ = ++all_.documents_ > kDocumentsMax || of_network > kDocumentsOfNetworkMax;
}

SignIns::Fetching::~Fetching() {
  const std::lock_guard lock(all_.mutex_);
  --all_.documents_;
  const auto found = all_.documents_of_.find(network_);
  if (--found->second == 0) all_.documents_of_.erase(found);
}

void SignIns::note_retry(const std::string& digest, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(retries_, [now](const auto& retry) { return retry.second <= now; });
  if (retries_.size() < kRetriesMax) retries_.insert_or_assign(digest, now + kRetrySeconds);
}

bool SignIns::is_retry(std::string_view digest, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = retries_.find(digest);
  return found != retries_.end() && found->second > now;
}

std::optional<DoorClient> SignIns::find_document(const std::string& door, const std::string& url,
                                                 std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(key_of(door, url));
  if (found == clients_.end() || found->second.until <= now) return std::nullopt;
  return found->second.client;
}

void SignIns::keep_document(const std::string& door, const DoorClient& client, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(clients_, [now](const auto& known) { return known.second.until <= now; });
  if (clients_.size() >= kClientsMax) clients_.erase(clients_.begin());
  clients_.insert_or_assign(key_of(door, client.id), KnownClient{client, now + kClientAge});
}

Result<std::shared_ptr<asio::ssl::context>> SignIns::client_tls(const std::string& ca_file) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = tls_.find(ca_file);
    if (found != tls_.end()) return found->second;
  }
  auto made = make_client_tls(ca_file);
  if (!made.has_value()) return made;
  const std::lock_guard lock(mutex_);
  return tls_.insert_or_assign(ca_file, *std::move(made)).first->second;
}

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
