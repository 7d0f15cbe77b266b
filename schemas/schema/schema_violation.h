#pragma once

#include <string>

namespace bartizan {

/// One way in which a value does not fit its schema. Never the value itself.
struct SchemaViolation {
  std::string pointer;   ///< RFC 6901, into the value.
  std::string keyword;   ///< That is not satisfied.
  std::string expected;  ///< In words: `at most 3 elements`.

  bool operator==(const SchemaViolation&) const = default;
};

}  // namespace bartizan
