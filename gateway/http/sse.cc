#include "gateway/http/sse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kDataField = "data:";
// Enough of a line to detect a data field and a blank after the colon.
constexpr std::size_t kDataPrefix = kDataField.size() + 1;

// One pass for either end: two searches would each scan all bytes for every line.
std::size_t find_line_end(std::string_view bytes, std::size_t from) {
  const auto end = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                                [](char c) { return c == '\n' || c == '\r'; });
  return static_cast<std::size_t>(end - bytes.begin());
}

std::unexpected<Error> refuse_size(std::string_view what) {
  return fail(ErrorCode::http_limit, Fault::server, std::string(what));
}

std::optional<std::uint32_t> parse_retry(std::string_view digits) {
  std::uint32_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string_view one_line(std::string_view text) {
  return text.substr(0, text.find_first_of(std::string_view("\r\n\0", 3)));
}

}  // namespace

Result<SseReader::Step> SseReader::step(std::string_view bytes) {
  std::size_t at = skip_byte_order_mark(bytes);
  while (at < bytes.size()) {
    if (std::exchange(after_cr_, false) && bytes[at] == '\n') {
      ++at;
      continue;
    }
    const std::size_t end = find_line_end(bytes, at);
    const std::string_view part = bytes.substr(at, end - at);
    if (end == bytes.size()) {
      if (const auto added = add_to_line(part); !added) return std::unexpected(added.error());
      return Step{.consumed = end};
    }
    after_cr_ = bytes[end] == '\r';
    at = end + 1;
    auto event = end_line(part);
    if (!event) return std::unexpected(std::move(event.error()));
    if (*event) return Step{.consumed = at, .event = *std::move(event)};
  }
  return Step{.consumed = at};
}

// An incomplete mark is text.
std::size_t SseReader::skip_byte_order_mark(std::string_view bytes) {
  std::size_t at = 0;
  while (at_start_ && at < bytes.size()) {
    if (bytes[at] == kByteOrderMark[mark_bytes_]) {
      ++at;
      at_start_ = ++mark_bytes_ < kByteOrderMark.size();
      continue;
    }
    at_start_ = false;
    line_.assign(kByteOrderMark.substr(0, mark_bytes_));
  }
  return at;
}

// Takes a part of a line whose end has not arrived. Long data is not held twice: once the line is
// known to be data, its bytes go to the event.
Result<void> SseReader::add_to_line(std::string_view part) {
  if (in_data_line_) return append_data(part);
  if (line_.size() < kDataPrefix) {
    const std::size_t taken = std::min(kDataPrefix - line_.size(), part.size());
    line_.append(part.substr(0, taken));
    part.remove_prefix(taken);
  }
  if (line_.size() < kDataPrefix) return {};
  if (line_.starts_with(kDataField)) {
    if (const auto begun = begin_data_line(); !begun) return begun;
    return append_data(part);
  }
  if (part.size() > limits::line_bytes_max - line_.size()) return refuse_size("a line is too long");
  line_.append(part);
  return {};
}

Result<void> SseReader::begin_data_line() {
  in_data_line_ = true;
  const bool has_blank = line_[kDataField.size()] == ' ';
  const auto read =
      read_field("data", std::string_view(line_).substr(kDataField.size() + (has_blank ? 1 : 0)));
  line_.clear();
  return read;
}

Result<void> SseReader::append_data(std::string_view part) {
  if (part.size() > data_bytes_max_ - event_.data.size()) {
    return refuse_size("the data of an event is too large");
  }
  event_.data.append(part);
  return {};
}

Result<std::optional<SseEvent>> SseReader::end_line(std::string_view last_part) {
  if (line_.empty() && !in_data_line_) return read_line(last_part);
  if (const auto added = add_to_line(last_part); !added) return std::unexpected(added.error());
  if (std::exchange(in_data_line_, false)) return std::nullopt;
  const std::string line = std::exchange(line_, {});
  return read_line(line);
}

Result<std::optional<SseEvent>> SseReader::read_line(std::string_view line) {
  if (line.empty()) return dispatch();
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name != "data" && line.size() > limits::line_bytes_max) {
    return refuse_size("a line is too long");
  }
  if (const auto read = read_field(name, value); !read) return std::unexpected(read.error());
  return std::nullopt;
}

// A comment is a field without a name, and is ignored like every unknown field.
Result<void> SseReader::read_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (std::exchange(has_data_, true)) {
      if (const auto joined = append_data("\n"); !joined) return joined;
    }
    return append_data(value);
  }
  if (name == "event") {
    event_.type = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
    event_.has_id = true;
  } else if (name == "retry") {
    const std::optional<std::uint32_t> retry = parse_retry(value);
    if (retry) event_.retry_ms = retry_ms_ = retry;
  }
  return {};
}

std::optional<SseEvent> SseReader::dispatch() {
  if (event_.has_id) last_event_id_ = event_.id;
  SseEvent event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return std::nullopt;
  return event;
}

void append_event(std::string& out, const SseEventText& event) {
  if (!event.type.empty()) out.append("event: ").append(one_line(event.type)).append("\n");
  if (event.id) out.append("id: ").append(one_line(*event.id)).append("\n");
  if (event.retry_ms) out.append("retry: ").append(std::to_string(*event.retry_ms)).append("\n");
  for (std::string_view rest = event.data;;) {
    const std::size_t end = find_line_end(rest, 0);
    out.append("data: ").append(rest.substr(0, end)).append("\n");
    if (end == rest.size()) break;
    rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  out.append("\n");
}

}  // namespace bartizan
