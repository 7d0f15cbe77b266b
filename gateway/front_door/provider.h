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

/// A user who signed in at the provider.
struct ProviderUser {
  std::string claims;   ///< The claims that the configuration maps, a JSON object.
  std::string renewal;  ///< Used to ask the provider again: `refresh:TOKEN` or `access:TOKEN`.
};

/// The client of a front door's provider.
///
/// Errors:  invalid_params if the provider rejects a code or a token of the user, with a sentence
/// that contains nothing of what was sent. Temporary failures and faults of the gateway are
/// server_failed and the codes of the connection.
/// Threads: those of the loop.
/// Lifetime: within those of its arguments.
class Provider {
 public:
  /// Input: the URI to which the provider redirects browsers; empty for the front door's own.
  Provider(Loop& loop, SignIns& sign_ins, const FrontDoorConfig& door, Random& random,
           std::string redirect_uri = {})
      : loop_(loop),
        sign_ins_(sign_ins),
        door_(door),
        random_(random),
        redirect_uri_(redirect_uri.empty() ? door.issuer + "/callback" : std::move(redirect_uri)) {}

  /// The secrets of a sign-in that the gateway begins at the provider.
  struct Begin {
    std::string state;
    std::string nonce;
    std::string verifier;  ///< Of PKCE.
  };
  /// The URL to which the browser is sent. Source: OpenID Connect Core 1.0 §3.1.2.1; RFC 7636; RFC
  /// 9700 §2.1.1.
  Task<Result<std::string>> authorize_url(Begin begin);
  /// Whether the issuer that a response names, or leaves out, is right. Source: RFC 9207 §2.4.
  Task<Result<bool>> is_answer_of(std::optional<std::string> issuer);

  /// Exchanges a code for its user. Source: OpenID Connect Core 1.0 §3.1.3.
  Task<Result<ProviderUser>> exchange(std::string code, std::string verifier, std::string nonce);
  /// Asks the provider again for the user's current claims.
  /// Input: `renewal` and `claims` of an earlier result.
  /// Source: OpenID Connect Core 1.0 §12.
  Task<Result<ProviderUser>> renew(std::string renewal, std::string claims);

  /// The URI to which the provider redirects browsers.
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

/// Merges the claims of an ID token and of the userinfo response: those that the configuration
/// maps, with `sub` and `iss`, as a JSON object. Input: both are JSON objects, or empty. Nothing if
/// they describe two users. Source: OpenID Connect Core 1.0 §5.3.2.
std::optional<std::string> select_claims(std::string_view id_token, std::string_view user,
                                         const IssuerConfig& provider);

}  // namespace bartizan
