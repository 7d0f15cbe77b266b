#include "policy/sanitise/joined_markup.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/text/adjacent_texts.h"
#include "policy/text/hidden_text.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// Adjacent texts as one text.
struct JoinedTexts {
  struct Piece {
    std::size_t begin;  ///< In the joined text.
    std::size_t value;  ///< The offset of its value in the message.
  };
  std::string text;
  std::vector<Piece> pieces;
};

/// The visible form of a text, and its offset in the message.
struct SeenAt {
  std::size_t value;
  std::string text;
};

std::vector<SeenAt> seen_of(std::span<const JsonValue> texts, const SeenText& seen) {
  std::vector<SeenAt> all;
  for (const JsonValue text : texts) {
    std::string part = seen(text);
    if (!part.empty()) all.push_back({text.range().begin, std::move(part)});
  }
  return all;
}

JoinedTexts join(std::span<const SeenAt> texts, std::string_view between) {
  JoinedTexts joined;
  for (const SeenAt& one : texts) {
    if (!joined.pieces.empty()) joined.text += between;
    joined.pieces.push_back({joined.text.size(), one.value});
    joined.text += one.text;
  }
  return joined;
}

auto place(const JoinedPart& one) {
  return std::tuple(one.text, one.part.edit.part.begin);
}

void add_parts(std::vector<JoinedPart>& parts, const JoinedTexts& joined,
               const LinkFilter& may_lead_to) {
  for (ActivePart& part : find_active_markup(joined.text, may_lead_to)) {
    // Texts that are a URL as a whole are examined alone.
    if (part.kind == ActiveKind::script) continue;
    const auto behind = std::ranges::upper_bound(joined.pieces, part.edit.part.begin, {},
                                                 &JoinedTexts::Piece::begin);
    const JoinedTexts::Piece& piece = *std::prev(behind);
    part.edit.part.begin -= piece.begin;
    part.edit.part.end -= piece.begin;
    parts.push_back({piece.value, std::move(part)});
  }
}

}  // namespace

std::span<const JoinedPart> JoinedMarkup::of(std::size_t text) const {
  return std::ranges::equal_range(parts, text, {}, &JoinedPart::text);
}

JoinedMarkup find_joined_markup(JsonValue message, const SeenText& seen,
                                const LinkFilter& may_lead_to) {
  JoinedMarkup markup;
  std::size_t known = 0;  // The number of parts that are already sorted.
  visit_neighbours(message, [&](std::span<const JsonValue> texts) {
    const std::vector<SeenAt> all = seen_of(texts, seen);
    if (all.size() < 2) return true;
    for (const std::string_view between : {"", "\n"}) {
      add_parts(markup.parts, join(all, between), may_lead_to);
      // Sorts now and then, so that duplicates are soon removed.
      if (markup.parts.size() > std::max(2 * known, kHiddenPartsMax)) {
        keep_each_once(markup.parts, place);
        known = markup.parts.size();
      }
      if (known > kHiddenPartsMax) return false;
    }
    return true;
  });
  keep_each_once(markup.parts, place);  // Nested lists have the same texts.
  markup.has_too_many = markup.parts.size() > kHiddenPartsMax;
  if (markup.has_too_many) markup.parts = {};
  return markup;
}

}  // namespace bartizan
