#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/endpoint_config.h"
#include "gateway/identity/credentials.h"

namespace bartizan {

/// What is accepted at each endpoint: kinds of credentials, and single ones of a kind. Without any
/// `[endpoint.NAME]` everything is.
///
/// Threads: any; immutable.
class AcceptedCredentials {
 public:
  AcceptedCredentials() = default;
  explicit AcceptedCredentials(const EndpointConfigs& endpoints);

  /// Whether there is such an endpoint. Input: as in `Credentials`.
  bool has(const std::optional<std::string_view>& endpoint) const;
  /// Whether any credential of that kind is accepted there; nothing else is looked at.
  bool accepts(const std::optional<std::string_view>& endpoint, CredentialKind kind) const;
  /// Whether this one is.
  bool accepts(const Credential& credential) const;
  /// Whether an audience is the `resource` of another endpoint, and not of this one: a token for it
  /// is not for here, whatever its issuer's audiences say.
  bool is_elsewhere(const std::optional<std::string_view>& endpoint,
                    std::string_view audience) const;

 private:
  struct Accepted {
    CredentialKind kind;
    std::string name;  ///< Empty: any of that kind.
  };
  /// Null where everything is accepted.
  const std::vector<Accepted>* find(const std::optional<std::string_view>& endpoint) const;

  std::map<std::string, std::vector<Accepted>, std::less<>> endpoints_;
  std::map<std::string, std::string, std::less<>> resources_;  ///< By the endpoint's name.
};
using AcceptedCredentialsPtr = std::shared_ptr<const AcceptedCredentials>;

}  // namespace bartizan
