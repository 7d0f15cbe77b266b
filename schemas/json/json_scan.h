#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Where and why a text stops being JSON.
struct JsonFlaw {
  ErrorCode code;
  std::size_t offset;
  std::string_view what = {};  ///< Said more exactly than the code does; empty where it is not.
};

/// What a strict reading of a text found.
struct JsonScan {
  std::optional<JsonFlaw> flaw;
  /// Where number tokens begin that no u64, i64 or double holds, and that the limits let pass.
  std::vector<std::uint32_t> beyond_64_bits;
};

/// Reads a text byte by byte, strictly, to tell what the fast reader only counts as wrong.
/// Duplicate keys are not looked for.
///
/// Cost: one pass at about 0.5 GB/s; its memory is bounded by the limits, not by the text.
JsonScan scan_json(std::string_view text, const JsonLimits& limits);

}  // namespace bartizan
