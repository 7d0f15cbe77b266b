#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// Encodes a name or value for `application/x-www-form-urlencoded`.
/// Source: WHATWG URL, "application/x-www-form-urlencoded serializing"; RFC 6749 appendix B.
std::string escape_form(std::string_view text);

/// Appends one field to a form, or to the query of a URL.
void append_field(std::string& form, std::string_view name, std::string_view value);

/// A URL with fields appended to its query. Input: a URL without a fragment.
std::string with_query(std::string_view url,
                       std::span<const std::pair<std::string_view, std::string>> fields);

}  // namespace bartizan
