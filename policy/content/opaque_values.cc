#include "policy/content/opaque_values.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "policy/text/base64_text.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// A message whose members are examined.
struct Envelope {
  JsonValue message;
  JsonValue said;
  Answered answered;
  /// False for a part that a server wrote within a message, such as an entry of a list: its members
  /// name no method.
  bool is_whole = true;

  /// Whether it is the result of one of these methods.
  bool answers(std::span<const MethodId> methods) const {
    return !message.find("method") && said.key() != "error" &&
           std::ranges::find(methods, answered.method) != methods.end();
  }
  MethodId method() const {
    return is_whole ? find_method(message.find("method").text()).id : MethodId::unknown;
  }
};

/// An opaque value, in these messages only, since a server may use its name for any member.
struct Opaque {
  std::string_view pointer;
  bool (*is_expected)(const Envelope& envelope);
};

bool is_page(const Envelope& envelope) {
  static constexpr std::array kLists{MethodId::tools_list,     MethodId::prompts_list,
                                     MethodId::resources_list, MethodId::resources_templates_list,
                                     MethodId::skills_list,    MethodId::resources_directory_read,
                                     MethodId::tasks_list};
  return envelope.answers(kLists);
}

/// Without that type, a modern result is complete. No earlier revision has such a state.
bool asks_client(const Envelope& envelope) {
  static constexpr std::array kAsking{MethodId::tools_call, MethodId::prompts_get,
                                      MethodId::resources_read};
  return envelope.answered.era == Era::modern && envelope.answers(kAsking) &&
         envelope.said.find("resultType").text() == "input_required";
}

bool is_progress(const Envelope& envelope) {
  return envelope.method() == MethodId::notifications_progress;
}

bool is_cancellation(const Envelope& envelope) {
  return envelope.method() == MethodId::notifications_cancelled;
}

bool is_of_task(const Envelope& envelope) {
  static constexpr std::array kTasks{MethodId::tasks_get, MethodId::tasks_cancel,
                                     MethodId::tasks_update};
  static constexpr std::array kCalls{MethodId::tools_call};
  const MethodId method = envelope.method();
  const bool is_begun = envelope.answered.era == Era::modern && envelope.answers(kCalls) &&
                        envelope.said.find("resultType").text() == "task";
  return is_begun || envelope.answers(kTasks) || method == MethodId::notifications_tasks ||
         method == MethodId::notifications_tasks_status;
}

bool is_request(const Envelope& envelope) {
  return envelope.method() != MethodId::unknown && envelope.message.find("id");
}

constexpr std::array kOpaque{
    Opaque{"/nextCursor", is_page},        Opaque{"/requestState", asks_client},
    Opaque{"/progressToken", is_progress}, Opaque{"/requestId", is_cancellation},
    Opaque{"/taskId", is_of_task},         Opaque{"/_meta/progressToken", is_request}};

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

/// The begin of files of a type: `first`, and `then` at a later place.
struct Signature {
  std::string_view type;
  std::string_view first;
  std::size_t at = 0;
  std::string_view then = {};
};

constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kEbml = "\x1A\x45\xDF\xA3";
constexpr std::string_view kOgg("OggS\0", 5);
/// The first box of an ISO/IEC 14496-12 file is short.
constexpr std::string_view kBox("\0\0", 2);

// Source: WHATWG MIME Sniffing §6; PNG, third edition, §5.2; RFC 9639 §8 (FLAC), RFC 3533 §6 (Ogg),
// RFC 8794 §4 (EBML), ISO/IEC 14496-12 §4.3, WOFF 1.0 and 2.0.
constexpr std::array kSignatures{
    Signature{"image/png", kPng},
    Signature{"image/apng", kPng},
    Signature{"image/jpeg", "\xFF\xD8\xFF"},
    Signature{"image/jpg", "\xFF\xD8\xFF"},
    Signature{"image/gif", "GIF87a"},
    Signature{"image/gif", "GIF89a"},
    Signature{"image/webp", "RIFF", 8, "WEBP"},
    Signature{"image/bmp", "BM", 6, {"\0\0\0\0", 4}},
    Signature{"image/x-icon", {"\0\0\1\0", 4}},
    Signature{"image/vnd.microsoft.icon", {"\0\0\1\0", 4}},
    Signature{"image/tiff", {"II*\0", 4}},
    Signature{"image/tiff", {"MM\0*", 4}},
    Signature{"image/avif", kBox, 4, "ftyp"},
    Signature{"image/heic", kBox, 4, "ftyp"},
    Signature{"image/heif", kBox, 4, "ftyp"},
    Signature{"audio/wav", "RIFF", 8, "WAVE"},
    Signature{"audio/x-wav", "RIFF", 8, "WAVE"},
    Signature{"audio/wave", "RIFF", 8, "WAVE"},
    Signature{"audio/vnd.wave", "RIFF", 8, "WAVE"},
    Signature{"audio/aiff", "FORM", 8, "AIF"},
    Signature{"audio/x-aiff", "FORM", 8, "AIF"},
    Signature{"audio/mpeg", "ID3"},
    Signature{"audio/mpeg", "\xFF\xFB"},
    Signature{"audio/mpeg", "\xFF\xFA"},
    Signature{"audio/mpeg", "\xFF\xF3"},
    Signature{"audio/mpeg", "\xFF\xF2"},
    Signature{"audio/mp3", "ID3"},
    Signature{"audio/mp3", "\xFF\xFB"},
    Signature{"audio/mp3", "\xFF\xFA"},
    Signature{"audio/mp3", "\xFF\xF3"},
    Signature{"audio/mp3", "\xFF\xF2"},
    Signature{"audio/aac", "\xFF\xF1"},
    Signature{"audio/aac", "\xFF\xF9"},
    Signature{"audio/ogg", kOgg},
    Signature{"audio/opus", kOgg},
    Signature{"audio/flac", "fLaC"},
    Signature{"audio/x-flac", "fLaC"},
    Signature{"audio/midi", "MThd"},
    Signature{"audio/amr", "#!AMR\n"},
    Signature{"audio/mp4", kBox, 4, "ftyp"},
    Signature{"audio/x-m4a", kBox, 4, "ftyp"},
    Signature{"audio/webm", kEbml},
    Signature{"video/mp4", kBox, 4, "ftyp"},
    Signature{"video/quicktime", kBox, 4, "ftyp"},
    Signature{"video/webm", kEbml},
    Signature{"video/x-matroska", kEbml},
    Signature{"video/ogg", kOgg},
    Signature{"video/x-msvideo", "RIFF", 8, "AVI "},
    Signature{"video/mpeg", {"\0\0\1\xBA", 4}},
    Signature{"video/mpeg", {"\0\0\1\xB3", 4}},
    Signature{"font/woff", "wOFF"},
    Signature{"font/woff2", "wOF2"},
    Signature{"font/otf", "OTTO"},
    Signature{"font/collection", "ttcf"},
    Signature{"font/ttf", {"\0\1\0\0", 4}},
};

/// A MIME type without its parameters, in lower case.
std::string essence_of(std::string_view mime) {
  const std::size_t end = std::min(mime.find_first_of("; \t"), mime.size());
  std::string essence;
  for (const char c : mime.substr(0, end))
    essence += lower_case(c);
  return essence;
}

/// Whether no text begins with these bytes: a signature of letters alone may begin any text.
bool is_binary(std::string_view begin) {
  static constexpr std::string_view kOfTexts = "\t\n\f\r\x1B";
  return std::ranges::any_of(begin, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xFF || (byte < ' ' && !kOfTexts.contains(c));
  });
}

/// Whether it begins as files of exactly that type do. Other data with that type may be a text.
bool has_signature(std::string_view mime, std::string_view base64) {
  // Lengths and versions are there, which a text does not have.
  constexpr std::size_t kLettersRead = 128;
  const std::string begin = decode_base64_prefix(base64.substr(0, kLettersRead));
  const std::string type = essence_of(mime);
  return std::ranges::any_of(kSignatures, [&](const Signature& one) {
    if (type != one.type || !begin.starts_with(one.first)) return false;
    if (begin.size() < one.at) return false;
    return std::string_view(begin).substr(one.at).starts_with(one.then) && is_binary(begin);
  });
}

/// Images and sounds have no text in them, and a few of their letters may look like anything.
bool is_media(JsonValue block, JsonValue value) {
  const bool is_data = value.key() == "data";
  if (!is_data && value.key() != "blob") return false;
  const std::string_view type = block.find("type").text();
  const std::string_view mime = block.find("mimeType").text();
  if (is_data && type != "image" && type != "audio") return false;
  if (is_data && !mime.starts_with(type)) return false;
  // `image/svg+xml` is a text, and begins as one.
  return has_signature(mime, value.text()) && is_base64(value.text());
}

}  // namespace

bool holds(const Offsets& places, JsonValue value) {
  return value && std::ranges::binary_search(places, value.range().begin);
}

Offsets opaque_values(JsonValue message, JsonValue said, const Answered& answered) {
  Offsets places;
  // The id of a request, by which its server recognises the answer. A part that is not an envelope,
  // such as an entry of a list, has none.
  const bool is_envelope = !said || said.range().begin != message.range().begin;
  const JsonValue id = message.find("id");
  if (is_envelope && id) places.push_back(id.range().begin);
  const Envelope envelope{
      .message = message, .said = said, .answered = answered, .is_whole = is_envelope};
  for (const Opaque& one : kOpaque) {
    const JsonValue value = said.at_pointer(one.pointer);
    if (value && one.is_expected(envelope)) places.push_back(value.range().begin);
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
