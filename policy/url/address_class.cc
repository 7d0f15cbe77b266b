#include "policy/url/address_class.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace bartizan {
namespace {

using enum AddressClass;

constexpr unsigned kOctetBits = 8;
constexpr unsigned kGroupBits = 16;
constexpr unsigned kIpv4Bits = 32;

// --- IPv4 ---------------------------------------------------------------------------------------

struct Ipv4Range {
  std::uint32_t front;
  unsigned prefix_bits;
  AddressClass kind;
};

constexpr std::uint32_t ipv4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return ((a << kOctetBits | b) << kOctetBits | c) << kOctetBits | d;
}

/// The first matching range gives the class, so narrow ranges come before wide ones.
constexpr auto kIpv4Ranges = std::to_array<Ipv4Range>({
    // Metadata services of AWS, Azure, Google and most others; of tasks and pods in AWS; of
    // Alibaba, Oracle and Azure.
    {ipv4(169, 254, 169, 254), 32, metadata}, {ipv4(169, 254, 170, 2), 32, metadata},
    {ipv4(169, 254, 170, 23), 32, metadata},  {ipv4(100, 100, 100, 200), 32, metadata},
    {ipv4(192, 0, 0, 192), 32, metadata},     {ipv4(168, 63, 129, 16), 32, metadata},
    {ipv4(0, 0, 0, 0), 8, unspecified},       {ipv4(10, 0, 0, 0), 8, private_use},
    {ipv4(100, 64, 0, 0), 10, shared},        {ipv4(127, 0, 0, 0), 8, loopback},
    {ipv4(169, 254, 0, 0), 16, link_local},   {ipv4(172, 16, 0, 0), 12, private_use},
    {ipv4(192, 0, 0, 0), 24, reserved},    // Protocols.
    {ipv4(192, 0, 2, 0), 24, reserved},    // Documentation.
    {ipv4(192, 88, 99, 0), 24, reserved},  // Relays of 6to4, now obsolete.
    {ipv4(192, 168, 0, 0), 16, private_use},  {ipv4(198, 18, 0, 0), 15, reserved},  // Benchmarks.
    {ipv4(198, 51, 100, 0), 24, reserved},  // Documentation.
    {ipv4(203, 0, 113, 0), 24, reserved},   // Documentation.
    {ipv4(224, 0, 0, 0), 4, multicast},       {ipv4(240, 0, 0, 0), 4, reserved},
});

bool holds(const Ipv4Range& range, Ipv4Address address) {
  return ((range.front ^ address.bits) >> (kIpv4Bits - range.prefix_bits)) == 0;
}

// --- IPv6 ---------------------------------------------------------------------------------------

struct Ipv6Range {
  Ipv6Address front;
  unsigned prefix_bits;
  AddressClass kind;
};

/// The first matching range gives the class. Addresses without a range are unassigned.
constexpr auto kIpv6Ranges = std::to_array<Ipv6Range>({
    {{{0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254}}, 128, metadata},  // AWS.
    {{{0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254}}, 128, metadata},   // Google.
    {{{0, 0, 0, 0, 0, 0, 0, 0}}, 128, unspecified},
    {{{0, 0, 0, 0, 0, 0, 0, 1}}, 128, loopback},
    {{{0x64, 0xff9b, 1}}, 48, private_use},  // NAT64 of a private network.
    {{{0x2001}}, 23, reserved},              // Protocols: Teredo, ORCHID, benchmarks.
    {{{0x2001, 0xdb8}}, 32, reserved},       // Documentation.
    {{{0x3fff}}, 20, reserved},              // Documentation.
    {{{0x2000}}, 3, global},
    {{{0xfc00}}, 7, private_use},
    {{{0xfe80}}, 10, link_local},
    {{{0xfec0}}, 10, private_use},
    {{{0xff00}}, 8, multicast},
});

/// Whether two addresses have the same first bits.
bool has_prefix(const Ipv6Address& address, const Ipv6Address& front, unsigned bits) {
  for (std::size_t i = 0; bits > 0; ++i) {
    const unsigned compared = std::min(bits, kGroupBits);
    const unsigned difference = static_cast<unsigned>(address.groups[i] ^ front.groups[i]);
    if (difference >> (kGroupBits - compared) != 0) return false;
    bits -= compared;
  }
  return true;
}

Ipv4Address ipv4_at(const Ipv6Address& address, std::size_t group) {
  const std::uint32_t high = address.groups[group];
  return {high << kGroupBits | address.groups[group + 1]};
}

/// A form of IPv6 addresses with an embedded IPv4 address.
struct Carrier {
  Ipv6Address front;
  unsigned prefix_bits;
  std::size_t group;  ///< The position of the IPv4 address.
};

constexpr std::size_t kLastGroups = 6;
constexpr auto kCarriers = std::to_array<Carrier>({
    {{{0, 0, 0, 0, 0, 0xffff}}, 96, kLastGroups},     // Mapped.
    {{{0, 0, 0, 0, 0xffff, 0}}, 96, kLastGroups},     // Translated, RFC 2765.
    {{{0, 0, 0, 0, 0, 0}}, 96, kLastGroups},          // Compatible.
    {{{0x64, 0xff9b, 0, 0, 0, 0}}, 96, kLastGroups},  // NAT64.
    {{{0x2002}}, 16, 1},                              // 6to4.
});

/// The interface id of ISATAP is `0:5efe` or `200:5efe` and the address, in any network.
bool is_isatap(const Ipv6Address& address) {
  constexpr unsigned kInterface = 0x5efe;
  constexpr unsigned kUniversal = 0x200;
  constexpr std::size_t kFlags = 4;
  const unsigned flags = address.groups[kFlags];
  return (flags & ~kUniversal) == 0 && address.groups[kFlags + 1] == kInterface;
}

std::optional<Ipv4Address> carried(const Ipv6Address& address) {
  for (const Carrier& form : kCarriers) {
    if (has_prefix(address, form.front, form.prefix_bits)) return ipv4_at(address, form.group);
  }
  if (is_isatap(address)) return ipv4_at(address, kLastGroups);
  return std::nullopt;
}

AddressClass class_by_range(const Ipv6Address& address) {
  for (const Ipv6Range& range : kIpv6Ranges) {
    if (has_prefix(address, range.front, range.prefix_bits)) return range.kind;
  }
  return reserved;
}

}  // namespace

AddressClass address_class(Ipv4Address address) {
  for (const Ipv4Range& range : kIpv4Ranges) {
    if (holds(range, address)) return range.kind;
  }
  return global;
}

AddressClass address_class(const Ipv6Address& address) {
  const AddressClass kind = class_by_range(address);
  if (kind == unspecified || kind == loopback || kind == link_local) return kind;
  const auto inner = carried(address);
  if (!inner) return kind;
  const AddressClass inner_kind = address_class(*inner);
  return inner_kind == global ? translated : inner_kind;
}

std::string_view text(AddressClass kind) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"global", "loopback", "private_use", "shared", "link_local", "metadata", "unspecified",
       "multicast", "reserved", "translated"});
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace bartizan
