#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/listen_config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The name of the header in which proxies send a client's certificate; empty for none.
std::string_view name_of(ProxyConfig::CertificateHeader header);

/// The certificate, in DER, that a proxy sends for its client in that header. The proxy has
/// verified it; here it is only parsed.
///
/// Input:  a value of the header, not empty.
/// Errors: http_syntax if it is not a certificate in that form, or has other text around it.
/// Source: RFC 9440 §2.1, §2.2; nginx, ngx_http_ssl_module, `$ssl_client_escaped_cert`.
Result<std::string> read_told_certificate(ProxyConfig::CertificateHeader header,
                                          std::string_view value);

}  // namespace bartizan
