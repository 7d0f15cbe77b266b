#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// What came of asking an identity provider.
struct AskedIssuer {
  std::string name;  ///< `issuer NAME` or `front door NAME`.
  std::string url;   ///< Of the issuer, or of the provider's tokens where it is not one.
  Position where;    ///< Of its table.
  bool is_right = false;
  std::string answer;  ///< What it has, or what is wrong, as a sentence without its own words.
};

/// Asks each issuer and each provider of a front door as the gateway would: for its metadata and
/// its keys, and whether it knows the gateway as a client, by a token or code that is none.
///
/// Cost: seconds, one after the other. Errors are answers.
std::vector<AskedIssuer> ask_issuers(const Config& config);

}  // namespace bartizan
