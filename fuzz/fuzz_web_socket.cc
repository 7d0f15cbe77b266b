#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "gateway/framing/web_socket_frame.h"

/// Frames mean the same in whatever pieces they come, and what is a message is one once more after
/// it was written.

namespace {

using namespace bartizan;
constexpr std::size_t kBytesMax = 4096;

std::vector<std::string> read(std::string_view bytes, WebSocketReader::Sender sender,
                              std::size_t piece) {
  WebSocketReader reader(sender, kBytesMax);
  std::vector<std::string> events;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (!part.empty()) {
      const auto step = reader.step(part);
      if (!step.has_value()) {
        events.push_back("fault " + std::to_string(static_cast<int>(step.error().code)));
        return events;
      }
      require(step->consumed > 0 && step->consumed <= part.size());
      require(reader.buffered() <= kBytesMax);
      part.remove_prefix(step->consumed);
      if (!step->event.has_value()) continue;
      events.push_back(std::to_string(static_cast<int>(step->event->kind)) + step->event->payload);
    }
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto sender =
      data[0] % 2 == 0 ? WebSocketReader::Sender::client : WebSocketReader::Sender::server;
  const std::vector<std::string> whole = read(bytes, sender, size);
  require(read(bytes, sender, 1) == whole);
  require(read(bytes, sender, 1U + data[1]) == whole);
  for (const std::string& event : whole) {
    if (!event.starts_with('0')) continue;
    const std::string frame =
        write_frame(WebSocketEvent::Kind::message, std::string_view(event).substr(1));
    require(read(frame, WebSocketReader::Sender::server, 7) == std::vector<std::string>{event});
  }
  return 0;
}
