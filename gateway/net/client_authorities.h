#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <string>

#include "config/host_port.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Has a TLS server ask clients for a certificate of the authorities in `client_ca`. The handshake
/// fails with a certificate of another authority, and with one that has expired, is revoked, or is
/// not for clients. A client without one is let in: which requests need one is not TLS's to say.
///
/// With `client_crl` the authority that signed a certificate must have a list there, and the list
/// be in force. Lists of the authorities above it count where they are there.
///
/// Sessions are never resumed: a resumed one verifies no certificate, so what was revoked meanwhile
/// would be let in.
/// Input:  a configuration with `client_ca`. Errors: config_invalid with the file and the cause.
/// Source: RFC 5280 §6.1, §6.3; RFC 8446 §4.3.2, §4.6.1.
Result<void> accept_client_certificates(SSL_CTX* context, const TlsConfig& config);

/// A sentence about a list in `client_crl` that is over at `now`, seconds since 1970: with it all
/// certificates of its authority are refused. Empty where all are in force, or cannot be read.
std::string find_list_that_is_over(const TlsConfig& config, std::int64_t now);

}  // namespace bartizan
