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
  std::array<std::uint16_t, kGroups> groups{};  ///< From the left, each of sixteen bits.
  bool operator==(const Ipv6Address&) const = default;
};

/// Whether a host is an IPv4 address or nothing: its last label, but for a dot at the end, is a
/// number. Source: WHATWG URL §3.5, "ends in a number checker".
bool ends_in_number(std::string_view host);

/// An IPv4 address in every spelling that URLs have for it: one to four numbers, each decimal,
/// octal or hexadecimal, the last of which fills what is left, and a dot at the end.
/// Source: WHATWG URL §3.5, "IPv4 parser".
std::optional<Ipv4Address> read_ipv4(std::string_view text);

/// Without brackets and zone. Source: WHATWG URL §3.5, "IPv6 parser"; RFC 4291 §2.2.
std::optional<Ipv6Address> read_ipv6(std::string_view text);

/// The one spelling of an address: four decimal numbers; lower case, the longest run of zeros left
/// out, no brackets. Source: WHATWG URL §3.6; RFC 5952 §4.
std::string text(Ipv4Address address);
std::string text(const Ipv6Address& address);

}  // namespace bartizan
