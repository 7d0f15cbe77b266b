#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/front_door_config.h"
#include "gateway/front_door/sign_ins.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/random.h"
#include "gateway/runtime/task.h"

namespace bartizan {

/// Who signed in at the provider.
struct ProviderUser {
  std::string claims;   ///< What of his claims the configuration maps, a JSON object.
  std::string renewal;  ///< What the provider is asked by again: `refresh:TOKEN` or `access:TOKEN`.
};

/// The provider of a front door, as the gateway asks it.
///
/// Errors:  invalid_params where it says that a code or a token of the user is worth nothing, whose
///          sentence has nothing of what was sent; everything that may be over in a moment, or is
///          the gateway's own fault, is server_failed and the codes of the connection.
/// Threads: those of the loop.
/// Lifetime: within those of what it is made of.
class Provider {
 public:
  /// Input: where the provider sends browsers back to, empty for the front door itself.
  Provider(Loop& loop, SignIns& sign_ins, const FrontDoorConfig& door, Random& random,
           std::string redirect_uri = {})
      : loop_(loop),
        sign_ins_(sign_ins),
        door_(door),
        random_(random),
        redirect_uri_(redirect_uri.empty() ? door.issuer + "/callback" : std::move(redirect_uri)) {}

  /// A sign-in that the gateway begins at the provider.
  struct Begin {
    std::string state;
    std::string nonce;
    std::string verifier;  ///< Of PKCE.
  };
  /// Where the browser is sent. Source: OpenID Connect Core 1.0 §3.1.2.1; RFC 7636; RFC 9700
  /// §2.1.1.
  Task<Result<std::string>> authorize_url(Begin begin);
  /// Whether the issuer that an answer names, or does not name, is right. Source: RFC 9207 §2.4.
  Task<Result<bool>> is_answer_of(std::optional<std::string> issuer);

  /// Whom a code stands for. Source: OpenID Connect Core 1.0 §3.1.3.
  Task<Result<ProviderUser>> exchange(std::string code, std::string verifier, std::string nonce);
  /// Who that is now: the provider is asked again.
  /// Input: `renewal` of an earlier answer, and what its claims were.
  /// Source: OpenID Connect Core 1.0 §12.
  Task<Result<ProviderUser>> renew(std::string renewal, std::string claims);

  /// Where the provider sends browsers back to.
  const std::string& redirect_uri() const { return redirect_uri_; }

 private:
  using MetadataPtr = std::shared_ptr<const ProviderMetadata>;
  struct Tokens {
    std::string id_token;
    std::string access_token;
    std::string refresh_token;
  };

  Task<Result<MetadataPtr>> metadata();
  Task<Result<Tokens>> ask_token(std::string form);
  Task<Result<std::string>> verify_id_token(std::string token, std::string nonce);
  Task<Result<std::string>> ask_user(std::string access_token);
  Task<Result<ProviderUser>> read_user(Tokens tokens, std::string nonce, std::string before);

  Loop& loop_;
  SignIns& sign_ins_;
  const FrontDoorConfig& door_;
  Random& random_;
  std::string redirect_uri_;
};

/// Of the claims of an ID token and of what the provider says of a user beside it, those that the
/// configuration maps, `sub` and `iss`: a JSON object. Both are JSON objects, or empty. Nothing
/// where they are about two users. Source: OpenID Connect Core 1.0 §5.3.2.
std::optional<std::string> select_claims(std::string_view id_token, std::string_view user,
                                         const IssuerConfig& provider);

}  // namespace bartizan
