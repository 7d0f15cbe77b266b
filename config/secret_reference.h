#pragma once

#include <cstdint>
#include <string>

#include "config/position.h"

namespace bartizan {

/// A reference to a secret, `env:NAME` or `file:PATH`. Never the secret itself.
struct SecretReference {
  enum class Kind : std::uint8_t { none, environment, file } kind = Kind::none;
  std::string name = {};  ///< Variable name, or path made absolute against the file that names it.
  Position where = {};
};

}  // namespace bartizan
