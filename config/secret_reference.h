#pragma once

#include <cstdint>
#include <string>

#include "config/position.h"

namespace bartizan {

/// A secret as the configuration names it: `env:NAME` or `file:PATH`, never the secret itself.
struct SecretReference {
  enum class Kind : std::uint8_t { none, environment, file } kind = Kind::none;
  std::string name = {};  ///< Variable name, or path made absolute against the file that holds it.
  Position where = {};
};

}  // namespace bartizan
