#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Whether a variable of that name and value belongs in a separate file. True in doubt.
bool may_be_secret(std::string_view name, std::string_view value);
/// Whether a value without a name belongs in a separate file. It starts like an issued key, is a
/// URL with a password, or looks random.
bool may_be_secret(std::string_view value);
/// Whether a program's argument belongs in a separate file, for itself, for the text after its `=`,
/// or as the value of the option before it. A placeholder is not a secret; the text around it may
/// be.
bool is_secret_argument(std::string_view before, std::string_view argument);
/// Whether a header's value belongs in a separate file. Always true for `Authorization` and
/// `Cookie`.
bool is_secret_header(std::string_view name, std::string_view value);
/// The first URL parameter whose value belongs in a separate file; empty if there is none. Values
/// with placeholders do not count.
std::string find_secret_parameter(std::string_view url);
/// Whether the text has a placeholder that a client or shell fills: `${NAME}`.
bool holds_placeholder(std::string_view text);

/// The text with ASCII letters in upper case.
std::string in_capitals(std::string_view text);

}  // namespace bartizan
