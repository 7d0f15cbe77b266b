#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/policy/fake_secrets.h"

namespace bartizan {

/// A text with a secret in it, and the bytes that stand for the secret.
struct CarriedSecret {
  std::string_view carrier;  ///< `JSON`, `diff`, `base64`, …
  std::string text;
  std::size_t begin, end;
};

/// Texts of tools that hold a secret, one per carrier: an environment file, JSON, code in six
/// languages, a log, a table, encodings of these, …
std::vector<CarriedSecret> texts_with(std::string_view secret, FakeSecrets& fake);

/// The same for a secret that only its name gives away.
std::vector<std::string> texts_with_named(std::string_view name, std::string_view secret,
                                          FakeSecrets& fake);

}  // namespace bartizan
