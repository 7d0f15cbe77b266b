#include "policy/verdict/find_reason.h"

namespace bartizan {

std::optional<Reason> find_reason(std::string_view code) {
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
    if (text(static_cast<Reason>(i)) == code) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

}  // namespace bartizan
