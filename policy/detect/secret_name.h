#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// What a name says about the value that it is given.
enum class SecretName : std::uint8_t {
  none,      ///< No secret: `max_tokens`, `next_page_token`, `password_file`, `token_type`.
  password,  ///< What somebody chose.
  key,       ///< What a program made.
};

/// What a name says, of which the bytes at [begin, end) are one of the words that are searched for.
SecretName classify_name(std::string_view name, std::size_t begin, std::size_t end);

}  // namespace bartizan
