#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// An absolute URI, and its fragment separately.
struct ResolvedUri {
  std::string uri;       ///< Normalised, without fragment.
  std::string fragment;  ///< Percent-decoded.
};

/// Resolves `reference` against the base URI `base`. Nothing if `reference` is not a URI reference,
/// or `base` is not a URI.
///
/// Source: RFC 3986 §5.2.
std::optional<ResolvedUri> resolve_uri(std::string_view base, std::string_view reference);

/// Whether a text is a URI reference, and whether it is a URI. Source: RFC 3986 §4.1, §3.
bool is_uri_reference(std::string_view text);
bool is_uri(std::string_view text);

/// Whether a text is an address in the form of a URI's host, without brackets and zone.
/// Source: RFC 3986 §3.2.2.
bool is_ipv4_address(std::string_view text);
bool is_ipv6_address(std::string_view text);

}  // namespace bartizan
