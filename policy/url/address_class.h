#pragma once

#include <cstdint>
#include <string_view>

#include "policy/url/ip_address.h"

namespace bartizan {

/// The purpose of an address block, and so who is reachable there.
enum class AddressClass : std::uint8_t {
  global,       ///< The Internet: the only class that is nobody's own network.
  loopback,     ///< The machine itself.
  private_use,  ///< A network behind a router or tunnel; also site-local and unique-local.
  shared,       ///< Between a provider and its customers.
  link_local,   ///< The local link.
  metadata,     ///< The credential services of clouds.
  unspecified,  ///< Many systems treat it as the machine itself.
  multicast,
  reserved,    ///< Documentation, benchmarks, protocols, and unassigned addresses.
  translated,  ///< An IPv6 form of a global IPv4 address. A translator decides where it leads.
};

/// The class of an address. An IPv6 address with an embedded IPv4 address has the class of that
/// one: mapped, compatible, translated, NAT64, 6to4 and ISATAP addresses.
///
/// Source: the IANA special-purpose address registries (RFC 6890) with RFC 1918, 1122, 3927, 4193,
///         4291, 4380, 5214, 6052, 6598, 7526, 8215, 9602, 9637; metadata services as their clouds
///         document them.
AddressClass address_class(Ipv4Address address);
AddressClass address_class(const Ipv6Address& address);

/// The stable name: `link_local`.
std::string_view text(AddressClass kind);

}  // namespace bartizan
