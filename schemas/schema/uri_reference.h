#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// An absolute URI and the fragment that was behind it.
struct ResolvedUri {
  std::string uri;       ///< Normalised, without fragment.
  std::string fragment;  ///< Percent-decoded.
};

/// What `reference` means where `base` is the base URI; nothing when it is no URI reference, or
/// `base` no URI.
///
/// Source: RFC 3986 §5.2.
std::optional<ResolvedUri> resolve_uri(std::string_view base, std::string_view reference);

/// Whether a text is a URI reference, and whether it is a URI. Source: RFC 3986 §4.1, §3.
bool is_uri_reference(std::string_view text);
bool is_uri(std::string_view text);

/// Whether a text is an address as a URI's host may spell it, without brackets and zone.
/// Source: RFC 3986 §3.2.2.
bool is_ipv4_address(std::string_view text);
bool is_ipv6_address(std::string_view text);

}  // namespace bartizan
