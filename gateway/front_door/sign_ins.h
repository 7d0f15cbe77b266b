#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "gateway/identity/grant_notes.h"
#include "gateway/identity/issuer_keys.h"
#include "gateway/identity/provider_documents.h"

namespace bartizan {

/// What sign-ins at all front doors share, beside the state file.
///
/// Threads: any.
/// Bounded: by `kDocumentsMax` documents of clients on their way, one refresh for each grant, and
///          the metadata of the providers that are configured.
class SignIns {
 public:
  static constexpr int kDocumentsMax = 16;
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
    explicit Fetching(SignIns& all) : all_(all), number_(++all.documents_) {}
    ~Fetching() { --all_.documents_; }
    Fetching(const Fetching&) = delete;
    Fetching& operator=(const Fetching&) = delete;
    /// Whether as many are on their way as may be, without this one.
    bool is_too_many() const { return number_ > kDocumentsMax; }

   private:
    SignIns& all_;
    int number_;
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
  std::atomic<int> documents_ = 0;
  std::mutex mutex_;
  std::set<std::string, std::less<>> refreshing_;
  std::map<std::string, Known, std::less<>> metadata_;
  /// By the front door's name: so that they stay between two sign-ins.
  std::map<std::string, IssuerKeysPtr, std::less<>> held_keys_;
};

}  // namespace bartizan
