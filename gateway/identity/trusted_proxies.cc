#include "gateway/identity/trusted_proxies.h"

#include <algorithm>
#include <optional>
#include <ranges>

namespace bartizan {
namespace {

constexpr std::string_view kForwardedFor = "X-Forwarded-For";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// `[ADDRESS]` or `[ADDRESS]:PORT`.
std::string_view in_brackets(std::string_view entry) {
  const std::size_t end = entry.find(']');
  if (end == std::string_view::npos) return {};
  const std::string_view behind = entry.substr(end + 1);
  const bool is_whole = behind.empty() || (behind.front() == ':' && is_port(behind.substr(1)));
  return is_whole ? entry.substr(1, end - 1) : std::string_view();
}

/// The address of an entry; empty if it has none.
std::string_view address_in(std::string_view entry) {
  if (entry.starts_with('[')) {
    const std::string_view address = in_brackets(entry);
    return address.contains(':') ? address : std::string_view();
  }
  const std::size_t colon = entry.find(':');
  // Two colons mean IPv6, which has a port only after brackets.
  if (colon == std::string_view::npos || entry.rfind(':') != colon) return entry;
  return is_port(entry.substr(colon + 1)) ? entry.substr(0, colon) : std::string_view();
}

/// One spelling for each address: an IPv4 address that is mapped into IPv6 is written as IPv4.
std::string spelled(const Ipv6Address& address) {
  constexpr std::size_t kMapped = 6;
  constexpr Ipv6Address kPrefix{{0, 0, 0, 0, 0, 0xffff, 0, 0}};
  const bool is_mapped =
      std::equal(address.groups.begin(), address.groups.begin() + kMapped, kPrefix.groups.begin());
  if (!is_mapped) return text(address);
  const auto high = static_cast<std::uint32_t>(address.groups[6]);
  return text(Ipv4Address{high << 16 | address.groups[7]});
}

}  // namespace

TrustedProxies::TrustedProxies(std::span<const std::string> networks) {
  for (const std::string& network : networks) {
    if (const auto range = AddressRange::parse(network)) networks_.push_back(*range);
  }
}

bool TrustedProxies::hold(std::string_view address) const {
  const auto read = read_address(address);
  return read.has_value() && std::ranges::any_of(networks_, [&read](const AddressRange& network) {
           return network.holds(*read);
         });
}

std::string TrustedProxies::find_client(std::string_view peer,
                                        std::span<const HeaderField> fields) const {
  std::string client(peer);
  if (!hold(peer)) return client;
  for (const HeaderField& field : fields | std::views::reverse) {
    if (!equal_ignoring_case(field.name, kForwardedFor)) continue;
    std::string_view left = field.value;
    while (!left.empty()) {
      const std::size_t comma = left.rfind(',');
      const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
      const std::string_view entry = without_blanks(left.substr(begin));
      left = left.substr(0, begin == 0 ? 0 : comma);
      // An empty entry of a list is ignored. Source: RFC 9110 §5.6.1.
      if (entry.empty()) continue;
      const auto address = read_address(address_in(entry));
      if (!address.has_value()) return client;
      client = spelled(*address);
      if (!hold(client)) return client;
    }
  }
  return client;
}

}  // namespace bartizan
