#include "tests/bench/http_framing.h"

#include <strings.h>

#include <charconv>

namespace bartizan {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLineEnd = "\r\n";

std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

FramingResult take(std::string_view bytes, std::size_t head, std::size_t body) {
  if (bytes.size() < head + body) return {};
  return {Framing::complete, {bytes.substr(0, head), bytes.substr(head, body), head + body}};
}

FramingResult read_chunks(std::string_view bytes, std::size_t head) {
  std::size_t at = head;
  while (true) {
    const std::size_t line_end = bytes.find(kLineEnd, at);
    if (line_end == std::string_view::npos) return {};
    const auto size = number(bytes.substr(at, line_end - at), 16);
    if (!size.has_value()) return {Framing::broken, {}};
    at = line_end + kLineEnd.size() + *size + kLineEnd.size();
    if (at > bytes.size()) return {};
    if (*size == 0) return take(bytes, head, at - head);
  }
}

}  // namespace

std::optional<std::string_view> field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find(kLineEnd); at + kLineEnd.size() < head.size();
       at = head.find(kLineEnd, at)) {
    at += kLineEnd.size();
    const std::string_view line = head.substr(at, head.find(kLineEnd, at) - at);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const std::size_t value = line.find_first_not_of(' ', name.size() + 1);
    return value == std::string_view::npos ? std::string_view() : line.substr(value);
  }
  return std::nullopt;
}

FramingResult read_framed(std::string_view bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  if (end == std::string_view::npos) return {};
  const std::size_t head = end + kHeadEnd.size();
  if (const auto length = field(bytes.substr(0, head), "content-length"); length.has_value()) {
    const auto size = number(*length, 10);
    return size.has_value() ? take(bytes, head, *size) : FramingResult{Framing::broken, {}};
  }
  if (field(bytes.substr(0, head), "transfer-encoding").has_value())
    return read_chunks(bytes, head);
  return take(bytes, head, 0);
}

}  // namespace bartizan
