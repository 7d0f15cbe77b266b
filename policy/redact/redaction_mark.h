#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"

namespace bartizan {

/// The beginning of each mark.
inline constexpr std::string_view kRedactionMarkOpening = "[redacted:";

/// The replacement of a match: `[redacted:github.token]`; with more to identify it,
/// `[redacted:github.token:MORE]`.
std::string redaction_mark(std::string_view detector, std::string_view more = {});

/// Finds the marks in a text, in order: those of built-in detectors, and of `custom` detectors.
std::vector<ByteRange> find_redaction_marks(std::string_view text);

/// Returns the longest head of at most `bytes_max` bytes that does not cut a character or a mark.
/// Half a mark would not show that something was redacted, and could not be restored. `text` is
/// valid UTF-8.
std::string_view marked_head(std::string_view text, std::size_t bytes_max);

/// Returns a text without the marks of built-in detectors. Marks of `custom` detectors and other
/// brackets stay.
std::string without_redaction_marks(std::string_view text);

}  // namespace bartizan
