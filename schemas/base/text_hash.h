#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace bartizan {

/// The hash for unordered containers with string keys that are looked up by views.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace bartizan
