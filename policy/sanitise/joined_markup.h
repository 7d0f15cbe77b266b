#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "policy/sanitise/active_markup.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A part of a text that is active once its neighbours are read with it.
struct JoinedPart {
  std::size_t text;  ///< Where the text begins in the message.
  ActivePart part;   ///< Of what is seen of the text.
};

/// Such parts, by where they stand, each once; none where there are more than `kHiddenPartsMax`.
struct JoinedMarkup {
  std::vector<JoinedPart> parts;
  bool has_too_many = false;

  /// Those of the text that begins there.
  std::span<const JoinedPart> of(std::size_t text) const;
};

/// What is seen of a text where it is shown beside others; empty for one that is shown by itself.
using SeenText = std::function<std::string(JsonValue text)>;

/// The tags and links that are active in texts of one list (`visit_neighbours`), joined one right
/// behind the other, or with a newline between, as those who show them join them: one may begin in
/// one text and end in the next.
///
/// Cost: of lists that say texts, a copy and four searches of these at most; `seen` is asked twice
///       at most.
JoinedMarkup find_joined_markup(JsonValue message, const SeenText& seen,
                                const LinkFilter& may_lead_to);

}  // namespace bartizan
