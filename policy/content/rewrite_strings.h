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

/// A part of a text, and its replacement.
struct TextEdit {
  ByteRange part;
  std::string replacement;
};
using TextEdits = std::vector<TextEdit>;  ///< In order, without overlap, none empty.

/// A text with its edits applied. All other bytes stay unchanged.
std::string edited(std::string_view text, const TextEdits& edits);

/// The edits of one string: of `value`, or of its member name.
using FindEdits = std::function<TextEdits(JsonValue value, std::string_view text)>;

/// A message's bytes with the edits of every string in it, names of members included. Nothing if
/// there are no edits. Only edited parts change their spelling, with the escapes that an edit cuts.
///
/// The values of `opaque_values` are neither examined nor changed. `said` is the payload of the
/// message, and `answered` the request that it answers.
///
/// Cost: that of `find`, for each string; a copy if there are edits.
std::optional<std::string> rewrite_strings(JsonValue message, JsonValue said,
                                           const Answered& answered, const FindEdits& find);

}  // namespace bartizan
