#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The one spelling of a resource URI that patterns are compared with, or nothing where a server
/// could read the URI as another than the one it is written as.
///
/// Refused are `.` and `..` segments, percent-encoded letters, digits, dots, slashes, backslashes,
/// percent signs and control characters (in one round or in several), malformed escapes, raw
/// backslashes, blanks and controls, a scheme that is not lower case, for `http` and `https` a host
/// that is not, userinfo, bytes that are no UTF-8, letters for which paths are refused
/// (`is_plain_unicode`), and for `file` an authority or an empty segment.
/// Escapes of bytes above ASCII are decoded, since servers take the two spellings for one; other
/// escapes are written in upper case.
///
/// Cost:   one pass; a copy.
/// Source: RFC 3986 §2.3, §3.1, §5.2.4, §6.2.2; CWE-22, CWE-41.
std::optional<std::string> normal_resource_uri(std::string_view uri);

/// A pattern of resource URIs, with its escapes spelled as `normal_resource_uri` spells them.
/// Nothing is refused.
std::string normal_resource_pattern(std::string_view pattern);

}  // namespace bartizan
