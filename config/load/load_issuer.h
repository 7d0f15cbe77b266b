#pragma once

#include <string>
#include <string_view>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

// What issuers and front doors are described by alike.

/// A URL that is asked over TLS, or on this machine; empty where there is none, or it was reported.
std::string load_url(TableReader& table, std::string_view key);

/// `private_networks = "allow"`.
bool load_private_networks(TableReader& table);

/// `client_id`, and `client_secret` or `client_key` with `key_id`. Reports what is missing.
ProviderClient load_provider_client(TableReader& table);

/// What the claims of a provider stand for, how its tokens are verified, and how it is reached: all
/// keys that a front door's provider has as well. Needs `roles`.
void load_claims(TableReader& table, IssuerConfig& issuer, const Config& config);

}  // namespace bartizan
