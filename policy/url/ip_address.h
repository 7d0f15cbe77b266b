#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

struct Ipv4Address {
  std::uint32_t bits = 0;  ///< `127.0.0.1` is 0x7f000001.
  bool operator==(const Ipv4Address&) const = default;
};

struct Ipv6Address {
  static constexpr std::size_t kGroups = 8;
  std::array<std::uint16_t, kGroups> groups{};  ///< From the left, 16 bits each.
  bool operator==(const Ipv6Address&) const = default;
};

/// Whether a host must be an IPv4 address: its last label, without a dot at the end, is a number.
/// Source: WHATWG URL §3.5, "ends in a number checker".
bool ends_in_number(std::string_view host);

/// Parses an IPv4 address in every spelling of URLs: one to four numbers, each decimal, octal or
/// hexadecimal. The last one fills the rest. A dot at the end is allowed.
/// Source: WHATWG URL §3.5, "IPv4 parser".
std::optional<Ipv4Address> read_ipv4(std::string_view text);

/// Parses an IPv6 address without brackets and zone.
/// Source: WHATWG URL §3.5, "IPv6 parser"; RFC 4291 §2.2.
std::optional<Ipv6Address> read_ipv6(std::string_view text);

/// The canonical spelling of an address: four decimal numbers; or lower case, without the longest
/// run of zeros, without brackets.
/// Source: WHATWG URL §3.6; RFC 5952 §4.
std::string text(Ipv4Address address);
std::string text(const Ipv6Address& address);

}  // namespace bartizan
