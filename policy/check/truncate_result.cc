#include "policy/check/truncate_result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "policy/check/result_size.h"
#include "policy/redact/redaction_mark.h"

namespace bartizan {
namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

/// What may still be kept.
struct Left {
  std::uint64_t bytes, elements, lines, blocks;

  bool has_room_for(JsonValue block) const {
    return blocks > 0 && decoded_size(block, Media::as_base64) <= bytes &&
           entries(block, Texts::count_nothing) <= elements &&
           entries(block, Texts::count_lines) <= lines;
  }
  void take(JsonValue block) {
    bytes -= std::min(bytes, decoded_size(block, Media::as_base64));
    elements -= std::min(elements, entries(block, Texts::count_nothing));
    lines -= std::min(lines, entries(block, Texts::count_lines));
    --blocks;
  }
  /// A block is an element itself.
  static std::uint64_t entries(JsonValue block, Texts texts) {
    return std::max<std::uint64_t>(count_entries(block, texts), 1);
  }
};

/// The longest beginning of a text with so many bytes and lines, that cuts no character and no
/// mark.
std::string_view beginning(std::string_view text, std::uint64_t bytes, std::uint64_t lines) {
  std::size_t end = 0;
  for (std::uint64_t line = 0; line < lines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return marked_head(text, static_cast<std::size_t>(std::min<std::uint64_t>(end, bytes)));
}

/// A block with the beginning of its text; empty where it has no text, or nothing of it fits.
std::string cut(JsonValue block, const Left& left) {
  const JsonValue text = block.find("text");
  if (left.blocks == 0 || !text.is(JsonType::string)) return {};
  // What stands beside the text is not cut.
  const std::uint64_t beside = Left::entries(block, Texts::count_nothing);
  if (beside > left.elements || (beside > 1 && beside >= left.lines)) return {};
  const std::uint64_t rest = decoded_size(block, Media::as_base64) - text.text().size();
  if (rest >= left.bytes) return {};
  const std::string_view kept = beginning(text.text(), left.bytes - rest, left.lines);
  if (kept.empty()) return {};
  const std::size_t at = text.range().begin - block.range().begin;
  std::string json(block.raw().substr(0, at));
  append_json_string(json, kept);
  return json.append(block.raw().substr(at + text.raw().size()));
}

/// The bounds that the result goes beyond.
std::string bounds_of(const ResultLimits& limits, JsonValue result) {
  const std::array<ResultLimits, 5> each{
      ResultLimits{.bytes = limits.bytes}, ResultLimits{.elements = limits.elements},
      ResultLimits{.lines = limits.lines}, ResultLimits{.blocks = limits.blocks},
      ResultLimits{.depth = limits.depth}};
  std::string told;
  for (const ResultLimits& one : each) {
    const Decision refusal = check_result(one, result);
    if (refusal.violations.empty()) continue;
    told += (told.empty() ? "; a result may have " : ", ") + refusal.violations[0].expected;
  }
  return told;
}

}  // namespace

TruncatedResult truncate_result(const ResultLimits& limits, JsonValue result,
                                StructuredContent structured) {
  const JsonValue content = result.find("content");
  Left left{.bytes = limits.bytes.value_or(kUnbounded),
            .elements = limits.elements.value_or(kUnbounded),
            .lines = limits.lines.value_or(kUnbounded),
            .blocks = limits.blocks.value_or(kUnbounded)};
  TruncatedResult truncated{.content = "["};
  std::size_t whole = 0;
  std::size_t blocks = 0;
  std::string beginning_of_next;
  for (const JsonValue block : content) {
    const bool is_next = whole == blocks++;
    if (!is_next) continue;
    if (left.has_room_for(block)) {
      left.take(block);
      ++whole;
      truncated.content += std::string(block.raw()) + ",";
    } else {
      beginning_of_next = cut(block, left);
    }
  }
  const JsonValue copy = result.find("structuredContent");
  truncated.keeps_structured_content = copy && structured == StructuredContent::fits &&
                                       !check_copy(limits, "structuredContent", copy).denies();
  if (!beginning_of_next.empty()) truncated.content += beginning_of_next + ",";
  const std::string said =
      fmt::format("[truncated: {} of {} blocks{}{}{}]", whole, blocks,
                  beginning_of_next.empty() ? "" : " and the beginning of the next",
                  copy && !truncated.keeps_structured_content ? ", without structured content" : "",
                  bounds_of(limits, result));
  truncated.content += R"({"type":"text","text":)";
  append_json_string(truncated.content, said);
  truncated.content += "}]";
  return truncated;
}

}  // namespace bartizan
