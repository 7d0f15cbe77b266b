#pragma once

#include <span>
#include <string_view>

namespace bartizan {

/// A secret that is known by the name to which it is assigned, and by how it is written: its
/// provider gave it no mark of its own.
struct NamedSecret {
  std::string_view detector;
  std::string_view word;     ///< Part of the name, lower case without `_`, `-` and `.`.
  std::string_view pattern;  ///< One alphabet and a count, as in token formats.
};

/// In the order in which they are asked.
std::span<const NamedSecret> named_secrets();

/// Words that names of secrets are made of, whoever's: what the database searches for, lower case.
std::span<const std::string_view> secret_words();

}  // namespace bartizan
