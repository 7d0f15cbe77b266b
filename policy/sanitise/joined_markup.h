#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "policy/sanitise/active_markup.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A part of a text that is active only together with adjacent texts.
struct JoinedPart {
  std::size_t text;  ///< The offset of the text in the message.
  ActivePart part;   ///< In the visible form of the text.
};

/// Such parts in the order of the message, each once. Empty if there are more than
/// `kHiddenPartsMax`.
struct JoinedMarkup {
  std::vector<JoinedPart> parts;
  bool has_too_many = false;

  /// The parts of the text at that offset.
  std::span<const JoinedPart> of(std::size_t text) const;
};

/// Returns the visible form of a text that is shown with others; empty for one that is shown alone.
using SeenText = std::function<std::string(JsonValue text)>;

/// Finds tags and links that are active across the texts of one list (`visit_neighbours`). The
/// texts are joined directly, and with a newline between, as clients join them. A tag may begin in
/// one text and end in the next.
///
/// Cost: a copy and at most four searches of the texts of each list. `seen` is called at most twice
///       for each.
JoinedMarkup find_joined_markup(JsonValue message, const SeenText& seen,
                                const LinkFilter& may_lead_to);

}  // namespace bartizan
