#pragma once

#include <string_view>

namespace bartizan {

/// Whether a text is a valid scope: not empty, without blanks, quotes, backslashes and control
/// characters. Source: RFC 6749 §3.3.
bool is_scope(std::string_view text);

}  // namespace bartizan
