#include "policy/check_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "config/parse_units.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 2> kCopies{"content", "structuredContent"};

/// Media and blobs are base64: four letters for three bytes.
/// Source: MCP 2025-11-25, schema, "ImageContent", "AudioContent", "BlobResourceContents".
bool is_base64(std::string_view member) {
  return member == "data" || member == "blob";
}

std::uint64_t base64_size(std::string_view text) {
  const std::size_t padding =
      std::min<std::size_t>(2, text.size() - (text.find_last_not_of('=') + 1));
  const std::uint64_t bytes = (text.size() * 3 + 3) / 4;
  return bytes - std::min<std::uint64_t>(bytes, padding);
}

/// Whether members can be base64, as those of content blocks are.
enum class Media : std::uint8_t { as_base64, as_text };

/// The bytes of all that a value says, names included. JSON bounds the depth.
std::uint64_t decoded_size(JsonValue value, Media media) {
  if (value.is(JsonType::string)) return value.text().size();
  const bool is_object = value.is(JsonType::object);
  if (!is_object && !value.is(JsonType::array)) return value.raw().size();
  std::uint64_t size = 0;
  for (const JsonValue member : value) {
    if (!is_object) {
      size += decoded_size(member, media);
      continue;
    }
    const bool is_media =
        media == Media::as_base64 && is_base64(member.key()) && member.is(JsonType::string);
    size += member.key().size();
    size += is_media ? base64_size(member.text()) : decoded_size(member, media);
  }
  return size;
}

/// A break at the end of a text begins no line. A single line is a name or a value, and no list.
std::uint64_t count_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto breaks = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  return breaks == 0 ? 0 : breaks + 1;
}

enum class Texts : std::uint8_t { count_nothing, count_lines };

/// An element counts as what it holds, and at least as one: a table as its cells, a tree as its
/// leaves, so that nesting hides nothing.
std::uint64_t count_entries(JsonValue value, Texts texts) {
  if (value.is(JsonType::string)) {
    return texts == Texts::count_lines ? count_lines(value.text()) : 0;
  }
  const bool is_array = value.is(JsonType::array);
  if (!is_array && !value.is(JsonType::object)) return 0;
  std::uint64_t count = 0;
  for (const JsonValue member : value) {
    const std::uint64_t within = count_entries(member, texts);
    count += is_array ? std::max<std::uint64_t>(within, 1) : within;
  }
  return count;
}

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
  return refuse(copy, "max_result", "at most " + told_count(most, "byte"));
}

Decision check_entries(const std::optional<std::uint64_t>& most, Texts texts, std::string_view copy,
                       JsonValue value) {
  if (!most.has_value() || count_entries(value, texts) <= *most) return Decision::pass();
  return refuse(copy, "max_entries",
                fmt::format("at most {} {}", *most, *most == 1 ? "entry" : "entries"));
}

/// What is in neither copy may together be as large as one of them.
Decision check_rest(std::uint64_t most, JsonValue result) {
  std::uint64_t rest = 0;
  for (const JsonValue member : result) {
    if (std::ranges::find(kCopies, member.key()) == kCopies.end()) rest += member.raw().size();
  }
  if (rest <= most) return Decision::pass();
  return refuse("", "max_result", "at most " + told_count(most, "byte"));
}

}  // namespace

Decision check_result(const ResultLimits& limits, JsonValue result) {
  if (limits.bytes.has_value()) {
    Decision decision = check_rest(*limits.bytes, result);
    if (decision.denies()) return decision;
  }
  for (const std::string_view copy : kCopies) {
    const JsonValue value = result.find(copy);
    if (!value) continue;
    Decision decision = Decision::pass();
    if (limits.bytes.has_value()) decision = check_bytes(*limits.bytes, copy, value);
    if (!decision.denies())
      decision = check_entries(limits.elements, Texts::count_nothing, copy, value);
    if (!decision.denies()) decision = check_entries(limits.lines, Texts::count_lines, copy, value);
    if (decision.denies()) return decision;
  }
  return Decision::pass();
}

}  // namespace bartizan
