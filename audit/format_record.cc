#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>

#include "audit/chain.h"
#include "audit/decode_record.h"
#include "audit/encode_record.h"
#include "audit/record_members.h"
#include "audit/verify.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Bytes shown of a line that is not a record.
constexpr std::size_t kForeignShown = 200;

// Characters that move the cursor, are invisible or change the reading direction. Source: Unicode
// 15.0, general categories Cc, Cf, Zl and Zp, as far as they have such an effect.
bool is_invisible(char32_t value) {
  struct Span {
    char32_t first, last;
  };
  static constexpr auto kSpans = std::to_array<Span>({{0x00, 0x1F},
                                                      {0x7F, 0x9F},
                                                      {0xAD, 0xAD},
                                                      {0x61C, 0x61C},
                                                      {0x180E, 0x180E},
                                                      {0x200B, 0x200F},
                                                      {0x2028, 0x202E},
                                                      {0x2060, 0x206F},
                                                      {0xFE00, 0xFE0F},
                                                      {0xFEFF, 0xFEFF},
                                                      {0xFFF9, 0xFFFB},
                                                      {0xE0000, 0xE0FFF}});
  return std::ranges::any_of(
      kSpans, [value](const Span& span) { return value >= span.first && value <= span.last; });
}

void append_escape(std::string& out, char32_t value) {
  std::array<char, 8> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                  static_cast<std::uint32_t>(value), 16)
                        .ptr;
  out.append("\\u{").append(std::string_view(digits.data(), end)).append("}");
}

std::string time_of(const Record& record) {
  const std::array<char, 27> text = time_text(record.time);
  return {text.data(), text.size()};
}

std::string joined(std::span<const std::string_view> items) {
  std::string out;
  for (const std::string_view item : items)
    out.append(out.empty() ? "" : ", ").append(item);
  return out;
}

/// Prints each present member in its own line.
class FieldPrinter {
 public:
  void operator()(std::string_view name, std::string_view text, std::size_t) {
    if (!text.empty()) field(name, visible(text));
  }
  void operator()(std::string_view name, const std::vector<std::string_view>& items, std::size_t) {
    if (!items.empty()) field(name, visible(joined(items)));
  }
  void operator()(std::string_view name, Outcome outcome, std::size_t) {
    if (outcome != Outcome::none) field(name, text(outcome));
  }
  template <class Integer>
  void operator()(std::string_view name, Integer value, std::size_t) {
    if (value != 0) field(name, std::to_string(value));
  }
  void field(std::string_view name, std::string_view value) {
    constexpr std::size_t kNameWidth = 16;
    out_.append(name).append(kNameWidth - std::min(name.size(), kNameWidth - 1), ' ');
    out_.append(value).append("\n");
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string fields(const Record& record, const ChainLine& line) {
  FieldPrinter printer;
  printer.field("sequence", std::to_string(line.sequence));
  printer.field("kind", text(record.kind));
  printer.field("time", time_of(record));
  visit_members(record, printer);
  const std::array<char, 64> hash = hex_text(line.hash);
  printer.field("hash", {hash.data(), hash.size()});
  return printer.take();
}

void append_word(std::string& out, std::string_view label, std::string_view word) {
  if (word.empty()) return;
  out.append("  ").append(label).append(visible(word));
}

// The verdict comes first, because readers look for it.
std::string_view verdict(const Record& record) {
  if (record.decision == "permit") return "PERMIT";
  if (record.decision == "deny") return "DENY";
  const bool is_truncated =
      record.kind == RecordKind::outcome && record.detail.starts_with(kTruncated);
  if (is_truncated) return "TRUNCATED";
  if (is_withheld(record)) return "WITHHELD";
  if (record.outcome != Outcome::none) return text(record.outcome);
  return text(record.kind);
}

std::string duration_text(std::uint64_t microseconds) {
  const std::uint64_t tenths = (microseconds + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

/// The findings, as far as a line has room for them.
std::string found_text(std::span<const std::string_view> items) {
  constexpr std::size_t kShown = 4;
  if (items.size() <= kShown) return joined(items);
  return joined(items.first(kShown)) + " and " + std::to_string(items.size() - kShown) + " more";
}

std::string one_line(const Record& record) {
  std::string out = time_of(record);
  append_word(out, "", verdict(record));
  append_word(out, "", record.principal);
  append_word(out, "", record.server);
  append_word(out, "", record.method);
  append_word(out, "", record.target);
  append_word(out, "reason ", record.reason);
  append_word(out, "rule ", record.rule);
  append_word(out,
              record.kind == RecordKind::outcome ? "would be withheld: " : "would be refused: ",
              record.would.empty() ? "" : record.would.front());
  append_word(out, "from ", record.principal.empty() ? record.source : "");
  if (record.count != 0) append_word(out, "count ", std::to_string(record.count));
  if (record.duration_us != 0) append_word(out, "", duration_text(record.duration_us));
  append_word(out, "", record.detail);
  append_word(out, "redacted ", found_text(record.redacted));
  append_word(out, "sanitised ", found_text(record.sanitised));
  append_word(out, "id ", record.decision_id);
  return out;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character character = read_utf8(text);
    const std::size_t size = std::max<std::size_t>(character.size, 1);
    if (character.value == '\\') {
      out += "\\\\";
    } else if (character.size == 0 || is_invisible(character.value)) {
      append_escape(out, character.value);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string format_record(std::string_view json_line, RecordLayout layout) {
  const auto line = split_chain_line(json_line);
  RecordReader reader;
  const auto record = line ? reader.read(line->body) : fail(ErrorCode::not_found, Fault::client);
  if (!record) return "not a record: " + visible(json_line.substr(0, kForeignShown));
  return layout == RecordLayout::fields ? fields(**record, *line) : one_line(**record);
}

}  // namespace bartizan
