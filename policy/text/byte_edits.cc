#include "policy/text/byte_edits.h"

#include <algorithm>

namespace bartizan {

std::optional<std::string> ByteEdits::apply(std::string_view bytes) && {
  if (edits_.empty()) return std::nullopt;
  std::ranges::sort(edits_, {}, [](const Edit& edit) { return edit.range.begin; });
  std::string out;
  std::size_t kept = 0;
  for (const Edit& edit : edits_) {
    if (edit.range.begin < kept) continue;
    out += bytes.substr(kept, edit.range.begin - kept);
    out += edit.text;
    kept = edit.range.end;
  }
  out += bytes.substr(kept);
  return out;
}

}  // namespace bartizan
