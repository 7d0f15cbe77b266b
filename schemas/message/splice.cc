#include "schemas/message/splice.h"

#include <algorithm>
#include <ranges>
#include <utility>

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

std::string splice_in_place(std::string text, const std::vector<Splice>& splices) {
  std::size_t most = text.size();
  for (const Splice& splice : splices)
    most += splice.replacement.size();
  if (most > text.capacity()) {
    std::string copy;
    append_spliced(copy, text, splices);
    return copy;
  }
  // From the last to the first, so that the bytes before a range do not move.
  for (const Splice& splice : std::views::reverse(splices))
    text.replace(splice.range.begin, splice.range.size(), splice.replacement);
  return text;
}

void sort_splices(std::vector<Splice>& splices) {
  // An insertion before a value precedes the replacement of the value.
  std::ranges::sort(splices, {}, [](const Splice& splice) {
    return std::pair(splice.range.begin, splice.range.end);
  });
}

}  // namespace bartizan
