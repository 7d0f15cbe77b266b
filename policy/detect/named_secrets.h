#pragma once

#include <span>
#include <string_view>

namespace bartizan {

/// A secret that is recognised by its assigned name and by its form, because its provider gave it
/// no prefix.
struct NamedSecret {
  std::string_view detector;
  std::string_view word;     ///< Part of the name: lower case, without `_`, `-` and `.`.
  std::string_view pattern;  ///< One alphabet and a count, as in token formats.
};

/// The named secrets, in the order of the checks.
std::span<const NamedSecret> named_secrets();

/// Words of the names of secrets of all providers. The database searches for them. Lower case.
std::span<const std::string_view> secret_words();

}  // namespace bartizan
