#pragma once

#include <string_view>

namespace bartizan {

/// Whether what is assigned without quotes is a part of a program: a path of names, a call, a type,
/// something that is taken from a variable.
///
/// Input: the rest of the line, from where the value begins; at most 160 bytes of it are looked at.
bool is_expression(std::string_view rest);

}  // namespace bartizan
