#include "schemas/answer_id.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bartizan {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Walks over tokens, without knowing whether they make sense together.
class AnswerIdSearch {
 public:
  explicit AnswerIdSearch(std::string_view text) : text_(text) {}

  std::string_view run() {
    while (at_ < text_.size() && !is_hopeless_) {
      const char c = text_[at_++];
      if (c == '"') {
        end_string();
      } else if (c == '{' || c == '[') {
        awaits_name_ = ++depth_ == 1 && c == '{';
      } else if (c == '}' || c == ']') {
        is_hopeless_ = depth_-- == 0;
      } else if (c == ',') {
        awaits_name_ = depth_ == 1;
      }
    }
    return is_hopeless_ ? std::string_view() : id_;
  }

 private:
  /// Behind the opening quote: to the end of the string, and over its value if it is `id`.
  void end_string() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    at_ = end + 1;
    if (!awaits_name_) return;
    awaits_name_ = false;
    const std::string_view name = text_.substr(begin, end - begin);
    if (name == "method") is_hopeless_ = true;
    if (name == "id") take_id();
  }

  void take_id() {
    is_hopeless_ = !id_.empty();
    const auto skip = [this](auto is_skipped) {
      while (at_ < text_.size() && is_skipped(text_[at_]))
        ++at_;
    };
    skip([](char c) { return c == ' ' || c == ':' || c == '\t'; });
    const std::size_t begin = std::min(at_, text_.size());
    skip(is_digit);
    id_ = text_.substr(begin, at_ - begin);
    if (id_.empty()) is_hopeless_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool awaits_name_ = false;
  bool is_hopeless_ = false;
  std::string_view id_;
};

}  // namespace

std::string_view find_answer_id(std::string_view text) {
  return AnswerIdSearch(text).run();
}

}  // namespace bartizan
