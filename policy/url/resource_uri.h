#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Returns the normal form of a resource URI, which patterns are compared with. Nothing if a server
/// could read it as a different URI.
///
/// It refuses `.` and `..` segments, malformed escapes, and raw backslashes, blanks and controls.
/// It refuses percent-encoded letters, digits, dots, slashes, backslashes, percent signs and
/// control characters, in any number of rounds. It refuses a scheme in upper case, and for `http`
/// and `https` also a host in upper case. It refuses userinfo, bytes that are not UTF-8, letters
/// for which paths are refused (`is_plain_unicode`), and for `file` an authority or an empty
/// segment.
/// Escapes of bytes above ASCII are decoded, as servers treat both spellings alike. Other escapes
/// are written in upper case.
///
/// Cost:   one pass; a copy.
/// Source: RFC 3986 §2.3, §3.1, §5.2.4, §6.2.2; CWE-22, CWE-41.
std::optional<std::string> normal_resource_uri(std::string_view uri);

/// A pattern of resource URIs with the escapes of `normal_resource_uri`. Nothing is refused.
std::string normal_resource_pattern(std::string_view pattern);

}  // namespace bartizan
