#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Why a part of a text is not seen by whoever reads it.
enum class HiddenKind : std::uint8_t {
  control,     ///< C0 and C1 but tab, newline, and a carriage return before a newline.
  escape,      ///< A whole sequence of ECMA-48: colours, cursors, titles, links, clipboards.
  line_break,  ///< One that only some readers break at, or that terminals overwrite with.
  zero_width,  ///< Joiners that join nothing, spaces without width, fillers.
  bidi,        ///< Overrides, embeddings, isolates, and marks with no need for one.
  tag,         ///< Letters that only machines read.
  variation_selector,  ///< One behind what has no such variation.
  soft_hyphen,
  private_use,
  unassigned,
  noncharacter,
  annotation,  ///< Interlinear annotations.
  format,      ///< Other characters that only format, where they format nothing.
  marks,       ///< More of them on one letter than any script writes.
};
inline constexpr std::size_t kHiddenKindCount = 14;

/// As records and metrics have it: `zero-width`.
std::string_view text(HiddenKind kind);

/// A part of a text that is not seen. Parts of one kind that touch each other are one.
struct HiddenPart {
  ByteRange range;
  HiddenKind kind = HiddenKind::control;

  bool operator==(const HiddenPart&) const = default;
};

/// Of a text with more of them the rest is not looked for.
inline constexpr std::size_t kHiddenPartsMax = 1'000'000;

/// What is hidden in a text, in order. What scripts need is left alone where they need it: joiners
/// between letters that join and between emoji, selectors behind what varies, marks of direction
/// beside right-to-left letters, the flags of England, Scotland and Wales, a byte order mark at
/// the start. In a text without these parts nothing is found, unless something stands in their
/// place.
///
/// Input:  UTF-8; bytes that are none are left alone, and may be others once parts are taken out.
/// Cost:   linear; of ASCII, what reading it costs.
/// Source: ECMA-48 §5.4, §5.6; UTS 39 §5.4 and UTS 51, ED-11 to ED-16; Unicode 15, §23.
std::vector<HiddenPart> find_hidden(std::string_view text);

/// Whether it finds anything. Cost: linear, up to the first.
bool has_hidden(std::string_view text);

}  // namespace bartizan
