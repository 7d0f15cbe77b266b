#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// The kind of value that a name announces.
enum class SecretName : std::uint8_t {
  none,      ///< No secret: `max_tokens`, `next_page_token`, `password_file`, `token_type`.
  password,  ///< Chosen by a person.
  key,       ///< Made by a program.
};

/// Classifies a name. The bytes at [begin, end) of it are one of the searched words.
SecretName classify_name(std::string_view name, std::size_t begin, std::size_t end);

}  // namespace bartizan
