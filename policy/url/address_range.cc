#include "policy/url/address_range.h"

#include <algorithm>
#include <charconv>

namespace bartizan {
namespace {

constexpr unsigned kGroupBits = 16;
constexpr unsigned kAddressBits = 128;
constexpr unsigned kMappedBits = 96;

/// The bits of a group that belong to a prefix of that length.
std::uint16_t group_mask(unsigned bits, unsigned group) {
  const unsigned before = group * kGroupBits;
  const unsigned kept = bits <= before ? 0U : std::min(bits - before, kGroupBits);
  return static_cast<std::uint16_t>(0xffffU << (kGroupBits - kept));
}

bool begins_alike(const Ipv6Address& one, const Ipv6Address& other, unsigned bits) {
  for (unsigned group = 0; group < Ipv6Address::kGroups; ++group) {
    const unsigned differing = one.groups.at(group) ^ other.groups.at(group);
    if ((differing & group_mask(bits, group)) != 0) return false;
  }
  return true;
}

Ipv6Address cut(const Ipv6Address& address, unsigned bits) {
  Ipv6Address head;
  for (unsigned group = 0; group < Ipv6Address::kGroups; ++group)
    head.groups.at(group) =
        static_cast<std::uint16_t>(address.groups.at(group) & group_mask(bits, group));
  return head;
}

std::optional<unsigned> read_bits(std::string_view text, unsigned most) {
  unsigned bits = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, bits);
  const bool is_whole = read.ec == std::errc() && read.ptr == end && !text.empty();
  if (!is_whole || bits > most || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return bits;
}

}  // namespace

std::optional<Ipv6Address> read_address(std::string_view text) {
  if (const auto ipv6 = read_ipv6(text)) return ipv6;
  const auto ipv4 = read_ipv4(text);
  // Only the canonical spelling of those in URLs.
  if (!ipv4.has_value() || bartizan::text(*ipv4) != text) return std::nullopt;
  Ipv6Address mapped;
  mapped.groups[5] = 0xffff;
  mapped.groups[6] = static_cast<std::uint16_t>(ipv4->bits >> kGroupBits);
  mapped.groups[7] = static_cast<std::uint16_t>(ipv4->bits);
  return mapped;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view address = text.substr(0, slash);
  const auto first = read_address(address);
  if (!first.has_value()) return std::nullopt;
  const unsigned fixed = address.contains(':') ? 0 : kMappedBits;
  AddressRange range;
  range.first_ = *first;
  range.bits_ = kAddressBits;
  if (slash == text.size()) return range;
  const auto bits = read_bits(text.substr(slash + 1), kAddressBits - fixed);
  if (!bits.has_value()) return std::nullopt;
  range.bits_ = fixed + *bits;
  if (cut(*first, range.bits_) != *first) return std::nullopt;
  return range;
}

bool AddressRange::holds(const Ipv6Address& address) const {
  // An IPv6 range wider than all of IPv4 contains no IPv4 addresses.
  constexpr Ipv6Address kMapped{{0, 0, 0, 0, 0, 0xffff, 0, 0}};
  if (bits_ < kMappedBits && begins_alike(address, kMapped, kMappedBits)) return false;
  return begins_alike(address, first_, bits_);
}

}  // namespace bartizan
