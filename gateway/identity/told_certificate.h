#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/listen_config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The name of the header by which proxies tell a certificate; empty for none.
std::string_view name_of(ProxyConfig::CertificateHeader header);

/// The certificate, in DER, that a proxy tells of its client in that header. The proxy verified it:
/// here it is only read.
///
/// Input:  a value of the header, not empty.
/// Errors: http_syntax for what is no certificate in that form, or has something around it.
/// Source: RFC 9440 §2.1, §2.2; nginx, ngx_http_ssl_module, `$ssl_client_escaped_cert`.
Result<std::string> read_told_certificate(ProxyConfig::CertificateHeader header,
                                          std::string_view value);

}  // namespace bartizan
