#include "schemas/message/answer_id.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Reads tokens without checking their grammar.
class AnswerIdSearch {
 public:
  explicit AnswerIdSearch(std::string_view text) : text_(text) {}

  std::string_view run() {
    while (at_ < text_.size() && !is_hopeless_) {
      const char c = text_[at_++];
      if (c == '"') {
        end_string();
      } else if (c == '{' || c == '[') {
        ++depth_;
        awaits_name_ = depth_ == 1;
        is_hopeless_ = awaits_name_ && (c == '[' || is_over_);
      } else if (c == '}' || c == ']') {
        is_hopeless_ = depth_ == 0;
        is_over_ = --depth_ == 0;
      } else if (c == ',') {
        awaits_name_ = depth_ == 1;
      }
    }
    return is_hopeless_ ? std::string_view() : id_;
  }

 private:
  /// Starts after the opening quote. Moves to the end of the string, and past its value if it is
  /// `id`.
  void end_string() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    at_ = end + 1;
    if (!awaits_name_) return;
    awaits_name_ = false;
    const std::string_view name = text_.substr(begin, end - begin);
    // An escaped name could be any name.
    if (name == "method" || name.contains('\\')) is_hopeless_ = true;
    if (name == "id") take_id();
  }

  void take_id() {
    is_hopeless_ = is_hopeless_ || !id_.empty();
    skip(is_space);
    if (at_ < text_.size() && text_[at_] == ':') ++at_;
    skip(is_space);
    const std::size_t begin = std::min(at_, text_.size());
    skip(is_digit);
    id_ = text_.substr(begin, at_ - begin);
    const bool is_whole =
        at_ == text_.size() || is_space(text_[at_]) || text_[at_] == ',' || text_[at_] == '}';
    const bool is_spelled = id_ == "0" || !id_.starts_with('0');
    if (id_.empty() || !is_whole || !is_spelled) is_hopeless_ = true;
  }

  void skip(bool (*is_skipped)(char)) {
    while (at_ < text_.size() && is_skipped(text_[at_]))
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool awaits_name_ = false;
  bool is_over_ = false;  ///< The outermost object has ended.
  bool is_hopeless_ = false;
  std::string_view id_;
};

}  // namespace

std::string_view find_answer_id(std::string_view text) {
  return AnswerIdSearch(text).run();
}

}  // namespace bartizan
