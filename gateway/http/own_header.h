#pragma once

#include <string>

#include "schemas/base/secret_text.h"

namespace bartizan {

/// A header that the gateway sends of its own to a server, credentials among them. Every value is
/// kept as a secret is.
struct OwnHeader {
  std::string name;
  SecretText value;
};

}  // namespace bartizan
