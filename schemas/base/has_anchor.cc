#include "schemas/base/has_anchor.h"

#include <cstddef>

namespace bartizan {

bool has_anchor(std::string_view pattern) {
  bool is_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      const char next = ++i < pattern.size() ? pattern[i] : '\0';
      if (next == 'A' || next == 'z') return true;
    } else if (is_class) {
      is_class = c != ']';
    } else if (c == '[') {
      is_class = true;
      // A bracket at the start belongs to the class.
      if (pattern.substr(i + 1).starts_with('^')) ++i;
      if (pattern.substr(i + 1).starts_with(']')) ++i;
    } else if (c == '^' || c == '$') {
      return true;
    }
  }
  return false;
}

}  // namespace bartizan
