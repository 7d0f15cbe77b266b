#pragma once

#include <string>

#include "config/secret_reference.h"

namespace bartizan {

/// The gateway as a client of an authorization server. It authenticates with a secret or with a
/// key, not both.
struct ProviderClient {
  std::string id = {};          ///< `client_id`
  SecretReference secret = {};  ///< Sent by the Basic scheme (RFC 6749 §2.3.1).
  /// A PEM private key (RSA, EC or Ed25519) that signs the client assertion (RFC 7523 §2.2).
  SecretReference key = {};
  std::string key_id = {};  ///< `kid` of the assertion; empty: none.
};

}  // namespace bartizan
