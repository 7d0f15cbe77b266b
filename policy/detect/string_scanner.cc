#include "policy/detect/string_scanner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policy/detect/detector.h"
#include "policy/text/adjacent_texts.h"
#include "schemas/base/ascii.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// Longer strings are scanned separately; no name makes a secret of so much text.
constexpr std::size_t kLongText = std::size_t{8} << 10;
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;
constexpr std::size_t kPiecesMax = std::size_t{16} << 10;
/// Larger buffers are freed after a message.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

/// Whether a place is inside a character of valid UTF-8.
bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// The decoded text of a string, or the raw text of another value.
std::string_view written(JsonValue value) {
  return value.is(JsonType::string) ? value.text() : value.raw();
}

/// Whether a text may be JSON with named values.
bool may_name_values(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || (text[begin] != '{' && text[begin] != '[')) return false;
  return text.contains("alue\"") || text.contains("\"val\"") || text.contains("\"plaintext\"") ||
         text.contains("\"--");
}

/// Whether an element of a list is a variable or an option: `HOME=/root`, `--all`.
bool begins_anew(std::string_view text) {
  if (text.starts_with("--")) return true;
  const auto is_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  const auto end = std::ranges::find_if_not(text, is_name);
  const std::string_view name(text.begin(), end);
  const std::string_view rest(end, text.end());
  // The padding of base64 follows letters too.
  return name.size() > 1 && !is_digit(name.front()) && rest.size() > 1 && rest[0] == '=' &&
         rest[1] != '=';
}

/// The texts of a notification or an error.
std::vector<JsonValue> spoken_in(JsonValue said) {
  std::vector<JsonValue> spoken;
  for (const std::string_view name : {"message", "data", "statusMessage"}) {
    const JsonValue member = said.find(name);
    if (!member) continue;
    for (const JsonValue one : member.within()) {
      // An empty string between two parts does not separate them.
      if (one.is(JsonType::string) && !one.text().empty()) spoken.push_back(one);
    }
  }
  return spoken;
}

/// The texts that may continue earlier ones, for each way to read a message: the words of a
/// notification, the texts of a response, or its structured content.
std::vector<std::vector<JsonValue>> read_next(JsonValue said) {
  std::vector<std::vector<JsonValue>> ways;
  constexpr std::size_t kSpokenMax = 16;
  for (const JsonValue one : spoken_in(said)) {
    if (ways.size() == kSpokenMax) break;
    ways.push_back({one});
  }
  for (const std::string_view list : {"content", "contents", "messages"}) {
    std::vector<JsonValue> texts = texts_of(said.find(list));
    if (!texts.empty()) ways.push_back(std::move(texts));
  }
  const JsonValue structured = said.find("structuredContent");
  if (!structured) return ways;
  for (const JsonValue one : structured.within()) {
    if (!one.is(JsonType::string) || one.text().empty()) continue;
    ways.push_back({one});
    break;
  }
  return ways;
}

std::string_view end_of(std::string_view text) {
  return text.substr(text.size() - std::min(text.size(), StringScanner::kJoinedBytes));
}

/// The sort key of parts: by string, then by beginning, the longer first.
auto order(const FoundPart& found) {
  return std::tuple(found.string, found.part.begin, ~found.part.end, found.detector);
}

}  // namespace

void StringScanner::add_piece(Piece piece) {
  piece.begin = batch_.size();
  batch_ += piece.part.of(piece.text);
  pieces_.push_back(piece);
}

/// NUL separates unrelated texts, as no match spans one. It also separates the parts of a string
/// that contains it.
void StringScanner::add(JsonValue value) {
  for (const NamedValue& named : names_beside_.visit(value))
    add_named(named, {.value = named.value, .text = written(named.value), .part = {}});
  add_named_within(value);
  const bool has_name = value.key_range().size() > 0;
  const bool is_string = value.is(JsonType::string);
  if (!has_name && !is_string) return;
  if (has_name) {
    const std::string_view name = value.key();
    batch_ += '"';
    add_piece({.value = value, .kind = Piece::Kind::name, .text = name, .part = {0, name.size()}});
    batch_ += "\":";
  }
  if (is_string) {
    const std::string_view text = value.text();
    const Piece piece{.value = value, .text = text, .part = {0, text.size()}};
    if (text.size() < kLongText) {
      batch_ += '"';
      add_piece(piece);
      batch_ += '"';
    } else {
      scan_alone(piece);
    }
  } else if (value.is(JsonType::number) && may_name_number(value.key())) {
    const std::string_view digits = value.raw();
    add_piece({.value = value, .text = digits, .part = {0, digits.size()}});
  }
  batch_ += '\0';
  if (batch_.size() >= kBatchBytes) scan_batch(Joined::no);
}

/// The name was scanned as a separate string. A piece without a part is the whole text.
void StringScanner::add_named(const NamedValue& named, Piece piece) {
  const JsonValue value = named.value;
  const bool is_string = value.is(JsonType::string);
  const bool is_number = value.is(JsonType::number) && may_name_number(named.name);
  if (piece.part.size() == 0) piece.part = {0, piece.text.size()};
  if ((!is_string && !is_number) || piece.part.size() >= kLongText) return;
  const bool is_option = named.form == NamedValue::Form::option;
  if (!is_option) batch_ += '"';
  batch_ += named.name;
  batch_ += is_option ? " " : is_string ? "\":\"" : "\":";
  add_piece(piece);
  if (is_string && !is_option) batch_ += '"';
  batch_ += '\0';
}

/// Adds the named values in a text that is JSON.
void StringScanner::add_named_within(JsonValue value) {
  if (!value.is(JsonType::string) || !may_name_values(value.text())) return;
  const std::string_view text = value.text();
  const Bytes bytes{text};
  const Result<JsonValue> inner = inner_.read(bytes, kResponseLimits);
  if (!inner.has_value()) return;
  names_within_.start(*inner);
  for (const JsonValue one : inner->within()) {
    for (const NamedValue& named : names_within_.visit(one)) {
      ByteRange part = named.value.range();
      if (named.value.is(JsonType::string)) part = {part.begin + 1, part.end - 1};
      if (part.size() > 0) add_named(named, {.value = value, .text = text, .part = part});
    }
  }
  if (inner_.capacity() > kKeptBytes) inner_ = JsonDocument();
}

/// Adds the ends of a long text, which may join with adjacent texts.
void StringScanner::add_ends(JsonValue value) {
  const std::string_view text = value.text();
  if (text.empty()) return;
  if (text.size() <= 2 * kJoinedBytes) {
    add_piece({.value = value, .text = text, .part = {0, text.size()}});
    return;
  }
  add_piece({.value = value, .text = text, .part = {0, kJoinedBytes}});
  batch_ += '\0';
  add_piece({.value = value, .text = text, .part = {text.size() - kJoinedBytes, text.size()}});
}

void StringScanner::join(std::span<const JsonValue> texts) {
  for (const JsonValue text : texts) {
    add_ends(text);
    if (batch_.size() >= kBatchBytes || pieces_.size() >= kPiecesMax) go_on_behind(kJoinedBytes);
  }
  scan_batch(Joined::yes);
}

void StringScanner::join_spoken(JsonValue said, std::string_view before) {
  found_before_.clear();
  for (const DetectorMatch& sighting : scanner_.scan(before))
    found_before_.emplace_back(sighting.begin, sighting.detector);
  for (const std::vector<JsonValue>& texts : read_next(said)) {
    add_piece({.kind = Piece::Kind::before, .text = before, .part = {0, before.size()}});
    for (const JsonValue text : texts) {
      if (batch_.size() >= before.size() + kJoinedBytes) break;
      add_ends(text);
    }
    scan_batch(Joined::yes);
  }
}

/// Scans the batch, and begins the next one with its last pieces.
void StringScanner::go_on_behind(std::size_t bytes) {
  auto first = pieces_.end();
  for (std::size_t kept = 0; first != pieces_.begin() && kept < bytes;)
    kept += (--first)->part.size();
  const std::vector<Piece> last(first, pieces_.end());
  scan_batch(Joined::yes);
  for (const Piece& piece : last) {
    // The middle between the ends of one text was scanned already.
    if (!pieces_.empty() && pieces_.back().text.data() == piece.text.data()) batch_ += '\0';
    add_piece(piece);
  }
}

void StringScanner::scan_alone(const Piece& piece) {
  for (const DetectorMatch& sighting : scanner_.scan(piece.text))
    add_found(sighting, piece);
}

/// Whether a match that begins in a piece continues in the next one.
bool StringScanner::continues_past(const DetectorMatch& sighting,
                                   Pieces::const_iterator piece) const {
  const auto next = std::next(piece);
  return next != pieces_.end() && sighting.end > next->begin && continues(*next);
}

/// Whether a piece may continue the piece before it.
bool StringScanner::continues(const Piece& piece) const {
  if (piece.value.key_range().size() > 0) return true;
  return is_structured(piece) && !begins_anew(piece.text);
}

bool StringScanner::is_structured(const Piece& piece) const {
  const std::size_t begin = piece.value.range().begin;
  return structured_.begin <= begin && begin < structured_.end;
}

/// Whether a match that begins in a piece was found in its string alone.
bool StringScanner::is_whole(const DetectorMatch& sighting, const Piece& piece) const {
  return !is_open_ended(sighting.detector) && was_found_apart(sighting, piece);
}

/// Whether a match that begins in a piece was found in its string, even if its end is unknown.
bool StringScanner::was_found_apart(const DetectorMatch& sighting, const Piece& piece) const {
  const std::size_t begin = sighting.begin - piece.begin + piece.part.begin;
  if (piece.kind == Piece::Kind::before) {
    return std::ranges::find(found_before_, std::pair(begin, sighting.detector)) !=
           found_before_.end();
  }
  const auto place = [](const FoundPart& one) { return std::pair(one.string, one.part.begin); };
  const auto apart = std::span(found_).first(found_apart_);
  return std::ranges::any_of(
      std::ranges::equal_range(apart, std::pair(piece.value.range().begin, begin), {}, place),
      [&](const FoundPart& one) { return one.detector == sighting.detector; });
}

void StringScanner::scan_batch(Joined joined) {
  for (const DetectorMatch& sighting : scanner_.scan(batch_)) {
    if (found_.size() > kFoundMax) break;
    // The pieces of the match: one, a name and its value, or adjacent texts.
    auto piece = std::ranges::upper_bound(pieces_, sighting.begin, {}, &Piece::begin);
    if (piece != pieces_.begin()) --piece;
    // A match that was complete in its string is kept once, unless the next text continues it.
    const bool is_known = joined == Joined::yes && is_whole(sighting, *piece);
    if (is_known && !continues_past(sighting, piece)) continue;
    const auto first = piece;
    const bool is_alone = joined == Joined::yes && was_found_apart(sighting, *piece);
    // A secret that is recognised by its name extends to the end of its string, with quotes.
    DetectorMatch whole = sighting;
    const bool is_value = piece->begin == sighting.begin && piece->kind == Piece::Kind::value;
    if (is_value && joined == Joined::no && is_known_by_name(sighting.detector)) {
      whole.end = std::max(whole.end, piece->begin + piece->part.size());
    }
    for (; piece != pieces_.end() && piece->begin < whole.end; ++piece) {
      // A complete match ends at the start of another value.
      if (is_known && piece != first && !continues(*piece)) break;
      // In a list, a separate secret includes one further element, which may be its rest.
      if (is_alone && std::distance(first, piece) > 1 && is_structured(*piece)) break;
      add_found(whole, *piece);
    }
  }
  // Names have no length limit.
  if (batch_.capacity() > kKeptBytes) batch_ = std::string();
  if (pieces_.capacity() > kPiecesMax) pieces_ = {};
  batch_.clear();
  pieces_.clear();
}

void StringScanner::add_found(const DetectorMatch& sighting, const Piece& piece) {
  if (piece.kind == Piece::Kind::before) return;
  const auto within = [&piece](std::size_t begin, std::size_t end) {
    const auto clip = [&piece](std::size_t at) {
      return piece.part.begin +
             std::min(std::max(at, piece.begin) - piece.begin, piece.part.size());
    };
    return ByteRange{clip(begin), clip(end)};
  };
  ByteRange part = within(sighting.begin, sighting.end);
  while (part.begin > 0 && is_continuation(piece.text, part.begin))
    --part.begin;
  while (is_continuation(piece.text, part.end))
    ++part.end;
  if (part.size() == 0 || found_.size() > kFoundMax) return;
  const bool is_name = piece.kind == Piece::Kind::name;
  const ByteRange quoted = is_name ? piece.value.key_range() : piece.value.range();
  found_.push_back({.string = piece.value ? quoted.begin : 0,
                    .value = piece.value,
                    .is_name = is_name,
                    .text = piece.text,
                    .part = part,
                    .whole = within(sighting.whole_begin, sighting.whole_end),
                    .detector = sighting.detector});
}

/// Sorts the matches and removes duplicates. If there are too many, they stay too many, as only
/// their number matters then.
void StringScanner::sort_found() {
  if (found_.size() <= kFoundMax) keep_each_once(found_, order);
}

std::span<const FoundPart> StringScanner::scan(JsonValue value, JsonValue said,
                                               std::span<const std::string_view> before) {
  found_.clear();
  order_words_before_ = scanner_.order_words();
  structured_ = said.find("structuredContent").range();
  names_beside_.start(value);
  bool is_root = true;  // The name of the root belongs to the envelope.
  for (const JsonValue one : value.within()) {
    if (std::exchange(is_root, false) && !one.is(JsonType::string)) continue;
    add(one);
  }
  scan_batch(Joined::no);
  sort_found();
  found_apart_ = found_.size();
  visit_neighbours(value, [this](std::span<const JsonValue> texts) {
    join(texts);
    return found_.size() <= kFoundMax;
  });
  for (const std::string_view words : before)
    join_spoken(said, words);
  if (found_.size() > found_apart_) sort_found();
  return found_;
}

std::span<const FoundPart> StringScanner::scan(std::string_view text) {
  found_.clear();
  order_words_before_ = scanner_.order_words();
  scan_alone({.text = text, .part = {0, text.size()}});
  sort_found();
  return found_;
}

std::string last_words(JsonValue said, std::string_view before) {
  const std::vector<JsonValue> spoken = spoken_in(said);
  if (spoken.empty()) return std::string(before);
  std::string words(spoken.size() == 1 ? before : std::string_view());
  words += end_of(spoken.back().text());
  return std::string(end_of(words));
}

}  // namespace bartizan
