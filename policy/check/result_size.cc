#include "policy/check/result_size.h"

#include <algorithm>
#include <cstddef>

namespace bartizan {
namespace {

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

/// A break at the end of a text begins no line. A single line is a name or a value, and no list.
std::uint64_t count_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto breaks = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  return breaks == 0 ? 0 : breaks + 1;
}

}  // namespace

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

std::uint64_t depth_of(JsonValue value) {
  if (!value.is(JsonType::object) && !value.is(JsonType::array)) return 0;
  std::uint64_t deepest = 0;
  for (const JsonValue member : value)
    deepest = std::max(deepest, depth_of(member));
  return deepest + 1;
}

}  // namespace bartizan
