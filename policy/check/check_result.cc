#include "policy/check/check_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "config/parse_units.h"
#include "policy/check/result_size.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 2> kCopies{"content", "structuredContent"};

Decision refuse(std::string_view copy, std::string_view key, std::string expected) {
  Decision denial = Decision::deny(Reason::result_too_large);
  denial.violations.push_back({.pointer = copy.empty() ? "" : "/" + std::string(copy),
                               .keyword = std::string(key),
                               .expected = std::move(expected)});
  return denial;
}

Decision check_bytes(std::uint64_t most, std::string_view copy, JsonValue value) {
  // What is decoded is never longer than its JSON.
  if (value.raw().size() <= most) return Decision::pass();
  const Media media = copy == kCopies[0] ? Media::as_base64 : Media::as_text;
  if (decoded_size(value, media) <= most) return Decision::pass();
  return refuse(copy, "max_result", "at most " + format_count(most, "byte"));
}

Decision check_entries(const std::optional<std::uint64_t>& most, Texts texts, std::string_view copy,
                       JsonValue value) {
  if (!most.has_value() || count_entries(value, texts) <= *most) return Decision::pass();
  return refuse(copy, "max_entries",
                fmt::format("at most {} {}", *most, *most == 1 ? "entry" : "entries"));
}

Decision check_shape(const ResultLimits& limits, std::string_view copy, JsonValue value) {
  const bool is_content = copy == kCopies[0];
  if (is_content && limits.blocks.has_value() && value.size() > *limits.blocks) {
    return refuse(
        copy, "max_blocks",
        fmt::format("at most {} {}", *limits.blocks, *limits.blocks == 1 ? "block" : "blocks"));
  }
  if (!is_content && limits.depth.has_value() && depth_of(value) > *limits.depth) {
    return refuse(copy, "max_depth",
                  fmt::format("at most {} {} deep", *limits.depth,
                              *limits.depth == 1 ? "object or array" : "objects and arrays"));
  }
  return Decision::pass();
}

/// What is in neither copy may together be as large as one of them.
Decision check_rest(std::uint64_t most, JsonValue result) {
  std::uint64_t rest = 0;
  for (const JsonValue member : result) {
    if (std::ranges::find(kCopies, member.key()) == kCopies.end()) rest += member.raw().size();
  }
  if (rest <= most) return Decision::pass();
  return refuse("", "max_result", "at most " + format_count(most, "byte"));
}

}  // namespace

Decision check_copy(const ResultLimits& limits, std::string_view copy, JsonValue value) {
  if (!value) return Decision::pass();
  Decision decision = check_shape(limits, copy, value);
  if (!decision.denies() && limits.bytes.has_value())
    decision = check_bytes(*limits.bytes, copy, value);
  if (!decision.denies())
    decision = check_entries(limits.elements, Texts::count_nothing, copy, value);
  if (!decision.denies()) decision = check_entries(limits.lines, Texts::count_lines, copy, value);
  return decision;
}

Decision check_error(const ResultLimits& limits, JsonValue error) {
  return limits.bytes.has_value() ? check_bytes(*limits.bytes, "", error) : Decision::pass();
}

Decision check_result(const ResultLimits& limits, JsonValue result) {
  if (limits.bytes.has_value()) {
    Decision decision = check_rest(*limits.bytes, result);
    if (decision.denies()) return decision;
  }
  for (const std::string_view copy : kCopies) {
    Decision decision = check_copy(limits, copy, result.find(copy));
    if (decision.denies()) return decision;
  }
  return Decision::pass();
}

}  // namespace bartizan
