#include "audit/encode_record.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "audit/chain.h"
#include "audit/record_members.h"
#include "schemas/base/byte_block.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Room after a line for copies of a fixed size.
constexpr std::size_t kBeyond = 24;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kCut = "\xE2\x80\xA6";

char* put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

/// The text before a member's value, `,"decision_id":`, padded to a fixed size. A copy of that size
/// takes two instructions, whatever the name's length.
struct NameText {
  consteval explicit NameText(std::string_view name) : size(name.size() + 4) {
    char* end = std::ranges::copy(std::string_view(",\""), text.data()).out;
    end = std::ranges::copy(name, end).out;
    std::ranges::copy(std::string_view("\":"), end);
  }

  std::array<char, kBeyond> text{};
  std::size_t size;
};

// Whether a byte must be escaped or is not ASCII.
bool has_special(ByteVector<16> bytes) {
  return (bytes.below(' ') | bytes.equal('"') | bytes.equal('\\')) != 0;
}

bool is_special(char byte) {
  const auto value = static_cast<std::uint8_t>(byte);
  return value < 0x20 || value >= 0x80 || byte == '"' || byte == '\\';
}

// For texts of `kHalf` to twice `kHalf` bytes: the first and the last `kHalf` bytes, which may
// overlap, are the whole text.
template <std::size_t kHalf>
char* put_halves(char* out, std::string_view text) {
  const std::size_t last = text.size() - kHalf;
  std::array<char, 16> both;
  both.fill(' ');
  std::memcpy(both.data(), text.data(), kHalf);
  std::memcpy(both.data() + kHalf, text.data() + last, kHalf);
  if (has_special(ByteVector<16>(both.data()))) return nullptr;
  std::memcpy(out, both.data(), kHalf);
  std::memcpy(out + last, both.data() + kHalf, kHalf);
  return out + text.size();
}

// Copies and checks sixteen bytes at a time; the last sixteen overlap. Null if the text needs the
// slow path.
char* put_plain(char* out, std::string_view text) {
  constexpr std::size_t kStep = 16;
  if (text.size() < 4) {
    for (const char byte : text) {
      if (is_special(byte)) return nullptr;
      *out++ = byte;
    }
    return out;
  }
  if (text.size() < 8) return put_halves<4>(out, text);
  if (text.size() < kStep) return put_halves<8>(out, text);
  const std::size_t last = text.size() - kStep;
  for (std::size_t at = 0; at < last; at += kStep) {
    if (has_special(ByteVector<kStep>(text.data() + at))) return nullptr;
    std::memcpy(out + at, text.data() + at, kStep);
  }
  if (has_special(ByteVector<kStep>(text.data() + last))) return nullptr;
  std::memcpy(out + last, text.data() + last, kStep);
  return out + text.size();
}

char* put_escape(char* out, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (byte) {
    case '"':
      return put(out, "\\\"");
    case '\\':
      return put(out, "\\\\");
    case '\b':
      return put(out, "\\b");
    case '\f':
      return put(out, "\\f");
    case '\n':
      return put(out, "\\n");
    case '\r':
      return put(out, "\\r");
    case '\t':
      return put(out, "\\t");
    default:
      break;
  }
  out = put(out, "\\u00");
  *out++ = kDigits[static_cast<std::uint8_t>(byte) >> 4];
  *out++ = kDigits[static_cast<std::uint8_t>(byte) & 15];
  return out;
}

// Counts bytes as a reader sees them: after replacing and before escaping. So a verifier's encoding
// does not cut a text again.
char* put_repaired(char* out, std::string_view text, std::size_t bytes_max) {
  std::size_t used = 0;
  char* cut = out;
  while (!text.empty()) {
    const std::size_t size = read_utf8(text).size;
    const std::string_view piece = size == 0 ? kReplacement : text.substr(0, size);
    if (used + piece.size() > bytes_max) return put(cut, kCut);
    const bool escape = size == 1 && is_special(text[0]);
    out = escape ? put_escape(out, text[0]) : put(out, piece);
    used += piece.size();
    if (used + kCut.size() <= bytes_max) cut = out;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

char* put_string(char* out, std::string_view text, std::size_t bytes_max) {
  *out++ = '"';
  char* end = text.size() <= bytes_max ? put_plain(out, text) : nullptr;
  if (end == nullptr) end = put_repaired(out, text, bytes_max);
  *end++ = '"';
  return end;
}

template <class Integer>
char* put_integer(char* out, Integer value) {
  return std::to_chars(out, out + 20, value).ptr;
}

void put_digits(char* out, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

char* put_name(char* out, const NameText& name) {
  std::memcpy(out, name.text.data(), name.text.size());
  return out + name.size;
}

// All of some forty members share these few functions, which then stay in the cache. Inlined for
// each member they were a tenth of the code of a call.
[[gnu::noinline]] char* put_member(char* out, const NameText& name, std::string_view text,
                                   std::size_t bytes_max) {
  return put_string(put_name(out, name), text, bytes_max);
}

[[gnu::noinline]] char* put_member(char* out, const NameText& name,
                                   const std::vector<std::string_view>& items,
                                   std::size_t bytes_max) {
  out = put_name(out, name);
  *out++ = '[';
  const std::size_t count = std::min(items.size(), kItemsMax);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) *out++ = ',';
    out = put_string(out, items[i], bytes_max);
  }
  *out++ = ']';
  return out;
}

/// Writes the members that are present.
class MemberWriter {
 public:
  explicit MemberWriter(char* out) : out_(out) {}

  template <class Name>
  void operator()(Name, std::string_view text, std::size_t bytes_max) {
    if (!text.empty()) out_ = put_member(out_, kName<Name>, text, bytes_max);
  }
  template <class Name>
  void operator()(Name, const std::vector<std::string_view>& items, std::size_t bytes_max) {
    if (!items.empty()) out_ = put_member(out_, kName<Name>, items, bytes_max);
  }
  template <class Name>
  void operator()(Name, Outcome outcome, std::size_t) {
    if (outcome != Outcome::none) out_ = put_member(out_, kName<Name>, text(outcome), kTextMax);
  }
  template <class Name, class Integer>
  void operator()(Name, Integer value, std::size_t) {
    if (value != 0) out_ = put_integer(put_name(out_, kName<Name>), value);
  }

  char* end() const { return out_; }

 private:
  template <class Name>
  static constexpr NameText kName{Name::text};

  char* out_;
};

char* put_body(char* out, const Record& record) {
  out = put(out, R"("v":1,"kind":")");
  out = put(out, text(record.kind));
  out = put(out, R"(","time":")");
  const std::array<char, 27> time = time_text(record.time);
  out = put(out, std::string_view(time.data(), time.size()));
  *out++ = '"';
  MemberWriter writer(out);
  visit_members(record, writer);
  return writer.end();
}

}  // namespace

std::array<char, 27> time_text(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto micros = floor<microseconds>(time);
  const auto day = floor<days>(micros);
  const year_month_day date(day);
  const auto of_day = static_cast<std::uint64_t>((micros - day).count());
  const auto second = static_cast<std::uint32_t>(of_day / 1'000'000);
  std::array<char, 27> text;
  put(text.data(), "0000-00-00T00:00:00.000000Z");
  put_digits(&text[0], static_cast<std::uint32_t>(static_cast<int>(date.year())), 4);
  put_digits(&text[5], static_cast<unsigned>(date.month()), 2);
  put_digits(&text[8], static_cast<unsigned>(date.day()), 2);
  put_digits(&text[11], second / 3600, 2);
  put_digits(&text[14], second / 60 % 60, 2);
  put_digits(&text[17], second % 60, 2);
  put_digits(&text[20], static_cast<std::uint32_t>(of_day % 1'000'000), 6);
  return text;
}

EncodedRecord encode_record(const Record& record, Digester& digester) {
  // The bounds of texts keep every line below this size, so writing needs no size checks. Only the
  // used part of the memory is touched.
  thread_local const auto room = std::make_unique_for_overwrite<char[]>(kRecordLineMax + kBeyond);
  EncodedRecord encoded;
  encoded.body.assign(room.get(), put_body(room.get(), record));
  encoded.digest = digester.sha256(encoded.body);
  return encoded;
}

EncodedRecord encode_record(const Record& record) {
  // Scratch memory of the thread: nothing in it outlives a call. Creating one takes three times as
  // long as encoding.
  thread_local Digester digester;
  return encode_record(record, digester);
}

}  // namespace bartizan
