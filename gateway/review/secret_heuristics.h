#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Whether a variable of that name and value is better kept in a file of its own: in doubt, yes.
bool may_be_secret(std::string_view name, std::string_view value);
/// Whether a value without a name is better kept in a file of its own: it begins as issued keys do,
/// is a URL with a password, or looks random.
bool may_be_secret(std::string_view value);
/// Whether an argument of a program is better kept in a file of its own: by itself, by what stands
/// behind its `=`, or as the value of the option before it. What a placeholder stands for is no
/// secret; what stands around it may be.
bool is_secret_argument(std::string_view before, std::string_view argument);
/// Whether the value of a header is better kept in a file of its own: that of `Authorization` and
/// of `Cookie` always is.
bool is_secret_header(std::string_view name, std::string_view value);
/// The name of the first parameter of a URL whose value is better kept in a file of its own; empty
/// for none. What holds a placeholder is none.
std::string find_secret_parameter(std::string_view url);
/// Whether a client, or a shell, was to fill something in: `${NAME}`.
bool holds_placeholder(std::string_view text);

/// ASCII letters as capitals, all else as it is.
std::string in_capitals(std::string_view text);

}  // namespace bartizan
