#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// The place and the reason at which a text stops being JSON.
struct JsonFlaw {
  ErrorCode code;
  std::size_t offset;
  std::string_view what = {};  ///< More exact than the code; may be empty.
};

/// The result of a strict reading.
struct JsonScan {
  std::optional<JsonFlaw> flaw;
  /// Offsets of number tokens that no u64, i64 or double holds, and that the limits permit.
  std::vector<std::uint32_t> beyond_64_bits;
};

/// Reads a text byte by byte, strictly, to find the exact error in a text that the fast reader
/// rejects. Does not check for duplicate keys.
///
/// Cost: one pass at about 0.5 GB/s. The limits bound its memory, not the text.
JsonScan scan_json(std::string_view text, const JsonLimits& limits);

}  // namespace bartizan
