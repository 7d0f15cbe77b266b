#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// One event of a stream. Its data has room for the JSON parser, so it is parsed in place.
struct SseEvent {
  std::string type = {};  ///< Empty if the stream names none; that means `message`.
  Bytes data = {};
  std::string id = {};  ///< With `has_id`; a bare `id:` sets an empty id, which resets.
  bool has_id = false;
  std::optional<std::uint32_t> retry_ms = {};
};

/// An incremental parser of an event stream, for reads of any size.
///
/// An event without a `data` line is not delivered, but its id and retry count; see `last_event_id`
/// and `retry_ms`. Text is not decoded: the JSON parser refuses invalid UTF-8.
/// Errors:  http_limit, fault server, if data exceeds the bound given, or another line exceeds
/// limits::line_bytes_max; the reader must not be used after an error.
/// Cost:    one copy of the data; memory for one event.
/// Source:  WHATWG HTML, "Server-sent events", §9.2.5 and §9.2.6.
class SseReader {
 public:
  explicit SseReader(std::size_t data_bytes_max) : data_bytes_max_(data_bytes_max) {}

  struct Step {
    std::size_t consumed = 0;
    std::optional<SseEvent> event = {};
  };
  /// Reads up to the end of one event. Call it again with the rest until there is no event.
  Result<Step> step(std::string_view bytes);

  /// The id after which to resume, kept from event to event.
  const std::string& last_event_id() const { return last_event_id_; }
  /// How long the server asks to wait before reconnecting.
  std::optional<std::uint32_t> retry_ms() const { return retry_ms_; }
  /// Bytes held of an incomplete event.
  std::size_t buffered() const { return event_.data.size() + line_.size(); }

 private:
  std::size_t skip_byte_order_mark(std::string_view bytes);
  Result<void> add_to_line(std::string_view part);
  Result<void> begin_data_line();
  Result<void> append_data(std::string_view part);
  Result<std::optional<SseEvent>> end_line(std::string_view last_part);
  Result<std::optional<SseEvent>> read_line(std::string_view line);
  Result<void> read_field(std::string_view name, std::string_view value);
  std::optional<SseEvent> dispatch();

  std::size_t data_bytes_max_;
  std::string line_;  // The received part of the current line, unless it is data.
  SseEvent event_;
  std::string last_event_id_;
  std::optional<std::uint32_t> retry_ms_;
  std::size_t mark_bytes_ = 0;  // Bytes of the byte order mark at the start, seen so far.
  bool at_start_ = true;
  bool after_cr_ = false;  // A following LF belongs to the line that has ended.
  bool has_data_ = false;
  bool in_data_line_ = false;  // The rest of the line is appended to the data directly.
};

/// An event to write.
struct SseEventText {
  std::string_view data = {};
  std::string_view type = {};  ///< No `event` line if empty.
  std::optional<std::string_view> id = {};
  std::optional<std::uint32_t> retry_ms = {};
};

/// Appends one event. Data is split at its line ends into `data` lines. Type and id are cut at the
/// first CR, LF or NUL, which no event can carry.
void append_event(std::string& out, const SseEventText& event);

/// A comment. Readers ignore it; it keeps proxies from closing the stream.
inline constexpr std::string_view kSseKeepAlive = ":\n\n";

}  // namespace bartizan
