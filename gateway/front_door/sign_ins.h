#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gateway/front_door/client_document.h"
#include "gateway/http/http_client.h"
#include "gateway/identity/grant_notes.h"
#include "gateway/identity/issuer_keys.h"
#include "gateway/identity/provider_documents.h"

namespace bartizan {

/// The state that sign-ins at all front doors share, apart from the state file.
///
/// Threads: any.
/// Bounded: by `kDocumentsMax` fetches of clients' documents, `kClientsMax` kept documents, one
/// refresh for each grant, and the metadata of the configured providers.
class SignIns {
 public:
  static constexpr int kDocumentsMax = 32;
  /// The most fetches for one network, so that a slow document of one visitor blocks nobody else.
  static constexpr int kDocumentsOfNetworkMax = 2;
  static constexpr std::size_t kClientsMax = 256;
  /// How long a client's document is used, in seconds.
  static constexpr std::int64_t kClientAge = 300;
  /// How long a provider's metadata is used, in seconds.
  static constexpr std::int64_t kMetadataAge = 600;

  SignIns(std::shared_ptr<GrantNotes> notes, std::shared_ptr<IssuerKeyTable> keys)
      : notes_(std::move(notes)), keys_(std::move(keys)) {}

  GrantNotes& notes() { return *notes_; }
  /// The keys of a front door's provider.
  IssuerKeysPtr keys_of(const IssuerConfig& provider);

  /// A fetch of a client's document, while this lives.
  class Fetching {
   public:
    Fetching(SignIns& all, std::string network);
    ~Fetching();
    Fetching(const Fetching&) = delete;
    Fetching& operator=(const Fetching&) = delete;
    /// Whether the most fetches are in progress already, without this one.
    bool is_too_many() const { return is_too_many_; }

   private:
    SignIns& all_;
    std::string network_;
    bool is_too_many_;
  };

  /// The refresh of one grant, while this lives. The provider is asked once at a time.
  class Refreshing {
   public:
    Refreshing(SignIns& all, std::string grant);
    ~Refreshing();
    Refreshing(const Refreshing&) = delete;
    Refreshing& operator=(const Refreshing&) = delete;
    /// Whether another refresh is in progress.
    bool is_second() const { return !is_first_; }

   private:
    SignIns& all_;
    std::string grant_;
    bool is_first_;
  };

  /// Notes that the holder of that refresh token was asked to retry, since another refresh was in
  /// progress. Input: the SHA-256 of the token, hexadecimal.
  void note_retry(const std::string& digest, std::int64_t now);
  /// Whether that was so within the last half minute. A second use of the token is then not a
  /// theft.
  bool is_retry(std::string_view digest, std::int64_t now);

  /// The kept document at that URL; nothing if it must be fetched.
  std::optional<DoorClient> find_document(const std::string& door, const std::string& url,
                                          std::int64_t now);
  void keep_document(const std::string& door, const DoorClient& client, std::int64_t now);
  /// The TLS context for fetches of clients' documents; made once for each file of roots.
  Result<std::shared_ptr<asio::ssl::context>> client_tls(const std::string& ca_file);

  /// The kept metadata of a provider, by its issuer; nothing if it is too old.
  std::shared_ptr<const ProviderMetadata> find_metadata(std::string_view issuer, std::int64_t now);
  void keep_metadata(const std::string& issuer, std::shared_ptr<const ProviderMetadata> metadata,
                     std::int64_t now);

 private:
  struct Known {
    std::shared_ptr<const ProviderMetadata> metadata;
    std::int64_t until = 0;
  };

  std::shared_ptr<GrantNotes> notes_;
  std::shared_ptr<IssuerKeyTable> keys_;
  struct KnownClient {
    DoorClient client;
    std::int64_t until = 0;
  };

  std::mutex mutex_;
  int documents_ = 0;                                     ///< Fetches in progress.
  std::map<std::string, int, std::less<>> documents_of_;  ///< By network.
  std::map<std::string, KnownClient, std::less<>> clients_;
  std::map<std::string, std::shared_ptr<asio::ssl::context>, std::less<>> tls_;
  std::map<std::string, std::int64_t, std::less<>> retries_;  ///< By digest: until when.
  std::set<std::string, std::less<>> refreshing_;
  std::map<std::string, Known, std::less<>> metadata_;
  /// By the front door's name. Held so that they stay between two sign-ins.
  std::map<std::string, IssuerKeysPtr, std::less<>> held_keys_;
};

}  // namespace bartizan
