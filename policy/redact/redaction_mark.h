#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {

/// How each of them begins.
inline constexpr std::string_view kRedactionMarkOpening = "[redacted:";

/// What stands in the place of what a detector found: `[redacted:github.token]`; with more to tell
/// it by, `[redacted:github.token:MORE]`.
std::string redaction_mark(std::string_view detector, std::string_view more = {});

/// Where marks stand in a text, in order: those of built-in detectors, and of `custom` ones.
std::vector<ByteRange> find_redaction_marks(std::string_view text);

/// The longest beginning of at most that many bytes that cuts no character and no mark. Of half a
/// mark nobody could tell that something was taken out, and a token would not come back as its
/// value. `text` is valid UTF-8.
std::string_view marked_head(std::string_view text, std::size_t bytes_max);

/// A text without the marks in it. What is in brackets and no mark of a detector's stays, and so do
/// those of `custom`.
std::string without_redaction_marks(std::string_view text);

}  // namespace bartizan
