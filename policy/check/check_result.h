#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/verdict/decision.h"
#include "schemas/json/json.h"

namespace bartizan {

/// How much a tool's result may hold, in each of its two copies.
struct ResultLimits {
  std::optional<std::uint64_t> bytes;     ///< Once decoded: escapes and base64 are not counted.
  std::optional<std::uint64_t> elements;  ///< Of arrays, of which each counts as those within it.
  std::optional<std::uint64_t> lines;     ///< As `elements`, and each text counts as its lines.
  std::optional<std::uint64_t> blocks;    ///< Of `content`.
  std::optional<std::uint64_t> depth;     ///< Of `structuredContent`.
};

/// Does a result hold more than the limits let it, in its `content` or in its `structuredContent`?
/// Two copies of the same thing are no more than one. All other members together hold no more
/// bytes, as JSON, than one of them.
///
/// Cost: nothing without limits; for bytes nothing where the JSON text is small enough, else a pass
///       over the result.
Decision check_result(const ResultLimits& limits, JsonValue result);

/// Does one copy in a result hold more than the limits let it? `copy` names it, `content` or
/// `structuredContent`; it may be absent.
Decision check_copy(const ResultLimits& limits, std::string_view copy, JsonValue value);

/// Does an error hold more bytes than a result may?
Decision check_error(const ResultLimits& limits, JsonValue error);

}  // namespace bartizan
