#pragma once

#include <cstdint>
#include <string_view>

#include "policy/url/ip_address.h"

namespace bartizan {

/// What an address is set aside for, and so who can be reached there.
enum class AddressClass : std::uint8_t {
  global,       ///< Of the Internet: the only class that is nobody's own network.
  loopback,     ///< The machine itself.
  private_use,  ///< A network behind a router or a tunnel, site-local and unique-local ones too.
  shared,       ///< Between a provider and its customers.
  link_local,   ///< The cable.
  metadata,     ///< Where clouds hand out credentials to their machines.
  unspecified,  ///< Taken for the machine itself by many systems.
  multicast,
  reserved,    ///< Documentation, benchmarks, protocols, and what nobody was given yet.
  translated,  ///< An IPv6 spelling of a global IPv4 address: where it leads, others decide.
};

/// The class of an address. An IPv6 address that carries an IPv4 address has the class of that one:
/// mapped, compatible, translated, NAT64, 6to4 and ISATAP ones.
///
/// Source: the IANA special-purpose address registries (RFC 6890) with RFC 1918, 1122, 3927, 4193,
///         4291, 4380, 5214, 6052, 6598, 7526, 8215, 9602, 9637; metadata services as their clouds
///         document them.
AddressClass address_class(Ipv4Address address);
AddressClass address_class(const Ipv6Address& address);

/// The stable name: `link_local`.
std::string_view text(AddressClass kind);

}  // namespace bartizan
