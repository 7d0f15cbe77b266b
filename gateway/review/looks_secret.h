#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Whether a variable of that name and value is better kept in a file of its own: in doubt, yes.
bool looks_secret(std::string_view name, std::string_view value);
/// The same for a value without a name.
bool looks_secret(std::string_view value);
/// The same for an argument of a program: by itself, behind its `=`, or as the value of the option
/// before it. What a placeholder stands for is no secret; what stands around it may be.
bool is_secret_argument(std::string_view before, std::string_view argument);
/// The same for a header: `Authorization` and `Cookie` always are.
bool is_secret_header(std::string_view name, std::string_view value);
/// The same for the parameters of a URL: the name of the first that holds one, or empty.
std::string find_secret_parameter(std::string_view url);
/// Whether a client, or a shell, was to fill something in: `${NAME}`.
bool holds_placeholder(std::string_view text);

/// ASCII letters as capitals, all else as it is.
std::string in_capitals(std::string_view text);

}  // namespace bartizan
