#pragma once

#include <string>
#include <string_view>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

// Keys that issuers and front doors share.

/// A URL with TLS or on this machine. Empty if the key is absent or was reported.
std::string load_url(TableReader& table, std::string_view key);

/// `private_networks = "allow"`.
bool load_private_networks(TableReader& table);

/// `client_id`, and `client_secret` or `client_key` with `key_id`. Reports missing keys.
ProviderClient load_provider_client(TableReader& table);

/// The keys that an issuer shares with a front door's provider: the meaning of claims, the
/// verification of tokens, and the connection. Needs `roles`.
void load_claims(TableReader& table, IssuerConfig& issuer, const Config& config);

}  // namespace bartizan
