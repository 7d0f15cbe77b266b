#include "policy/encoded_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "policy/base64_text.h"
#include "policy/byte_set.h"
#include "policy/percent.h"
#include "schemas/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kBase64("A-Za-z0-9+/_-");
/// Shorter base64 stands for fewer bytes than any secret has.
constexpr std::size_t kBase64Min = 24;
constexpr std::size_t kHexMin = 32;
/// How far around an escape a secret can reach: what is further away is read plainly.
constexpr std::size_t kAround = 4096;
/// Buffers that one large text needed are not kept for all that follow.
constexpr std::size_t kKeptMax = std::size_t{1} << 20;

/// An escape that begins at a place: what it stands for, and how long it is.
struct Escape {
  std::string bytes;
  std::size_t length;
};

std::optional<unsigned> hex_number(std::string_view digits) {
  unsigned number = 0;
  for (const char c : digits) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    number = number * 16 + *digit;
  }
  return number;
}

std::string utf8(unsigned code) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0U | (code >> 6U)), byte(0x80U | (code & 0x3fU))};
  return {byte(0xe0U | (code >> 12U)), byte(0x80U | ((code >> 6U) & 0x3fU)),
          byte(0x80U | (code & 0x3fU))};
}

/// The escape at a backslash; none for a backslash that is itself.
std::optional<Escape> read_escape(std::string_view text, std::size_t place) {
  if (place + 1 >= text.size()) return std::nullopt;
  const auto number = [&](std::size_t digits) -> std::optional<unsigned> {
    if (place + 2 + digits > text.size()) return std::nullopt;
    return hex_number(text.substr(place + 2, digits));
  };
  switch (text[place + 1]) {
    case 'u':
      if (const auto code = number(4); code && *code != 0) return Escape{utf8(*code), 6};
      return std::nullopt;
    case 'x':
      if (const auto code = number(2); code && *code != 0 && *code < 0x80)
        return Escape{utf8(*code), 4};
      return std::nullopt;
    case '/':
      return Escape{"/", 2};
    case '"':
      return Escape{"\"", 2};
    case '\\':
      return Escape{"\\", 2};
    case 'n':
      return Escape{"\n", 2};
    case 'r':
      return Escape{"\r", 2};
    case 't':
      return Escape{"\t", 2};
    default:
      return std::nullopt;
  }
}

/// Whether an escape hides what readers would see: the others end words, as readers know.
bool is_hiding(std::string_view text, std::size_t place) {
  if (place + 1 >= text.size()) return false;
  const char kind = text[place + 1];
  return kind == 'u' || kind == 'x' || kind == '/';
}

/// The last place at which `is_meant` holds for a mark, and the first.
template <class Meant>
std::optional<TextRange> range_of(std::string_view text, char mark, Meant is_meant) {
  std::size_t first = text.find(mark);
  while (first != text.npos && !is_meant(first))
    first = text.find(mark, first + 1);
  if (first == text.npos) return std::nullopt;
  std::size_t last = text.rfind(mark);
  while (last != first && !is_meant(last))
    last = text.rfind(mark, last - 1);
  return TextRange{.begin = first > kAround ? first - kAround : 0,
                   .end = std::min(text.size(), last + kAround)};
}

/// Lines of base64: all of one length, which is whole groups, with one kind of end.
struct Lines {
  std::size_t end;  ///< Of the last line.
  std::size_t line = 0, gap = 0;
};

Lines lines_from(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLineMin = 60;
  Lines lines{.end = end};
  const std::size_t line = end - begin;
  if (line < kLineMin || line % 4 != 0) return lines;
  const std::string_view rest = text.substr(end);
  const std::size_t gap = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
  if (gap == 0) return lines;
  const std::string_view line_end = rest.substr(0, gap);
  while (text.substr(lines.end).starts_with(line_end)) {
    const std::size_t next = lines.end + gap;
    std::size_t next_end = next;
    while (next_end < text.size() && next_end - next < line && kBase64.holds(text[next_end]))
      ++next_end;
    if (next_end == next || (next_end < text.size() && kBase64.holds(text[next_end]))) break;
    lines = {.end = next_end, .line = line, .gap = gap};
    if (next_end - next < line) break;
  }
  return lines;
}

}  // namespace

void EncodedText::begin_piece() {
  if (!decoded_.empty()) decoded_ += '\0';
}

void EncodedText::copy(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  stretches_.push_back(
      {.decoded = decoded_.size(), .source = begin, .source_end = end, .coding = Coding::none});
  decoded_ += text.substr(begin, end - begin);
}

void EncodedText::put_escaped(std::size_t begin, std::size_t end, std::string_view bytes) {
  stretches_.push_back(
      {.decoded = decoded_.size(), .source = begin, .source_end = end, .coding = Coding::escape});
  decoded_ += bytes;
}

void EncodedText::decode_escapes(std::string_view text) {
  const auto range =
      range_of(text, '\\', [text](std::size_t place) { return is_hiding(text, place); });
  if (!range) return;
  begin_piece();
  std::size_t copied = range->begin;
  std::size_t place = text.find('\\', range->begin);
  while (place < range->end) {
    const auto escape = read_escape(text, place);
    if (escape) {
      copy(text, copied, place);
      put_escaped(place, place + escape->length, escape->bytes);
      copied = place + escape->length;
    }
    place = text.find('\\', escape ? copied : place + 1);
  }
  copy(text, copied, std::max(copied, range->end));
}

void EncodedText::decode_percents(std::string_view text) {
  const auto is_escape = [text](std::size_t place) {
    return escaped_byte(text, place).value_or(0) != 0;
  };
  const auto range = range_of(text, '%', is_escape);
  if (!range) return;
  begin_piece();
  std::size_t copied = range->begin;
  for (std::size_t place = text.find('%', copied); place < range->end;
       place = text.find('%', std::max(copied, place + 1))) {
    if (!is_escape(place)) continue;
    copy(text, copied, place);
    const char byte = static_cast<char>(escaped_byte(text, place).value_or(0));
    put_escaped(place, place + 3, {&byte, 1});
    copied = place + 3;
  }
  copy(text, copied, std::max(copied, range->end));
}

void EncodedText::decode_run(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view run = text.substr(begin, end - begin);
  const std::size_t decoded = decoded_.size() + (decoded_.empty() ? 0 : 1);
  if (run.size() >= kHexMin && run.size() % 2 == 0 && std::ranges::all_of(run, is_hex)) {
    begin_piece();
    stretches_.push_back(
        {.decoded = decoded, .source = begin, .source_end = end, .coding = Coding::hex});
    for (std::size_t i = 0; i < run.size(); i += 2)
      decoded_ += static_cast<char>(hex_number(run.substr(i, 2)).value_or(0));
    return;
  }
  begin_piece();
  const Lines lines = lines_from(text, begin, end);
  stretches_.push_back({.decoded = decoded,
                        .source = begin,
                        .source_end = lines.end,
                        .coding = Coding::base64,
                        .line = lines.line,
                        .line_gap = lines.gap});
  const std::string_view digits = text.substr(begin, lines.end - begin);
  decoded_ += lines.line == 0 ? decode_base64_prefix(digits) : decode_base64_lines(digits);
}

void EncodedText::decode_runs(std::string_view text) {
  std::size_t begin = 0;
  while (begin + kBase64Min <= text.size()) {
    // From the far end of the shortest run: most bytes between are never looked at.
    std::size_t other = begin + kBase64Min;
    while (other > begin && kBase64.holds(text[other - 1]))
      --other;
    if (other > begin) {
      begin = other;
      continue;
    }
    std::size_t end = begin + kBase64Min;
    while (end < text.size() && kBase64.holds(text[end]))
      ++end;
    decode_run(text, begin, end);
    begin = std::max(end, stretches_.back().source_end);
  }
}

std::string_view EncodedText::decode(std::string_view text) {
  if (decoded_.capacity() > kKeptMax) decoded_ = {};
  if (stretches_.capacity() * sizeof(Stretch) > kKeptMax) stretches_ = {};
  decoded_.clear();
  stretches_.clear();
  decode_escapes(text);
  decode_percents(text);
  decode_runs(text);
  return decoded_;
}

const EncodedText::Stretch& EncodedText::stretch_at(std::size_t decoded) const {
  const auto after = std::ranges::upper_bound(stretches_, decoded, {}, &Stretch::decoded);
  return *std::prev(after);
}

TextRange EncodedText::source_of(TextRange decoded) const {
  const Stretch& first = stretch_at(decoded.begin);
  const Stretch& last = stretch_at(decoded.end - 1);
  const auto begin = [&first](std::size_t offset) -> std::size_t {
    switch (first.coding) {
      case Coding::none:
        return first.source + offset;
      case Coding::escape:
        return first.source;
      case Coding::hex:
        return first.source + 2 * offset;
      case Coding::base64:
        break;
    }
    const std::size_t digits = offset / 3 * 4;
    return first.source + digits + (first.line == 0 ? 0 : digits / first.line * first.line_gap);
  };
  const auto end = [&last](std::size_t offset) -> std::size_t {
    switch (last.coding) {
      case Coding::none:
        return last.source + offset;
      case Coding::escape:
        return last.source_end;
      case Coding::hex:
        return last.source + 2 * offset;
      case Coding::base64:
        break;
    }
    const std::size_t digits = (offset + 2) / 3 * 4;
    const std::size_t gaps = last.line == 0 ? 0 : (digits - 1) / last.line * last.line_gap;
    return std::min(last.source + digits + gaps, last.source_end);
  };
  return {.begin = begin(decoded.begin - first.decoded), .end = end(decoded.end - last.decoded)};
}

}  // namespace bartizan
