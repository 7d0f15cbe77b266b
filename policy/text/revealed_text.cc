#include "policy/text/revealed_text.h"

#include <algorithm>

#include "policy/text/hidden_text.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Larger buffers are freed after a text.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

constexpr std::string_view kMarkBegin = "[U+";

bool is_hex(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'F');
}

/// The size of the mark of a hidden character at the start of a text, or 0.
std::size_t mark_size(std::string_view text) {
  constexpr std::size_t kDigitsMin = 4;
  constexpr std::size_t kDigitsMax = 6;
  if (!text.starts_with(kMarkBegin)) return 0;
  std::size_t end = kMarkBegin.size();
  while (end < text.size() && end < kMarkBegin.size() + kDigitsMax && is_hex(text[end]))
    ++end;
  const bool is_mark =
      end >= kMarkBegin.size() + kDigitsMin && end < text.size() && text[end] == ']';
  return is_mark ? end + 1 : 0;
}

std::vector<ByteRange> marks_in(std::string_view text) {
  std::vector<ByteRange> marks;
  for (std::size_t at = text.find(kMarkBegin); at != text.npos;) {
    const std::size_t size = mark_size(text.substr(at));
    if (size > 0) marks.push_back({at, at + size});
    at = text.find(kMarkBegin, at + std::max<std::size_t>(size, 1));
  }
  return marks;
}

/// The hidden parts without the NULs in them.
std::vector<ByteRange> hidden_in(std::string_view text) {
  std::vector<ByteRange> hidden;
  for (const HiddenPart& part : find_hidden(text)) {
    for (std::size_t at = part.range.begin; at < part.range.end;) {
      const std::size_t end = std::min(text.find('\0', at), part.range.end);
      if (end > at) hidden.push_back({at, end});
      at = end + 1;
    }
  }
  return hidden;
}

}  // namespace

bool RevealedText::start(std::string_view text, Hiding hiding) {
  seen_.clear();
  stretches_.clear();
  if (hiding == Hiding::none) return false;
  const std::vector<ByteRange> parts = hiding == Hiding::marks ? marks_in(text) : hidden_in(text);
  if (parts.empty()) return false;
  std::size_t at = 0;
  for (const ByteRange& part : parts) {
    keep(text, at, part.begin);
    at = part.end;
  }
  keep(text, at, text.size());
  return true;
}

void RevealedText::finish() {
  if (seen_.capacity() > kKeptBytes) seen_ = {};
  if (stretches_.capacity() > kKeptBytes / sizeof(Stretch)) stretches_ = {};
}

void RevealedText::keep(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  stretches_.push_back({.seen = seen_.size(), .source = begin});
  seen_ += text.substr(begin, end - begin);
}

std::size_t RevealedText::source_of(std::size_t place) const {
  const auto behind = std::ranges::upper_bound(stretches_, place, {}, &Stretch::seen);
  const Stretch& stretch = *std::prev(behind);
  return stretch.source + (place - stretch.seen);
}

TextRange RevealedText::source_of(TextRange seen) const {
  if (seen.begin == seen.end) return {source_of(seen.begin), source_of(seen.begin)};
  return {source_of(seen.begin), source_of(seen.end - 1) + 1};
}

}  // namespace bartizan
