#include "policy/content/left_alone.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "policy/text/base64_text.h"

namespace bartizan {
namespace {

/// What stands there as it comes back: in these messages and in no others, since a server may give
/// any member such a name.
struct Opaque {
  std::string_view pointer;
  bool (*is_expected)(JsonValue message, JsonValue said);
};

bool is_page(JsonValue /*message*/, JsonValue said) {
  constexpr std::array<std::string_view, 5> kLists{"tools", "prompts", "resources",
                                                   "resourceTemplates", "tasks"};
  return std::ranges::any_of(
      kLists, [said](std::string_view list) { return said.find(list).is(JsonType::array); });
}

bool asks_for_page(JsonValue message, JsonValue /*said*/) {
  return message.find("method").text().ends_with("/list");
}

bool asks_client(JsonValue /*message*/, JsonValue said) {
  return said.find("resultType").text() == "input_required" || said.find("inputRequests");
}

bool is_progress(JsonValue message, JsonValue /*said*/) {
  return message.find("method").text() == "notifications/progress";
}

bool is_cancellation(JsonValue message, JsonValue /*said*/) {
  return message.find("method").text() == "notifications/cancelled";
}

bool is_of_task(JsonValue message, JsonValue said) {
  const std::string_view method = message.find("method").text();
  const bool is_state = said.find("status").is(JsonType::string) && said.find("createdAt");
  return is_state || method.starts_with("tasks/") || method.starts_with("notifications/tasks");
}

bool is_request(JsonValue message, JsonValue /*said*/) {
  return message.find("method") && message.find("id");
}

constexpr std::array kOpaque{Opaque{"/nextCursor", is_page},
                             Opaque{"/cursor", asks_for_page},
                             Opaque{"/requestState", asks_client},
                             Opaque{"/progressToken", is_progress},
                             Opaque{"/requestId", is_cancellation},
                             Opaque{"/taskId", is_of_task},
                             Opaque{"/_meta/progressToken", is_request}};

bool is_base64(std::string_view text) {
  constexpr std::size_t kPaddingMax = 2;
  const std::size_t size = text.find_last_not_of('=') + 1;
  return text.size() % 4 == 0 && text.size() - size <= kPaddingMax &&
         std::ranges::all_of(text.substr(0, size), [](char c) {
           const char letter = static_cast<char>(c | 0x20);
           return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
                  c == '/';
         });
}

/// How files of these kinds begin, and where: `kind` is of what may be called so.
struct Signature {
  std::string_view kind;
  std::size_t at;
  std::string_view bytes;
};

// Source: WHATWG MIME Sniffing §6; RFC 9639 (FLAC), RFC 6713 §4, ISO/IEC 14496-12 §4.3.
constexpr std::array kSignatures{
    Signature{"image/", 0, "\x89PNG\r\n"},
    Signature{"image/", 0, "\xFF\xD8\xFF"},
    Signature{"image/", 0, "GIF87a"},
    Signature{"image/", 0, "GIF89a"},
    Signature{"image/", 8, "WEBP"},
    Signature{"image/", 0, "BM"},
    Signature{"image/", 0, {"\0\0\1\0", 4}},
    Signature{"image/", 0, {"II*\0", 4}},
    Signature{"image/", 0, {"MM\0*", 4}},
    Signature{"image/", 4, "ftyp"},
    Signature{"audio/", 8, "WAVE"},
    Signature{"audio/", 8, "AIFF"},
    Signature{"audio/", 0, "ID3"},
    Signature{"audio/", 0, "\xFF\xFB"},
    Signature{"audio/", 0, "\xFF\xF3"},
    Signature{"audio/", 0, "\xFF\xF2"},
    Signature{"audio/", 0, "\xFF\xF1"},
    Signature{"audio/", 0, "\xFF\xF9"},
    Signature{"audio/", 0, "OggS"},
    Signature{"audio/", 0, "fLaC"},
    Signature{"audio/", 0, "MThd"},
    Signature{"audio/", 0, "#!AMR"},
    Signature{"audio/", 4, "ftyp"},
    Signature{"audio/", 0, "\x1A\x45\xDF\xA3"},
    Signature{"video/", 4, "ftyp"},
    Signature{"video/", 0, "\x1A\x45\xDF\xA3"},
    Signature{"video/", 0, "OggS"},
    Signature{"video/", 8, "AVI "},
    Signature{"video/", 0, {"\0\0\1\xBA", 4}},
    Signature{"font/", 0, "wOFF"},
    Signature{"font/", 0, "wOF2"},
    Signature{"font/", 0, "OTTO"},
    Signature{"font/", 0, "ttcf"},
    Signature{"font/", 0, {"\0\1\0\0", 4}},
};

/// Whether it begins as files of that type do. Whatever else is called so may be a text.
bool has_signature(std::string_view mime, std::string_view base64) {
  constexpr std::size_t kGroupsBytes = 16;
  const std::string begin = decode_base64_prefix(base64.substr(0, kGroupsBytes));
  return std::ranges::any_of(kSignatures, [&](const Signature& one) {
    return mime.starts_with(one.kind) && begin.size() > one.at &&
           std::string_view(begin).substr(one.at).starts_with(one.bytes);
  });
}

/// Images and sounds have no text in them, and a few of their letters may look like anything.
bool is_media(JsonValue block, JsonValue value) {
  const bool is_data = value.key() == "data";
  if (!is_data && value.key() != "blob") return false;
  const std::string_view type = block.find("type").text();
  if (is_data && type != "image" && type != "audio") return false;
  // `image/svg+xml` is a text, and begins as one.
  return has_signature(block.find("mimeType").text(), value.text()) && is_base64(value.text());
}

}  // namespace

bool holds(const Places& places, JsonValue value) {
  return value && std::ranges::binary_search(places, value.range().begin);
}

Places left_alone(JsonValue message, JsonValue said) {
  Places places;
  // A request's name, under which its server waits for the answer.
  if (const JsonValue id = message.find("id")) places.push_back(id.range().begin);
  for (const Opaque& one : kOpaque) {
    const JsonValue value = said.at_pointer(one.pointer);
    if (value && one.is_expected(message, said)) places.push_back(value.range().begin);
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
