#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/identity/credentials.h"
#include "gateway/runtime/task.h"

namespace bartizan {

/// Whom a credential names.
struct Proved {
  std::string id;     ///< Of the principal.
  ClaimsPtr claims;   ///< Null where the configuration says who that is.
  std::string proof;  ///< As in `Authenticated`.
  Credential credential{};
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

  /// Whom it proves. Ready at once where nobody else has to be asked.
  ///
  /// Input:  credentials for which `is_shown`; what they view lives until the answer. `now` is in
  ///         seconds since 1970.
  /// Errors: credentials_invalid, credentials_expired, and `overloaded` where whoever has to be
  ///         asked does not answer in time.
  virtual Task<Verification> verify(Credentials credentials, std::int64_t now) const = 0;

  /// Whether a credential of this kind, which proved that principal before, would still do so.
  /// Errors: credentials_invalid (gone, or somebody else's now), credentials_expired.
  virtual std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                            std::string_view principal,
                                                            std::int64_t now) const = 0;
};

using VerifierPtr = std::unique_ptr<const Verifier>;

}  // namespace bartizan
