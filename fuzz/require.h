#pragma once

#include <cstdlib>
#include <string_view>

namespace bartizan {

/// What must hold of every input; the fuzzer reports what aborts.
inline void require(bool condition) {
  if (!condition) std::abort();
}

inline bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace bartizan
