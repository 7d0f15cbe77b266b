#include "policy/string_scanner.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bartizan {
namespace {

/// Longer strings are scanned where they stand; no name makes a secret of so much text.
constexpr std::size_t kLongText = std::size_t{8} << 10;
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;
/// What one message needed is not kept for all that follow.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

/// Whether a character goes on at a place of valid UTF-8.
bool goes_on(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

}  // namespace

void StringScanner::add_piece(Piece piece) {
  piece.begin = batch_.size();
  batch_ += piece.text;
  pieces_.push_back(piece);
}

/// A NUL ends what belongs together: nothing is ever found across one. A string that has one itself
/// is cut by it, as any text is.
void StringScanner::add(JsonValue value) {
  const bool has_name = value.key_range().size() > 0;
  const bool is_string = value.is(JsonType::string);
  if (!has_name && !is_string) return;
  if (has_name) {
    batch_ += '"';
    add_piece({.string = strings_++, .value = value, .is_name = true, .text = value.key()});
    batch_ += "\":";
  }
  if (is_string) {
    const Piece piece{.string = strings_++, .value = value, .text = value.text()};
    if (piece.text.size() < kLongText) {
      batch_ += '"';
      add_piece(piece);
      batch_ += '"';
    } else {
      scan_alone(piece);
    }
  }
  batch_ += '\0';
  if (batch_.size() >= kBatchBytes) scan_batch();
}

void StringScanner::scan_alone(const Piece& piece) {
  for (const Sighting& sighting : scanner_.scan(piece.text))
    add_found(sighting, piece);
}

void StringScanner::scan_batch() {
  for (const Sighting& sighting : scanner_.scan(batch_)) {
    // The pieces that it lies in: one, or a name and its value.
    auto piece = std::ranges::upper_bound(pieces_, sighting.begin, {}, &Piece::begin);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->begin < sighting.end; ++piece)
      add_found(sighting, *piece);
  }
  // Names may be of any length.
  if (batch_.capacity() > kKeptBytes) batch_ = std::string();
  batch_.clear();
  pieces_.clear();
}

void StringScanner::add_found(const Sighting& sighting, const Piece& piece) {
  const auto within = [&piece](std::size_t begin, std::size_t end) {
    const auto clip = [&piece](std::size_t at) {
      return std::min(std::max(at, piece.begin) - piece.begin, piece.text.size());
    };
    return ByteRange{clip(begin), clip(end)};
  };
  ByteRange part = within(sighting.begin, sighting.end);
  while (part.begin > 0 && goes_on(piece.text, part.begin))
    --part.begin;
  while (goes_on(piece.text, part.end))
    ++part.end;
  if (part.size() == 0 || found_.size() > kFoundMax) return;
  found_.push_back({.string = piece.string,
                    .value = piece.value,
                    .is_name = piece.is_name,
                    .text = piece.text,
                    .part = part,
                    .whole = within(sighting.whole_begin, sighting.whole_end),
                    .detector = sighting.detector});
}

void StringScanner::sort_found() {
  std::ranges::sort(found_, {}, [](const FoundPart& found) {
    return std::tuple(found.string, found.part.begin, ~found.part.end, found.detector);
  });
}

std::span<const FoundPart> StringScanner::scan(JsonValue value) {
  found_.clear();
  strings_ = 0;
  bool is_root = true;  // Its name is the envelope's.
  for (const JsonValue one : value.within()) {
    if (std::exchange(is_root, false) && !one.is(JsonType::string)) continue;
    add(one);
  }
  scan_batch();
  sort_found();
  return found_;
}

std::span<const FoundPart> StringScanner::scan(std::string_view text) {
  found_.clear();
  scan_alone({.text = text});
  sort_found();
  return found_;
}

}  // namespace bartizan
