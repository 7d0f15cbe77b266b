#include "gateway/process/line_reader.h"

#include <utility>

namespace bartizan {

LineReader::Step LineReader::step(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  keep(bytes.substr(0, end));
  if (end == std::string_view::npos) return {.consumed = bytes.size()};
  // A CR that is still held back was part of this line end.
  holds_cr_ = false;
  return {.consumed = end + 1, .line = take_line()};
}

std::optional<Bytes> LineReader::take_unterminated() {
  if (std::exchange(holds_cr_, false)) append("\r");
  if (line_.empty() && !is_dropping_) return std::nullopt;
  return take_line();
}

void LineReader::keep(std::string_view part) {
  if (part.empty()) return;
  if (std::exchange(holds_cr_, false)) append("\r");
  if (part.ends_with('\r')) {
    holds_cr_ = true;
    part.remove_suffix(1);
  }
  append(part);
}

void LineReader::append(std::string_view part) {
  if (is_dropping_) return;
  if (part.size() <= line_bytes_max_ - line_.size()) {
    line_.append(part);
    return;
  }
  is_dropping_ = true;
  line_ = {};
}

void LineReader::drop_line() {
  is_dropping_ = true;
  line_ = {};
}

std::optional<Bytes> LineReader::take_line() {
  if (!std::exchange(is_dropping_, false)) return std::exchange(line_, {});
  ++dropped_lines_;
  return std::nullopt;
}

}  // namespace bartizan
