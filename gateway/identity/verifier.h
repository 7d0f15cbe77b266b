#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/identity/accepted_credentials.h"
#include "gateway/identity/credentials.h"
#include "gateway/identity/issuer_keys.h"
#include "gateway/identity/proved_tokens.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"

namespace bartizan {

class GrantNotes;
class RevocationTable;
class Store;

/// The identity that a credential proves.
struct Proved {
  std::string id;     ///< Of the principal.
  ClaimsPtr claims;   ///< Null for a configured principal.
  std::string proof;  ///< As in `Authenticated`.
  Credential credential{};
  TokenFactsPtr token = {};  ///< As in `Authenticated`.
};

using Verification = std::expected<Proved, AuthenticationFailure>;

/// The verification of one kind of credentials, under one configuration.
///
/// Threads: any; immutable but for members with their own guard.
class Verifier {
 public:
  Verifier() = default;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  virtual ~Verifier() = default;

  virtual CredentialKind kind() const = 0;

  /// Whether the peer shows a credential of this kind. If so, no other verifier is asked, even if
  /// the credential is not valid.
  virtual bool is_shown(const Credentials& credentials) const = 0;

  /// Verifies the credential. The answer is ready unless another party must be asked. It then comes
  /// on that loop, which must be the caller's.
  ///
  /// Input:  credentials for which `is_shown`, whose views live until the answer. `now` is in
  ///         seconds since 1970.
  /// Errors: credentials_invalid, credentials_expired, and issuer_unavailable if the party that
  ///         must be asked does not answer in time.
  virtual Task<Verification> verify(Loop& loop, Credentials credentials,
                                    std::int64_t now) const = 0;

  /// Whether a credential of this kind, which proved that principal before, would still prove it.
  /// Errors: credentials_invalid (removed, or another principal's now), credentials_expired.
  virtual std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                            std::string_view principal,
                                                            std::int64_t now) const = 0;
};

/// Objects that verifiers share with those of other configurations and workers.
struct VerifierParts {
  AcceptedCredentialsPtr accepted = std::make_shared<const AcceptedCredentials>();
  std::shared_ptr<IssuerKeyTable> issuer_keys = std::make_shared<IssuerKeyTable>();
  std::shared_ptr<ProvedTokens> proved_tokens = std::make_shared<ProvedTokens>();
  std::shared_ptr<const RevocationTable> revocations = {};  ///< Null: nothing is revoked.
  /// Grants of front doors that ended while their tokens may be cached; null without `[state]`.
  std::shared_ptr<const GrantNotes> grant_notes = {};
  std::shared_ptr<Store> store = {};  ///< Has the grants of front doors; null without `[state]`.
};

using VerifierPtr = std::unique_ptr<const Verifier>;

}  // namespace bartizan
