#include "config/scope_name.h"

#include <algorithm>

namespace bartizan {

bool is_scope(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
}

}  // namespace bartizan
