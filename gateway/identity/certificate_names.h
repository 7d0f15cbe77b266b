#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// The used parts of a certificate.
struct CertificateFacts {
  /// Alternative names with their types: `dns:` in lower case, `uri:`, `email:`. Names with control
  /// characters are left out.
  std::vector<std::string> names;
  std::int64_t expires = 0;  ///< `notAfter`, seconds since 1970.
};

/// Whether one of the names equals `name`, spelled as in the configuration. DNS names are compared
/// in any letter case, all others byte for byte. Source: RFC 9525 §6.3; RFC 5280 §7.5; SPIFFE ID
/// §2.
bool has_name(const CertificateFacts& facts, std::string_view name);

/// The statements of a certificate about its owner. None of them is verified.
///
/// Input:  a certificate in DER. Nothing if it is not one, or has bytes after its end.
/// Source: RFC 5280 §4.2.1.6.
std::optional<CertificateFacts> read_certificate(std::string_view der);

}  // namespace bartizan
