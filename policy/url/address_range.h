#pragma once

#include <optional>
#include <string_view>

#include "policy/url/ip_address.h"

namespace bartizan {

/// An address as the kernel writes it: four decimal numbers, or IPv6. IPv4 addresses are given the
/// place that IPv6 has for them, so that one that was mapped is itself.
/// Source: RFC 4291 §2.5.5.2.
std::optional<Ipv6Address> read_address(std::string_view text);

/// The addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or a single one.
/// Source: RFC 4632 §3.1; RFC 4291 §2.3.
class AddressRange {
 public:
  /// Nothing for what is no such range, and for one that has bits behind its prefix: `10.1.0.0/8`
  /// means something else than it says.
  static std::optional<AddressRange> parse(std::string_view text);

  bool holds(const Ipv6Address& address) const;

 private:
  Ipv6Address first_;
  unsigned bits_ = 0;  ///< How many of the 128 are the same.
};

}  // namespace bartizan
