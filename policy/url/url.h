#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/url/url_host.h"

namespace bartizan {

/// A URL in its parts, each in the one spelling that it has.
struct Url {
  std::string scheme = {};  ///< Lower case, without the colon.
  std::string username = {};
  std::string password = {};
  UrlHost host = {};
  std::optional<std::uint16_t> port = {};  ///< Absent where it is the scheme's own.
  /// Begins with a slash or is empty, but for an opaque one: `ann` in `mailto:ann`.
  std::string path = {};
  bool has_opaque_path = false;
  std::optional<std::string> query = {};     ///< Without its mark.
  std::optional<std::string> fragment = {};  ///< Without its mark.

  bool operator==(const Url&) const = default;
};

/// A URL as browsers and most libraries read it, who mend a good deal: blanks around it, line feeds
/// within, backslashes for slashes, missing and repeated slashes, and hosts in many spellings.
/// Nothing where the text is none. Other readers may take the same text for another URL: who cares,
/// as `check_url.h` does, compares the parts with the text.
///
/// Errors: nothing, too, for text that is no UTF-8 or has more than `limits::url_bytes_max` bytes,
///         and for a host of more than `limits::url_host_bytes_max`.
/// Cost:   one pass over the text and one over the path; see `read_host` for names.
/// Source: WHATWG URL §4.4, "basic URL parser".
std::optional<Url> read_url(std::string_view text);

/// The URL that a text means where it stands on the page `base`, as `Location` of an answer does.
std::optional<Url> read_url(std::string_view text, const Url& base);

/// The port that a URL means where it names none. Source: WHATWG URL §4.2, "special scheme".
std::optional<std::uint16_t> default_port(std::string_view scheme);

/// The whole URL; read again, it is the same. Source: WHATWG URL §4.5, "URL serializer".
std::string text(const Url& url);

}  // namespace bartizan
