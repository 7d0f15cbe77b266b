#pragma once

#include <string>

namespace bartizan {

/// One mismatch between a value and its schema. Never contains the value itself.
struct SchemaViolation {
  std::string pointer;   ///< RFC 6901, into the value.
  std::string keyword;   ///< The violated keyword.
  std::string expected;  ///< In words: `at most 3 elements`.

  bool operator==(const SchemaViolation&) const = default;
};

}  // namespace bartizan
