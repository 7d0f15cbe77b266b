#include "policy/joined_markup.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/hidden_text.h"
#include "policy/neighbours.h"

namespace bartizan {
namespace {

/// Neighbours as one text.
struct JoinedTexts {
  struct Piece {
    std::size_t begin;  ///< In the text.
    std::size_t value;  ///< Where its own begins in the message.
  };
  std::string text;
  std::vector<Piece> pieces;
};

JoinedTexts join(std::span<const JsonValue> texts, const SeenText& seen, std::string_view between) {
  JoinedTexts joined;
  for (const JsonValue text : texts) {
    const std::string part = seen(text);
    if (part.empty()) continue;
    if (!joined.pieces.empty()) joined.text += between;
    joined.pieces.push_back({joined.text.size(), text.range().begin});
    joined.text += part;
  }
  return joined;
}

auto place(const JoinedPart& one) {
  return std::tuple(one.text, one.part.edit.part.begin);
}

void add_parts(std::vector<JoinedPart>& parts, const JoinedTexts& joined,
               const LinkFilter& may_lead_to) {
  for (ActivePart& part : find_active_markup(joined.text, may_lead_to)) {
    // Texts that are a URL as a whole are looked at one by one.
    if (part.kind == ActiveKind::script) continue;
    const auto behind = std::ranges::upper_bound(joined.pieces, part.edit.part.begin, {},
                                                 &JoinedTexts::Piece::begin);
    const JoinedTexts::Piece& piece = *std::prev(behind);
    part.edit.part.begin -= piece.begin;
    part.edit.part.end -= piece.begin;
    parts.push_back({piece.value, std::move(part)});
  }
}

/// Lists within lists say the same texts.
void keep_each_once(std::vector<JoinedPart>& parts) {
  std::ranges::sort(parts, {}, place);
  const auto again = std::ranges::unique(parts, {}, place);
  parts.erase(again.begin(), again.end());
}

}  // namespace

std::vector<ActivePart> JoinedMarkup::of(std::size_t text) const {
  std::vector<ActivePart> all;
  for (const JoinedPart& one : std::ranges::equal_range(parts, text, {}, &JoinedPart::text))
    all.push_back(one.part);
  return all;
}

JoinedMarkup find_joined_markup(JsonValue message, const SeenText& seen,
                                const LinkFilter& may_lead_to) {
  JoinedMarkup markup;
  std::size_t known = 0;  // Parts that are in order already.
  visit_neighbours(message, [&](std::span<const JsonValue> texts) {
    for (const std::string_view between : {"", "\n"}) {
      add_parts(markup.parts, join(texts, seen, between), may_lead_to);
      // In order now and then, so that what is found twice is not kept twice for long.
      if (markup.parts.size() > std::max(2 * known, kHiddenPartsMax)) {
        keep_each_once(markup.parts);
        known = markup.parts.size();
      }
      if (known > kHiddenPartsMax) return false;
    }
    return true;
  });
  keep_each_once(markup.parts);
  markup.has_too_many = markup.parts.size() > kHiddenPartsMax;
  if (markup.has_too_many) markup.parts = {};
  return markup;
}

}  // namespace bartizan
