#include "policy/url/ip_address.h"

#include <algorithm>
#include <limits>

#include "policy/text/percent.h"
#include "schemas/base/ascii.h"
#include "schemas/schema/uri_reference.h"

namespace bartizan {
namespace {

constexpr unsigned kOctetBits = 8;
constexpr unsigned kGroupBits = 16;
constexpr std::size_t kOctets = 4;

// --- IPv4 ---------------------------------------------------------------------------------------

struct Digits {
  std::string_view text;
  unsigned base;
};

Digits digits_of(std::string_view number) {
  constexpr unsigned kDecimal = 10;
  constexpr unsigned kHexadecimal = 16;
  constexpr unsigned kOctal = 8;
  const bool has_prefix = number.size() > 1 && number.front() == '0';
  if (!has_prefix) return {number, kDecimal};
  if (lower_case(number[1]) == 'x') return {number.substr(2), kHexadecimal};
  return {number.substr(1), kOctal};
}

/// A number of an address; `0x` is one. All numbers beyond 32 bits are equal.
std::optional<std::uint64_t> read_number(std::string_view text) {
  constexpr std::uint64_t kBeyond = std::uint64_t{1} << 32;
  if (text.empty()) return std::nullopt;
  const Digits digits = digits_of(text);
  std::uint64_t number = 0;
  for (const char c : digits.text) {
    const auto digit = hex_digit(c);
    if (!digit || *digit >= digits.base) return std::nullopt;
    number = std::min(number * digits.base + *digit, kBeyond);
  }
  return number;
}

std::string_view without_last_dot(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

// --- IPv6 ---------------------------------------------------------------------------------------

/// The groups on one side of the gap.
struct Groups {
  std::array<std::uint16_t, Ipv6Address::kGroups> values{};
  std::size_t count = 0;
};

std::optional<std::uint16_t> read_group(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  constexpr unsigned kHexadecimal = 16;
  if (text.empty() || text.size() > kDigits) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    value = value * kHexadecimal + *digit;
  }
  return static_cast<std::uint16_t>(value);
}

/// Groups separated by colons. The last two may be an IPv4 address.
std::optional<Groups> read_groups(std::string_view text) {
  Groups groups;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    const bool is_ipv4 = is_last && is_ipv4_address(part);
    if (groups.count + (is_ipv4 ? 2 : 1) > Ipv6Address::kGroups) return std::nullopt;
    if (is_ipv4) {
      const std::uint32_t bits = read_ipv4(part)->bits;
      groups.values[groups.count++] = static_cast<std::uint16_t>(bits >> kGroupBits);
      groups.values[groups.count++] = static_cast<std::uint16_t>(bits);
      return groups;
    }
    const auto value = read_group(part);
    if (!value) return std::nullopt;
    groups.values[groups.count++] = *value;
    if (is_last) return groups;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return groups;
}

struct Run {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The first of the longest runs of two or more groups of zeros.
Run longest_zeros(const Ipv6Address& address) {
  Run longest{.begin = Ipv6Address::kGroups, .size = 1};
  Run run;
  for (std::size_t i = 0; i < Ipv6Address::kGroups; ++i) {
    run = address.groups[i] == 0 ? Run{run.begin, run.size + 1} : Run{i + 1, 0};
    if (run.size > longest.size) longest = run;
  }
  return longest.size > 1 ? longest : Run{.begin = Ipv6Address::kGroups};
}

void append_group(std::string& out, unsigned value) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  constexpr unsigned kDigitBits = 4;
  bool is_leading = true;
  for (unsigned shift = kGroupBits; shift > 0;) {
    shift -= kDigitBits;
    const unsigned digit = value >> shift & 15U;
    is_leading = is_leading && digit == 0 && shift > 0;
    if (!is_leading) out += kHexDigits[digit];
  }
}

}  // namespace

bool ends_in_number(std::string_view host) {
  host = without_last_dot(host);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty()) return false;
  return std::ranges::all_of(last, is_digit) || read_number(last).has_value();
}

std::optional<Ipv4Address> read_ipv4(std::string_view text) {
  text = without_last_dot(text);
  std::uint64_t bits = 0;
  for (std::size_t left = kOctets; left > 0; --left) {
    const std::size_t dot = text.find('.');
    const auto number = read_number(text.substr(0, dot));
    if (!number) return std::nullopt;
    const bool is_last = dot == std::string_view::npos;
    const std::size_t octets = is_last ? left : 1;
    if (*number >> (octets * kOctetBits) != 0) return std::nullopt;
    bits = bits << (octets * kOctetBits) | *number;
    if (is_last) return Ipv4Address{static_cast<std::uint32_t>(bits)};
    text.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

std::optional<Ipv6Address> read_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const auto front = read_groups(text.substr(0, gap));
  if (!front) return std::nullopt;
  Ipv6Address address{front->values};
  if (gap == std::string_view::npos) {
    return front->count == Ipv6Address::kGroups ? std::optional(address) : std::nullopt;
  }
  // An IPv4 address can only be at the end.
  const auto back = read_groups(text.substr(gap + 2));
  if (!back || text.substr(0, gap).contains('.')) return std::nullopt;
  if (front->count + back->count >= Ipv6Address::kGroups) return std::nullopt;
  std::copy_n(back->values.begin(), back->count,
              address.groups.end() - static_cast<std::ptrdiff_t>(back->count));
  return address;
}

std::string text(Ipv4Address address) {
  constexpr unsigned kOctet = 0xff;
  std::string out;
  for (unsigned left = kOctets; left > 0; --left) {
    out += std::to_string(address.bits >> ((left - 1) * kOctetBits) & kOctet);
    if (left > 1) out += '.';
  }
  return out;
}

std::string text(const Ipv6Address& address) {
  const Run zeros = longest_zeros(address);
  std::string out;
  for (std::size_t i = 0; i < Ipv6Address::kGroups; ++i) {
    if (i == zeros.begin) {
      out += i == 0 ? "::" : ":";
      i += zeros.size - 1;
      continue;
    }
    append_group(out, address.groups[i]);
    if (i + 1 < Ipv6Address::kGroups) out += ':';
  }
  return out;
}

}  // namespace bartizan
