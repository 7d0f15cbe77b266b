#include "policy/detect/token_pattern.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

std::unexpected<Error> bad(std::string_view pattern, std::string_view what) {
  return fail(ErrorCode::config_invalid, Fault::gateway,
              "the token pattern \"" + std::string(pattern) + "\" " + std::string(what));
}

/// Removes a number from the front of a text.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// `{n}`, `{n,m}` or `{n,}`, without its braces.
std::optional<PatternPart> read_count(std::string_view count) {
  PatternPart part;
  const auto least = take_number(count);
  if (!least) return std::nullopt;
  part.least = part.most = *least;
  if (count.empty()) return part;
  if (count.front() != ',') return std::nullopt;
  count.remove_prefix(1);
  part.most = std::numeric_limits<std::size_t>::max();
  if (count.empty()) return part;
  const auto most = take_number(count);
  if (!most || !count.empty() || *most < *least) return std::nullopt;
  part.most = *most;
  return part;
}

/// One direction from the anchor: the end of a part that begins at `at`, to the right.
std::optional<std::size_t> take_right(ScanText& text, const PatternPart& part,
                                      const Alphabet* alphabet, std::size_t at, bool is_last) {
  if (alphabet == nullptr) {
    if (!text.holds(part.literal, at)) return std::nullopt;
    return at + part.literal.size();
  }
  const std::size_t length = text.run_end(*alphabet, at) - at;
  if (length < part.least || (is_last && length > part.most)) return std::nullopt;
  return at + std::min(length, part.most);
}

std::optional<std::size_t> take_left(ScanText& text, const PatternPart& part,
                                     const Alphabet* alphabet, std::size_t at, bool is_last) {
  if (alphabet == nullptr) {
    if (at < part.literal.size() || !text.holds(part.literal, at - part.literal.size()))
      return std::nullopt;
    return at - part.literal.size();
  }
  const std::size_t length = at - text.run_begin(*alphabet, at);
  if (length < part.least) return std::nullopt;
  // The run may begin with the end of an escape: the `m` of a colour, the `n` of `\n`.
  if (is_last && length > part.most && !text.begins_word(at - part.most)) return std::nullopt;
  return at - std::min(length, part.most);
}

}  // namespace

std::uint16_t Alphabets::index_of(const ByteSet& set) {
  const auto found = std::ranges::find(all_, set, &Alphabet::set);
  const auto index = static_cast<std::uint16_t>(found - all_.begin());
  if (found == all_.end()) all_.push_back({.set = set, .index = index});
  return index;
}

Result<TokenPattern> read_token_pattern(std::string_view pattern, Alphabets& alphabets) {
  TokenPattern read;
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern[i] == '[') {
      const std::size_t close = pattern.find(']', i + 1);
      if (close == pattern.npos || close + 1 >= pattern.size() || pattern[close + 1] != '{')
        return bad(pattern, "has brackets without a count");
      const std::size_t end = pattern.find('}', close);
      if (end == pattern.npos) return bad(pattern, "has an open count");
      auto part = read_count(pattern.substr(close + 2, end - close - 2));
      if (!part) return bad(pattern, "has a count that is none");
      part->alphabet = alphabets.index_of(ByteSet(pattern.substr(i + 1, close - i - 1)));
      read.parts.push_back(*std::move(part));
      i = end + 1;
      continue;
    }
    if (pattern[i] == '\\') ++i;
    if (i == pattern.size()) return bad(pattern, "ends with a backslash");
    if (read.parts.empty() || read.parts.back().literal.empty()) read.parts.emplace_back();
    read.parts.back().literal += pattern[i++];
  }
  const auto longest = std::ranges::max_element(
      read.parts, {}, [](const PatternPart& part) { return part.literal.size(); });
  if (longest == read.parts.end()) return bad(pattern, "is empty");
  read.anchor = static_cast<std::size_t>(longest - read.parts.begin());
  return read;
}

bool is_token(std::string_view text, const TokenPattern& pattern, const Alphabets& alphabets) {
  for (const PatternPart& part : pattern.parts) {
    if (!part.literal.empty()) {
      if (!text.starts_with(part.literal)) return false;
      text.remove_prefix(part.literal.size());
      continue;
    }
    const ByteSet& set = alphabets[part.alphabet].set;
    std::size_t length = 0;
    while (length < text.size() && length < part.most && set.holds(text[length]))
      ++length;
    if (length < part.least) return false;
    text.remove_prefix(length);
  }
  return text.empty();
}

std::optional<TokenPlace> match_token(ScanText& text, const TokenPattern& pattern,
                                      const Alphabets& alphabets, std::size_t anchor_begin) {
  const std::vector<PatternPart>& parts = pattern.parts;
  const auto alphabet_of = [&alphabets](const PatternPart& part) {
    return part.literal.empty() ? &alphabets[part.alphabet] : nullptr;
  };
  TokenPlace place{.begin = anchor_begin, .end = anchor_begin, .body_begin = 0, .body_end = 0};
  const auto note_body = [&place](std::size_t begin, std::size_t end) {
    if (end - begin <= place.body_end - place.body_begin) return;
    place.body_begin = begin;
    place.body_end = end;
  };
  for (std::size_t i = pattern.anchor; i < parts.size(); ++i) {
    const Alphabet* alphabet = alphabet_of(parts[i]);
    const auto end = take_right(text, parts[i], alphabet, place.end, i + 1 == parts.size());
    if (!end) return std::nullopt;
    if (alphabet != nullptr) note_body(place.end, *end);
    place.end = *end;
  }
  for (std::size_t i = pattern.anchor; i-- > 0;) {
    const Alphabet* alphabet = alphabet_of(parts[i]);
    const auto begin = take_left(text, parts[i], alphabet, place.begin, i == 0);
    if (!begin) return std::nullopt;
    if (alphabet != nullptr) note_body(*begin, place.begin);
    place.begin = *begin;
  }
  const bool is_word = is_letter(text.at(place.begin)) || is_digit(text.at(place.begin));
  if ((is_word && !text.begins_word(place.begin)) || !text.ends_word(place.end))
    return std::nullopt;
  return place;
}

}  // namespace bartizan
