#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/verdict/decision.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Limits of a tool's result, for each of its two copies.
struct ResultLimits {
  std::optional<std::uint64_t> bytes;     ///< Once decoded: escapes and base64 are not counted.
  std::optional<std::uint64_t> elements;  ///< Of arrays, of which each counts as those within it.
  std::optional<std::uint64_t> lines;     ///< As `elements`, and each text counts as its lines.
  std::optional<std::uint64_t> blocks;    ///< Of `content`.
  std::optional<std::uint64_t> depth;     ///< Of `structuredContent`.
};

/// Does a result exceed the limits, in its `content` or in its `structuredContent`? Each copy is
/// measured by itself. All other members together may have as many bytes, as JSON, as one copy.
///
/// Cost: nothing without limits; for bytes nothing where the JSON text is small enough, else a pass
///       over the result.
Decision check_result(const ResultLimits& limits, JsonValue result);

/// Does one copy in a result exceed the limits? `copy` names it, `content` or `structuredContent`.
/// It may be absent.
Decision check_copy(const ResultLimits& limits, std::string_view copy, JsonValue value);

/// Does an error have more bytes than a result may have?
Decision check_error(const ResultLimits& limits, JsonValue error);

}  // namespace bartizan
