#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The result of querying an identity provider.
struct AskedIssuer {
  std::string name;  ///< `issuer NAME` or `front door NAME`.
  std::string url;   ///< Of the issuer; of a provider without OpenID Connect, its token endpoint.
  Position where;    ///< Of its table.
  bool is_right = false;
  /// What it has, or what is wrong: a sentence without the provider's own words.
  std::string answer;
};

/// Queries each issuer and each provider of a front door as the gateway would: for its metadata and
/// keys. A false token or code shows whether it knows the gateway as a client.
///
/// Cost: seconds, one after the other. Errors are results.
std::vector<AskedIssuer> ask_issuers(const Config& config);

}  // namespace bartizan
