#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bartizan {

/// The formats that can be asserted. Others are always annotations.
enum class StringFormat : std::uint8_t {
  date_time,
  date,
  time,
  email,
  hostname,
  ipv4,
  ipv6,
  uri,
  uri_reference,
  uuid,
  regex,
};

/// The format with that name in the keyword `format`, or nothing.
std::optional<StringFormat> find_string_format(std::string_view name);

/// The names of all asserted formats.
std::vector<std::string_view> string_format_names();

/// Whether a text has that format, strictly by its grammar.
///
/// A leap second must be 23:59:60 in UTC, on any day. A host name has no final dot and no
/// underscore. Its labels `xn--…` must decode to text that UTS 46 and RFC 5892 allow. An address
/// has no zone. A regular expression may be one that RE2 does not support.
///
/// Input:  valid UTF-8. Outside of ASCII nothing is a digit, a letter or a sign.
/// Cost:   one pass; allocates for `regex` and for labels `xn--…` only.
/// Source: JSON Schema 2020-12 Validation §7.3: RFC 3339 §5.6 (date-time, date, time), RFC 5321
///         §4.1.2 (email), RFC 1123 §2.1 and RFC 5890 §2.3 (hostname), RFC 2673 §3.2 (ipv4), RFC
///         4291 §2.2 (ipv6), RFC 3986 (uri, uri-reference), RFC 4122 §3 (uuid), ECMA-262 with the
///         flag `u` (regex).
bool has_format(std::string_view text, StringFormat format);

/// The format in words, for violations: `a date and time (RFC 3339)`.
std::string_view description(StringFormat format);

}  // namespace bartizan
