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

/// The accepted credentials of each endpoint: kinds, and single credentials of a kind. Without any
/// `[endpoint.NAME]`, all are accepted.
///
/// Threads: any; immutable.
class AcceptedCredentials {
 public:
  AcceptedCredentials() = default;
  explicit AcceptedCredentials(const EndpointConfigs& endpoints);

  /// Whether the endpoint exists. Input: as in `Credentials`.
  bool has(const std::optional<std::string_view>& endpoint) const;
  /// Whether some credential of that kind is accepted there. Other kinds are not even examined.
  bool accepts(const std::optional<std::string_view>& endpoint, CredentialKind kind) const;
  /// Whether this credential is accepted.
  bool accepts(const Credential& credential) const;
  /// Whether an audience is the `resource` of another endpoint, and not of this one. A token for it
  /// is not for this endpoint, whatever audiences its issuer has.
  bool is_elsewhere(const std::optional<std::string_view>& endpoint,
                    std::string_view audience) const;

 private:
  struct Accepted {
    CredentialKind kind;
    std::string name;  ///< Empty: any of that kind.
  };
  /// Null if everything is accepted.
  const std::vector<Accepted>* find(const std::optional<std::string_view>& endpoint) const;

  std::map<std::string, std::vector<Accepted>, std::less<>> endpoints_;
  std::map<std::string, std::string, std::less<>> resources_;  ///< By the endpoint's name.
};
using AcceptedCredentialsPtr = std::shared_ptr<const AcceptedCredentials>;

}  // namespace bartizan
