#pragma once

#include <string>

#include "schemas/base/secret_text.h"

namespace bartizan {

/// A header that the gateway itself sends to a server, such as a credential. Every value is kept
/// like a secret.
struct OwnHeader {
  std::string name;
  SecretText value;
};

}  // namespace bartizan
