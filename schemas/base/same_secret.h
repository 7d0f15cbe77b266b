#pragma once

#include <string_view>

namespace bartizan {

/// Whether two secrets are equal. The time only depends on their lengths. Secrets of different
/// lengths are not equal.
/// Cost:   one step for each eight bytes.
/// Source: CWE-208.
bool is_same_secret(std::string_view one, std::string_view other);

}  // namespace bartizan
