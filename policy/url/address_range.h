#pragma once

#include <optional>
#include <string_view>

#include "policy/url/ip_address.h"

namespace bartizan {

/// Parses an address in the kernel's spelling: four decimal numbers, or IPv6. An IPv4 address
/// becomes its mapped IPv6 address, so both forms are equal.
/// Source: RFC 4291 §2.5.5.2.
std::optional<Ipv6Address> read_address(std::string_view text);

/// The addresses with the same first bits: `10.0.0.0/8`, `2001:db8::/32`, or a single one. An IPv6
/// range wider than all of IPv4 contains no IPv4 addresses.
/// Source: RFC 4632 §3.1; RFC 4291 §2.3.
class AddressRange {
 public:
  /// Nothing if the text is not a range, or has bits after its prefix: `10.1.0.0/8` is misleading.
  static std::optional<AddressRange> parse(std::string_view text);

  bool holds(const Ipv6Address& address) const;

 private:
  Ipv6Address first_;
  unsigned bits_ = 0;  ///< The number of equal bits, of 128.
};

}  // namespace bartizan
