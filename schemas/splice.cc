#include "schemas/splice.h"

#include <algorithm>

namespace bartizan {

std::size_t spliced_size(std::string_view bytes, const std::vector<Splice>& splices) {
  std::size_t size = bytes.size();
  for (const Splice& splice : splices)
    size = size - splice.range.size() + splice.replacement.size();
  return size;
}

void append_spliced(std::string& out, std::string_view bytes, const std::vector<Splice>& splices) {
  out.reserve(out.size() + spliced_size(bytes, splices));
  std::size_t kept = 0;
  for (const Splice& splice : splices) {
    out.append(bytes.substr(kept, splice.range.begin - kept));
    out.append(splice.replacement);
    kept = splice.range.end;
  }
  out.append(bytes.substr(kept));
}

void sort_splices(std::vector<Splice>& splices) {
  std::ranges::sort(splices, {}, [](const Splice& splice) { return splice.range.begin; });
}

}  // namespace bartizan
