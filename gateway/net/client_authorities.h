#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <string>

#include "config/host_port.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Makes a TLS server request client certificates of the authorities in `client_ca`. The handshake
/// fails for a certificate of another authority, and for one that has expired, is revoked, or is
/// not for clients. A client without a certificate is accepted; other code decides which requests
/// need one.
///
/// With `client_crl` the authority that signed a certificate must have a list there, and the list
/// must be in force. Lists of higher authorities are used if they are there.
///
/// Sessions are never resumed. A resumed session verifies no certificate, so a revoked one would be
/// accepted.
///
/// Input:  a configuration with `client_ca`.
/// Errors: config_invalid with the file and the cause.
/// Source: RFC 5280 §6.1, §6.3; RFC 8446 §4.3.2, §4.6.1.
Result<void> accept_client_certificates(SSL_CTX* context, const TlsConfig& config);

/// Returns a sentence about a list in `client_crl` that has expired at `now`, in seconds since
/// 1970. Then all certificates of its authority are refused. Empty if all lists are in force, or
/// cannot be read.
std::string find_list_that_is_over(const TlsConfig& config, std::int64_t now);

}  // namespace bartizan
