#include "policy/content/rewrite_strings.h"

#include "schemas/json/json_text.h"
#include "schemas/json/string_range.h"

namespace bartizan {
namespace {

/// Rewrites a message string by string, in the order of its bytes.
class Rewriting {
 public:
  explicit Rewriting(JsonValue message)
      : bytes_(message.raw()), bytes_begin_(message.range().begin) {}

  /// `quoted` is the range of the string, with its quotes.
  void rewrite(ByteRange quoted, const TextEdits& edits) {
    const std::size_t begin = quoted.begin - bytes_begin_;
    StringRanges ranges(bytes_.substr(begin, quoted.size()));
    for (const TextEdit& edit : edits) {
      const ByteRange range = ranges.find(edit.part);
      out_.append(bytes_, at_, begin + range.begin - at_);
      const std::string replacement = json_string(edit.replacement);
      out_.append(replacement, 1, replacement.size() - 2);
      at_ = begin + range.end;
    }
  }

  std::optional<std::string> finish() && {
    if (at_ == 0) return std::nullopt;
    out_.append(bytes_.substr(at_));
    return std::move(out_);
  }

 private:
  std::string_view bytes_;
  std::size_t bytes_begin_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string edited(std::string_view text, const TextEdits& edits) {
  std::string left;
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    left.append(text, at, edit.part.begin - at);
    left += edit.replacement;
    at = edit.part.end;
  }
  return left.append(text.substr(at));
}

std::optional<std::string> rewrite_strings(JsonValue message, JsonValue said,
                                           const Answered& answered, const FindEdits& find) {
  const Offsets alone = opaque_values(message, said, answered);
  Rewriting rewriting(message);
  for (const JsonValue value : message.within()) {
    const bool is_root = value.range().begin == message.range().begin;
    if (!is_root && value.key_range().size() > 0) {
      const TextEdits edits = find(value, value.key());
      if (!edits.empty()) rewriting.rewrite(value.key_range(), edits);
    }
    if (!value.is(JsonType::string) || holds(alone, value)) continue;
    const TextEdits edits = find(value, value.text());
    if (!edits.empty()) rewriting.rewrite(value.range(), edits);
  }
  return std::move(rewriting).finish();
}

}  // namespace bartizan
