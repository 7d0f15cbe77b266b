// Where one HTTP/1.1 message ends, for the programs of the benchmark only: both ends are ours or
// well-known proxies, so what is strict in gateway/ is not repeated here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// A message at the start of a buffer. Lifetime: views into the buffer.
struct FramedMessage {
  std::string_view head;
  std::string_view body;  ///< As it stands, chunk sizes included.
  std::size_t bytes = 0;  ///< Of head and body.
};

enum class Framing { incomplete, complete, broken };

struct FramingResult {
  Framing state = Framing::incomplete;
  FramedMessage message;
};

/// The first message in `bytes`, by Content-Length or chunks; without either the body is empty.
FramingResult read_framed(std::string_view bytes);

/// The value of a field, whatever the case of its name; nothing where it is absent.
std::optional<std::string_view> field(std::string_view head, std::string_view name);

}  // namespace bartizan
