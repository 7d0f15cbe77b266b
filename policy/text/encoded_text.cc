#include "policy/text/encoded_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "policy/text/base64_text.h"
#include "policy/text/long_runs.h"
#include "policy/text/percent.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kHexMin = 32;
/// The reach of a secret around an escape.
constexpr std::size_t kAround = 512;
constexpr std::size_t kWindow = std::size_t{1} << 20;
/// The overlap of windows: the longest private keys, with each byte escaped.
constexpr std::size_t kOverlap = std::size_t{64} << 10;
/// Larger buffers are freed after a text.
constexpr std::size_t kKeptMax = std::size_t{1} << 20;

/// An escape: its decoded value and its length.
struct Escape {
  std::string bytes;
  std::size_t length;
  bool is_hiding = true;  ///< Other escapes end words, which the plain scan handles.
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

/// The escape at a backslash; none if the backslash is literal.
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
      return Escape{"\"", 2, false};
    case '\\':
      return Escape{"\\", 2, false};
    case 'n':
      return Escape{"\n", 2, false};
    case 'r':
      return Escape{"\r", 2, false};
    case 't':
      return Escape{"\t", 2, false};
    default:
      break;
  }
  // Writers of Markdown escape markup characters, also inside words.
  constexpr std::string_view kMarkdown = "_-.*#+!~=:@$|<>()[]{}";
  const char escaped = text[place + 1];
  if (!kMarkdown.contains(escaped)) return std::nullopt;
  return Escape{std::string(1, escaped), 2};
}

/// The character reference at an ampersand, for characters in and around tokens. Source: HTML,
/// "Named character references".
std::optional<Escape> read_reference(std::string_view text, std::size_t place) {
  constexpr std::size_t kLongest = 12;
  constexpr auto kNames = std::to_array<std::pair<std::string_view, char>>({{"UnderBar", '_'},
                                                                            {"amp", '&'},
                                                                            {"apos", '\''},
                                                                            {"ast", '*'},
                                                                            {"colon", ':'},
                                                                            {"commat", '@'},
                                                                            {"dollar", '$'},
                                                                            {"equals", '='},
                                                                            {"excl", '!'},
                                                                            {"gt", '>'},
                                                                            {"hyphen", '-'},
                                                                            {"lowbar", '_'},
                                                                            {"lt", '<'},
                                                                            {"num", '#'},
                                                                            {"percnt", '%'},
                                                                            {"period", '.'},
                                                                            {"plus", '+'},
                                                                            {"quot", '"'},
                                                                            {"sol", '/'}});
  const std::string_view rest = text.substr(place + 1, kLongest);
  const std::size_t end = rest.find(';');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view name = rest.substr(0, end);
  if (name.front() != '#') {
    const auto known = std::ranges::find(kNames, name, &std::pair<std::string_view, char>::first);
    if (known == kNames.end()) return std::nullopt;
    return Escape{std::string(1, known->second), end + 2};
  }
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  unsigned code = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  const bool is_number = error == std::errc() && stop == digits.data() + digits.size();
  // Tokens have no letters of other scripts.
  if (!is_number || code == 0 || code >= 0x80) return std::nullopt;
  return Escape{utf8(code), end + 2};
}

/// Whether the equals sign is a soft line break of quoted-printable, in a line of nearly 76 bytes.
/// Base64 also ends lines with one, mostly elsewhere.
bool ends_cut_line(std::string_view text, std::size_t place) {
  constexpr std::size_t kLongest = 75;
  constexpr std::size_t kShortest = 66;
  const std::size_t before = text.substr(0, place).rfind('\n');
  const std::size_t width = before == std::string_view::npos ? place : place - before - 1;
  return width >= kShortest && width <= kLongest;
}

/// The escape of quoted-printable at an equals sign: of a character in tokens, or a soft line
/// break. Source: RFC 2045 §6.7.
std::optional<Escape> read_quoted(std::string_view text, std::size_t place) {
  const std::string_view rest = text.substr(place + 1, 2);
  if (rest.starts_with('\n') || rest == "\r\n") {
    if (!ends_cut_line(text, place)) return std::nullopt;
    return Escape{"", rest.starts_with('\n') ? std::size_t{2} : std::size_t{3}};
  }
  constexpr std::string_view kMarks = "_-.=/+:";
  const auto code = rest.size() == 2 ? hex_number(rest) : std::nullopt;
  if (!code || std::ranges::any_of(rest, is_lower)) return std::nullopt;
  const auto byte = static_cast<char>(*code);
  return kMarks.contains(byte) ? std::optional(Escape{std::string(1, byte), 3}) : std::nullopt;
}

/// The escape at a percent sign.
std::optional<Escape> read_percent(std::string_view text, std::size_t place) {
  const auto byte = escaped_byte(text, place);
  if (byte.value_or(0) == 0) return std::nullopt;
  return Escape{.bytes = {static_cast<char>(*byte)}, .length = 3};
}

/// Lines of base64: all of one length in whole groups, with the same line end.
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
    while (next_end < text.size() && next_end - next < line && is_base64_digit(text[next_end]))
      ++next_end;
    if (next_end == next || (next_end < text.size() && is_base64_digit(text[next_end]))) break;
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
  stretches_.push_back({.decoded = decoded_size(),
                        .source = static_cast<Offset>(begin),
                        .source_end = static_cast<Offset>(end),
                        .coding = Coding::none});
  decoded_ += text.substr(begin, end - begin);
}

void EncodedText::put_escaped(std::size_t begin, std::size_t end, std::string_view bytes) {
  const Stretch stretch{.decoded = decoded_size(),
                        .source = static_cast<Offset>(begin),
                        .source_end = static_cast<Offset>(end),
                        .coding = Coding::escape,
                        .escape = static_cast<std::uint8_t>(end - begin),
                        .escaped = static_cast<std::uint8_t>(bytes.size())};
  decoded_ += bytes;
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.coding == Coding::escape && last.escape == stretch.escape &&
        last.escaped == stretch.escaped && last.source_end == stretch.source &&
        stretch.decoded - last.decoded ==
            (last.source_end - last.source) / last.escape * last.escaped) {
      last.source_end = stretch.source_end;
      return;
    }
  }
  stretches_.push_back(stretch);
}

/// Pieces extend as far as secrets reach around escapes. Beyond that, the plain text is enough.
template <class Read>
void EncodedText::decode_marks(std::string_view text, std::size_t from, char mark, Read read) {
  std::size_t copied = text.npos;  // Not in a piece.
  std::size_t piece_end = 0;
  for (std::size_t place = text.find(mark, from); place != text.npos;) {
    const std::optional<Escape> escape = read(place);
    const bool is_inside = copied != text.npos && place < piece_end;
    if (!escape || (!is_inside && !escape->is_hiding)) {
      place = text.find(mark, place + 1);
      continue;
    }
    if (!is_inside) {
      if (copied != text.npos) copy(text, copied, piece_end);
      begin_piece();
      copied = std::max(piece_end, place - std::min(place, kAround));
    }
    copy(text, copied, place);
    put_escaped(place, place + escape->length, escape->bytes);
    copied = place + escape->length;
    if (escape->is_hiding) piece_end = std::min(text.size(), copied + kAround);
    piece_end = std::max(piece_end, copied);
    place = text.find(mark, copied);
  }
  if (copied != text.npos) copy(text, copied, piece_end);
}

void EncodedText::decode_run(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view run = text.substr(begin, end - begin);
  if (run.size() >= kHexMin && run.size() % 2 == 0 && std::ranges::all_of(run, is_hex)) {
    begin_piece();
    stretches_.push_back({.decoded = decoded_size(),
                          .source = static_cast<Offset>(begin),
                          .source_end = static_cast<Offset>(end),
                          .coding = Coding::hex});
    for (std::size_t i = 0; i < run.size(); i += 2)
      decoded_ += static_cast<char>(hex_number(run.substr(i, 2)).value_or(0));
    return;
  }
  begin_piece();
  const Lines lines = lines_from(text, begin, end);
  stretches_.push_back({.decoded = decoded_size(),
                        .source = static_cast<Offset>(begin),
                        .source_end = static_cast<Offset>(lines.end),
                        .coding = Coding::base64,
                        .line_gap = static_cast<std::uint8_t>(lines.gap),
                        .line = static_cast<Offset>(lines.line)});
  const std::string_view digits = text.substr(begin, lines.end - begin);
  decoded_ += lines.line == 0 ? decode_base64_prefix(digits) : decode_base64_lines(digits);
}

void EncodedText::decode_runs(std::string_view text, std::size_t from) {
  LongRuns runs(text, from);
  while (const auto run = runs.next()) {
    runs_.push_back({.begin = window_begin_ + run->begin, .end = window_begin_ + run->end});
    decode_run(text, run->begin, run->end);
    const std::size_t end = stretches_.back().source_end;
    // Text after lines of base64 may be something else.
    LongRuns lines(text.substr(0, std::max(end, run->end)), run->end);
    while (const auto line = lines.next())
      runs_.push_back({.begin = window_begin_ + line->begin, .end = window_begin_ + line->end});
    runs.go_on_from(end);
  }
}

void EncodedText::start(std::string_view text) {
  text_ = text;
  window_begin_ = window_end_ = 0;
}

void EncodedText::finish() {
  if (decoded_.capacity() > kKeptMax) decoded_ = std::string();
  if (runs_.capacity() * sizeof(TextRange) > kKeptMax) runs_ = std::vector<TextRange>();
  if (stretches_.capacity() * sizeof(Stretch) > kKeptMax) stretches_ = std::vector<Stretch>();
}

/// Base64 is decoded in whole groups from its start. If the start is not in the window, the window
/// begins with a whole group.
std::size_t EncodedText::group_start(std::size_t place) const {
  std::size_t run = place;
  while (run > window_begin_ && is_base64_digit(text_[run - 1]))
    --run;
  return place - (place - run) % 4;
}

bool EncodedText::next() {
  if (window_end_ == text_.size()) return false;
  if (window_end_ > 0) window_begin_ = group_start(window_end_ - kOverlap);
  const bool is_last = text_.size() - window_begin_ <= kWindow;
  window_end_ = is_last ? text_.size() : group_start(window_begin_ + kWindow);
  decoded_.clear();
  stretches_.clear();
  runs_.clear();
  const std::string_view text = text_.substr(window_begin_, window_end_ - window_begin_);
  // Most texts have no encodings, which one pass shows.
  const std::size_t from = skip_plain(text);
  decode_marks(text, from, '\\', [text](std::size_t place) { return read_escape(text, place); });
  decode_marks(text, from, '%', [text](std::size_t place) { return read_percent(text, place); });
  decode_marks(text, from, '&', [text](std::size_t place) { return read_reference(text, place); });
  decode_marks(text, from, '=', [text](std::size_t place) { return read_quoted(text, place); });
  decode_runs(text, from);
  return true;
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
        return first.source + offset / first.escaped * first.escape;
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
        return last.source + (offset + last.escaped - 1) / last.escaped * last.escape;
      case Coding::hex:
        return last.source + 2 * offset;
      case Coding::base64:
        break;
    }
    const std::size_t digits = (offset + 2) / 3 * 4;
    const std::size_t gaps = last.line == 0 ? 0 : (digits - 1) / last.line * last.line_gap;
    return std::min(last.source + digits + gaps, std::size_t{last.source_end});
  };
  return {.begin = window_begin_ + begin(decoded.begin - first.decoded),
          .end = window_begin_ + end(decoded.end - last.decoded)};
}

}  // namespace bartizan
