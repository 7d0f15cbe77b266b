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

/// Whom a credential names.
struct Proved {
  std::string id;     ///< Of the principal.
  ClaimsPtr claims;   ///< Null where the configuration says who that is.
  std::string proof;  ///< As in `Authenticated`.
  Credential credential{};
  TokenFactsPtr token = {};  ///< As in `Authenticated`.
};

using Verification = std::expected<Proved, AuthenticationFailure>;

/// One way of proving who calls, as one configuration allows it.
///
/// Threads: any; immutable but for what guards itself.
class Verifier {
 public:
  Verifier() = default;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  virtual ~Verifier() = default;

  virtual CredentialKind kind() const = 0;

  /// Whether the peer shows what this looks at. If so, no other one is asked, whatever it is worth.
  virtual bool is_shown(const Credentials& credentials) const = 0;

  /// Whom it proves. Ready at once where nobody else has to be asked; otherwise the answer comes on
  /// that loop, which the caller is on.
  ///
  /// Input:  credentials for which `is_shown`; what they view lives until the answer. `now` is in
  ///         seconds since 1970.
  /// Errors: credentials_invalid, credentials_expired, and issuer_unavailable where whoever has to
  ///         be asked does not answer in time.
  virtual Task<Verification> verify(Loop& loop, Credentials credentials,
                                    std::int64_t now) const = 0;

  /// Whether a credential of this kind, which proved that principal before, would still do so.
  /// Errors: credentials_invalid (gone, or somebody else's now), credentials_expired.
  virtual std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                            std::string_view principal,
                                                            std::int64_t now) const = 0;
};

/// What verifiers share with those of other configurations and workers.
struct VerifierParts {
  AcceptedCredentialsPtr accepted = std::make_shared<const AcceptedCredentials>();
  std::shared_ptr<IssuerKeyTable> issuer_keys = std::make_shared<IssuerKeyTable>();
  std::shared_ptr<ProvedTokens> proved_tokens = std::make_shared<ProvedTokens>();
  std::shared_ptr<const RevocationTable> revocations = {};  ///< Null: nothing is revoked.
  /// Grants of front doors that ended while tokens of them may be remembered; null without
  /// `[state]`.
  std::shared_ptr<const GrantNotes> grant_notes = {};
  std::shared_ptr<Store> store = {};  ///< With the grants of front doors; null without `[state]`.
};

using VerifierPtr = std::unique_ptr<const Verifier>;

}  // namespace bartizan
