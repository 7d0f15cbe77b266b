#include "schemas/json/string_range.h"

#include <algorithm>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Bytes of the escape at `at`. A pair of surrogates counts as one.
std::size_t escape_size(std::string_view inside, std::size_t at) {
  constexpr std::size_t kUnicode = 6;
  if (inside[at + 1] != 'u') return 2;
  // High surrogates are D800 to DBFF. In accepted text a low one follows.
  const bool is_high =
      (inside[at + 2] | 0x20) == 'd' && std::string_view("89abAB").contains(inside[at + 3]);
  return is_high ? 2 * kUnicode : kUnicode;
}

}  // namespace

StringRanges::Unit StringRanges::read_unit() {
  if (inside_[at_] != '\\') {
    const std::size_t size = std::min(inside_.find('\\', at_), inside_.size()) - at_;
    return {size, size, false};
  }
  const std::size_t size = escape_size(inside_, at_);
  escaped_.clear();
  append_unescaped(escaped_, inside_.substr(at_, size));
  return {size, escaped_.size(), true};
}

ByteRange StringRanges::find(ByteRange part) {
  ByteRange range{at_ + 1, at_ + 1};
  while (at_ < inside_.size()) {
    const Unit unit = read_unit();
    const std::size_t end = decoded_ + unit.value_size;
    if (decoded_ <= part.begin && part.begin < end) {
      range.begin = 1 + at_ + (unit.is_escape ? 0 : part.begin - decoded_);
    }
    range.end = 1 + at_ + (unit.is_escape || end < part.end ? unit.size : part.end - decoded_);
    // The next part may begin in this unit.
    if (part.end < end) break;
    at_ += unit.size;
    decoded_ = end;
    if (part.end == end) break;
  }
  range.begin = std::min(range.begin, range.end);
  return range;
}

}  // namespace bartizan
