#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/url/url_host.h"

namespace bartizan {

/// The parts of a URL, each in its canonical spelling.
struct Url {
  std::string scheme = {};  ///< Lower case, without the colon.
  std::string username = {};
  std::string password = {};
  UrlHost host = {};
  std::optional<std::uint16_t> port = {};  ///< Absent if it is the default of the scheme.
  /// Begins with a slash or is empty. An opaque path does not: `ann` in `mailto:ann`.
  std::string path = {};
  bool has_opaque_path = false;
  std::optional<std::string> query = {};     ///< Without its mark.
  std::optional<std::string> fragment = {};  ///< Without its mark.

  bool operator==(const Url&) const = default;
};

/// Parses a URL as browsers and most libraries do. They correct a lot: blanks around it, line feeds
/// within, backslashes for slashes, missing and repeated slashes, and hosts in many spellings.
/// Nothing if the text is not a URL. Other parsers may read the same text differently, so
/// `check_url.h` compares the parts with the text.
///
/// Errors: nothing, too, for invalid UTF-8, for text of more than `limits::url_bytes_max` bytes,
///         and for a host of more than `limits::url_host_bytes_max`.
/// Cost:   one pass over the text and one over the path; see `read_host` for names.
/// Source: WHATWG URL §4.4, "basic URL parser".
std::optional<Url> read_url(std::string_view text);

/// Parses a URL relative to the page `base`, as for the `Location` of a response.
std::optional<Url> read_url(std::string_view text, const Url& base);

/// The default port of a scheme. Source: WHATWG URL §4.2, "special scheme".
std::optional<std::uint16_t> default_port(std::string_view scheme);

/// The whole URL. Parsing it gives the same URL. Source: WHATWG URL §4.5, "URL serializer".
std::string text(const Url& url);

}  // namespace bartizan
