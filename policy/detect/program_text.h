#pragma once

#include <string_view>

namespace bartizan {

/// Whether an unquoted value is part of a program: a path of names, a call, a type, or an
/// expression with a variable.
///
/// Input: the rest of the line from the start of the value. At most 160 bytes of it are read.
bool is_expression(std::string_view rest);

}  // namespace bartizan
