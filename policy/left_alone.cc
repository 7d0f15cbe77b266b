#include "policy/left_alone.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 7> kOpaque{
    "/nextCursor", "/cursor", "/requestState",       "/progressToken",
    "/requestId",  "/taskId", "/_meta/progressToken"};

bool is_base64(std::string_view text) {
  constexpr std::size_t kPaddingMax = 2;
  const std::size_t size = text.find_last_not_of('=') + 1;
  return text.size() - size <= kPaddingMax && std::ranges::all_of(text.substr(0, size), [](char c) {
           const char letter = static_cast<char>(c | 0x20);
           return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
                  c == '/';
         });
}

/// Images and sounds have no text in them, and a few of their letters may look like anything.
bool is_media(JsonValue block, JsonValue value) {
  const bool is_data = value.key() == "data";
  if (!is_data && value.key() != "blob") return false;
  const std::string_view type = block.find("type").text();
  if (is_data && type != "image" && type != "audio") return false;
  const std::string_view mime = block.find("mimeType").text();
  constexpr std::array<std::string_view, 4> kMedia{"image/", "audio/", "video/", "font/"};
  // `image/svg+xml` is a text.
  return !mime.contains('+') && !mime.contains("svg") &&
         std::ranges::any_of(kMedia, [&](auto kind) { return mime.starts_with(kind); }) &&
         is_base64(value.text());
}

}  // namespace

bool holds(const Places& places, JsonValue value) {
  return value && std::ranges::binary_search(places, value.range().begin);
}

Places left_alone(JsonValue message, JsonValue said) {
  Places places;
  // A request's name, under which its server waits for the answer.
  if (const JsonValue id = message.find("id")) places.push_back(id.range().begin);
  for (const std::string_view pointer : kOpaque) {
    if (const JsonValue value = said.at_pointer(pointer)) places.push_back(value.range().begin);
  }
  for (const JsonValue block : said.within()) {
    if (!block.is(JsonType::object)) continue;
    for (const std::string_view name : {"data", "blob"}) {
      const JsonValue value = block.find(name);
      if (value.is(JsonType::string) && is_media(block, value)) {
        places.push_back(value.range().begin);
      }
    }
  }
  std::ranges::sort(places);
  return places;
}

}  // namespace bartizan
