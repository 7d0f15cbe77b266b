#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// What the gateway reads of a certificate.
struct CertificateFacts {
  /// Alternative names with their types: `dns:` in lower case, `uri:`, `email:`. Names with control
  /// characters are none.
  std::vector<std::string> names;
  std::int64_t expires = 0;  ///< `notAfter`, seconds since 1970.
};

/// Whether one of the names is that, as the configuration has it. Names of DNS are compared in any
/// letter case, all others byte for byte. Source: RFC 9525 §6.3; RFC 5280 §7.5; SPIFFE ID §2.
bool has_name(const CertificateFacts& facts, std::string_view name);

/// What a certificate says of its owner. Nothing of it is verified.
///
/// Input:  a certificate in DER. Nothing where it is none, or has bytes after its end.
/// Source: RFC 5280 §4.2.1.6.
std::optional<CertificateFacts> read_certificate(std::string_view der);

}  // namespace bartizan
