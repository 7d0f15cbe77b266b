#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/policy/fake_secrets.h"

namespace bartizan {

/// Texts of tools that hold a secret, one per kind: an environment file, JSON, code, a log, a
/// table, …
std::vector<std::string> texts_with(std::string_view secret, FakeSecrets& fake);

/// The same for a secret that only its name gives away.
std::vector<std::string> texts_with_named(std::string_view name, std::string_view secret,
                                          FakeSecrets& fake);

/// About so many bytes of what tools say that holds no secret: code, logs, tables, base64 images,
/// ids and digests, prose.
std::vector<std::string> benign_texts(std::size_t bytes, FakeSecrets& fake);

}  // namespace bartizan
