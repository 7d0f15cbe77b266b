#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/content/opaque_values.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A part of a text, and what stands in its place.
struct TextEdit {
  ByteRange part;
  std::string replacement;
};
using TextEdits = std::vector<TextEdit>;  ///< In order, none within another, none of no bytes.

/// A text with its edits done. Every byte outside of them is kept as it is.
std::string edited(std::string_view text, const TextEdits& edits);

/// What is to be changed of one string: of `value`, or of the name that it stands under.
using FindEdits = std::function<TextEdits(JsonValue value, std::string_view text)>;

/// A message's bytes with the edits of every string in it, names of members included; nothing where
/// there are none. Spelled otherwise is only what is edited, with escapes that it cuts.
///
/// Left as they are, and not looked at, are the values that `opaque_values` has; `said` is what the
/// message says, and `answered` what it answers.
///
/// Cost: that of `find`, for each string; a copy where something is found.
std::optional<std::string> rewrite_strings(JsonValue message, JsonValue said,
                                           const Answered& answered, const FindEdits& find);

}  // namespace bartizan
