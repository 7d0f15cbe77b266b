#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "gateway/http/sse.h"

/// A stream is the same events wherever reads end, and an event that is written anew is read as
/// the event it was.

namespace {

using namespace bartizan;

struct Stream {
  std::vector<SseEvent> events = {};
  std::string last_event_id = {};
  std::optional<std::uint32_t> retry_ms = {};
  bool is_refused = false;
};

bool equal(const SseEvent& a, const SseEvent& b) {
  return a.type == b.type && a.data.view() == b.data.view() && a.id == b.id &&
         a.has_id == b.has_id && a.retry_ms == b.retry_ms;
}

bool equal(const Stream& a, const Stream& b) {
  if (a.events.size() != b.events.size() || a.is_refused != b.is_refused) return false;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    if (!equal(a.events[i], b.events[i])) return false;
  }
  return a.is_refused || (a.last_event_id == b.last_event_id && a.retry_ms == b.retry_ms);
}

Stream read(std::string_view bytes, std::size_t part_size) {
  constexpr std::size_t kDataMax = 200;
  SseReader reader(kDataMax);
  Stream stream;
  while (!bytes.empty()) {
    auto step = reader.step(bytes.substr(0, part_size));
    if (!step) {
      stream.is_refused = true;
      return stream;
    }
    require(step->consumed > 0);
    bytes.remove_prefix(step->consumed);
    if (!step->event) continue;
    require(step->event->data.size() <= kDataMax);
    stream.events.push_back(*std::move(step->event));
  }
  stream.last_event_id = reader.last_event_id();
  stream.retry_ms = reader.retry_ms();
  return stream;
}

void check_written_anew(const SseEvent& event) {
  std::string out;
  append_event(out, {.data = event.data.view(),
                     .type = event.type,
                     .id = event.has_id ? std::optional<std::string_view>(event.id) : std::nullopt,
                     .retry_ms = event.retry_ms});
  const Stream again = read(out, out.size());
  require(again.events.size() == 1);
  // A NUL may be read in a type, and is cut off when one is written.
  if (event.type.find('\0') == std::string::npos) require(equal(again.events[0], event));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Stream whole = read(bytes, bytes.size());
  require(equal(whole, read(bytes, 1)));
  require(equal(whole, read(bytes, 5)));
  for (const SseEvent& event : whole.events)
    check_written_anew(event);
  return 0;
}
