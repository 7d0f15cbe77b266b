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

/// What sign-ins at all front doors share, beside the state file.
///
/// Threads: any.
/// Bounded: by `kDocumentsMax` documents of clients on their way and `kClientsMax` that are
///          remembered, one refresh for each grant, and the metadata of the providers that are
///          configured.
class SignIns {
 public:
  static constexpr int kDocumentsMax = 32;
  /// … and for one network, so that a slow document of one visitor keeps out no others.
  static constexpr int kDocumentsOfNetworkMax = 2;
  static constexpr std::size_t kClientsMax = 256;
  /// For how long a client's document is believed.
  static constexpr std::int64_t kClientAge = 300;
  /// For how long a provider's metadata is believed.
  static constexpr std::int64_t kMetadataAge = 600;

  SignIns(std::shared_ptr<GrantNotes> notes, std::shared_ptr<IssuerKeyTable> keys)
      : notes_(std::move(notes)), keys_(std::move(keys)) {}

  GrantNotes& notes() { return *notes_; }
  /// The keys of a front door's provider.
  IssuerKeysPtr keys_of(const IssuerConfig& provider);

  /// A document of a client that is on its way, while this lives.
  class Fetching {
   public:
    Fetching(SignIns& all, std::string network);
    ~Fetching();
    Fetching(const Fetching&) = delete;
    Fetching& operator=(const Fetching&) = delete;
    /// Whether as many are on their way as may be, without this one.
    bool is_too_many() const { return is_too_many_; }

   private:
    SignIns& all_;
    std::string network_;
    bool is_too_many_;
  };

  /// The refresh of one grant, while this lives: the provider is asked once at a time.
  class Refreshing {
   public:
    Refreshing(SignIns& all, std::string grant);
    ~Refreshing();
    Refreshing(const Refreshing&) = delete;
    Refreshing& operator=(const Refreshing&) = delete;
    /// Whether another one is under way.
    bool is_second() const { return !is_first_; }

   private:
    SignIns& all_;
    std::string grant_;
    bool is_first_;
  };

  /// Notes that whoever showed that refresh token was told to try again, since another refresh was
  /// under way. Input: the SHA-256 of the token, hexadecimal.
  void note_retry(const std::string& digest, std::int64_t now);
  /// Whether that was so half a minute ago: then it is no theft.
  bool is_retry(std::string_view digest, std::int64_t now);

  /// The client whose document is at that URL, as a front door read it a while ago; nothing where
  /// it has to be fetched.
  std::optional<DoorClient> find_document(const std::string& door, const std::string& url,
                                          std::int64_t now);
  void keep_document(const std::string& door, const DoorClient& client, std::int64_t now);
  /// How documents of clients are fetched; made once for each file of roots.
  Result<std::shared_ptr<asio::ssl::context>> client_tls(const std::string& ca_file);

  /// What is known of a provider's metadata, by its issuer; nothing where it is too old.
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
  int documents_ = 0;                                     ///< That are on their way.
  std::map<std::string, int, std::less<>> documents_of_;  ///< By the network.
  std::map<std::string, KnownClient, std::less<>> clients_;
  std::map<std::string, std::shared_ptr<asio::ssl::context>, std::less<>> tls_;
  std::map<std::string, std::int64_t, std::less<>> retries_;  ///< Until when.
  std::set<std::string, std::less<>> refreshing_;
  std::map<std::string, Known, std::less<>> metadata_;
  /// By the front door's name: so that they stay between two sign-ins.
  std::map<std::string, IssuerKeysPtr, std::less<>> held_keys_;
};

}  // namespace bartizan
