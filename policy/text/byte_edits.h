#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Edits of a message's bytes before it is judged.
class ByteEdits {
 public:
  void replace(ByteRange range, std::string text) { edits_.push_back({range, std::move(text)}); }
  void insert(std::size_t at, std::string text) { replace({at, at}, std::move(text)); }

  /// Applies all edits; nothing if there are none. If two overlap, the first one counts.
  /// Cost: one copy.
  std::optional<std::string> apply(std::string_view bytes) &&;

 private:
  struct Edit {
    ByteRange range;
    std::string text;
  };

  std::vector<Edit> edits_;
};

}  // namespace bartizan
