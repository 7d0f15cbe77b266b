#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/identity/verifier.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

/// A way of proving as an issuer's would be: whoever shows `Authorization: Token WORD` is whom the
/// word names, with the claims that belong to it. A word that was not asked about before is asked
/// about on the loop; one that is known is answered at once.
class ClaimsVerifier : public Verifier {
 public:
  struct Subject {
    std::string id;
    ClaimsPtr claims;
  };

  ClaimsVerifier() = default;

  void add(std::string word, Subject subject) {
    unknown_.emplace(std::move(word), std::move(subject));
  }
  void revoke(std::string_view word) { known_.erase(known_.find(word)); }

  CredentialKind kind() const override { return kKind; }

  bool is_shown(const Credentials& credentials) const override {
    return credentials.authorization.has_value() &&
           credentials.authorization->starts_with("Token ");
  }

  Task<Verification> verify(Loop& loop, Credentials credentials,
                            std::int64_t /*now*/) const override {
    constexpr std::size_t kScheme = std::string_view("Token ").size();
    const std::string_view shown = *credentials.authorization;
    const std::string word(shown.size() > kScheme ? shown.substr(kScheme) : "");
    if (known_.contains(word)) return Task<Verification>::ready(find(word));
    return ask(loop, word);
  }

  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view /*principal*/,
                                                    std::int64_t /*now*/) const override {
    for (const auto& [word, subject] : known_) {
      if (credential_of(word) == credential) return {};
    }
    return std::unexpected(AuthenticationFailure{Reason::credentials_invalid, "revoked"});
  }

 private:
  /// That no other one of these tests has.
  static constexpr CredentialKind kKind = CredentialKind::configured;

  static Credential credential_of(std::string_view word) {
    Credential credential{.kind = kKind};
    word.copy(reinterpret_cast<char*>(credential.digest.data()), credential.digest.size());
    return credential;
  }

  Verification find(const std::string& word) const {
    const auto found = known_.find(word);
    if (found == known_.end()) {
      return std::unexpected(AuthenticationFailure{Reason::credentials_invalid, "unknown"});
    }
    return Proved{found->second.id, found->second.claims, "token", credential_of(word)};
  }

  Task<Verification> ask(Loop& loop, std::string word) const {
    Signal answered(loop);
    co_await answered.wait(std::chrono::milliseconds(1));
    const auto found = unknown_.find(word);
    if (found != unknown_.end()) known_.insert(*found);
    co_return find(word);
  }

  std::map<std::string, Subject, std::less<>> unknown_;
  mutable std::map<std::string, Subject, std::less<>> known_;
};

}  // namespace bartizan
