#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Why a part of a text is not visible to a reader.
enum class HiddenKind : std::uint8_t {
  control,     ///< C0 and C1 without tab, newline, and a carriage return before a newline.
  escape,      ///< A whole sequence of ECMA-48: colours, cursors, titles, links, clipboards.
  line_break,  ///< One at which only some readers break, or with which terminals overwrite.
  zero_width,  ///< Joiners without effect, spaces without width, fillers.
  bidi,        ///< Overrides, embeddings, isolates, and unnecessary marks.
  tag,         ///< Letters that only machines read.
  variation_selector,  ///< After a character without such a variation.
  soft_hyphen,
  private_use,
  unassigned,
  noncharacter,
  annotation,  ///< Interlinear annotations.
  format,      ///< Other format characters without effect.
  marks,       ///< More marks on one letter than any script has.
};
inline constexpr std::size_t kHiddenKindCount = 14;

/// The name in records and metrics: `zero-width`.
std::string_view text(HiddenKind kind);

/// An invisible part of a text. Adjacent parts of one kind are one part.
struct HiddenPart {
  ByteRange range;
  HiddenKind kind = HiddenKind::control;

  bool operator==(const HiddenPart&) const = default;
};

/// The search in a text ends after so many parts.
inline constexpr std::size_t kHiddenPartsMax = 1'000'000;

/// Returns the invisible parts of a text, in order. Characters that a script needs are not parts:
/// joiners between joining letters and between emoji, selectors after characters with variations,
/// direction marks beside right-to-left letters. The flags of England, Scotland and Wales, and a
/// byte order mark at the start, are not parts either. After the removal of all parts nothing is
/// found, unless they are replaced by something.
///
/// Input:  UTF-8. Invalid bytes are skipped, and may become characters when parts are removed.
/// Cost:   linear; for ASCII, the cost of reading it.
/// Source: ECMA-48 §5.4, §5.6; UTS 39 §5.4 and UTS 51, ED-11 to ED-16; Unicode 15, §23.
std::vector<HiddenPart> find_hidden(std::string_view text);

/// Whether there is a hidden part. Cost: linear, up to the first.
bool has_hidden(std::string_view text);

}  // namespace bartizan
