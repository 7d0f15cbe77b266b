#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/require.h"
#include "gateway/framing/stream_wire.h"
#include "gateway/process/descriptor.h"

/// A wire of lines over a socket gives the messages that a plain split of its bytes has, wherever
/// reads end. A message that one wire writes is the message that another one reads. The first byte
/// says where reads end.

namespace {

using namespace bartizan;

constexpr std::size_t kLineMax = 40;
constexpr std::string_view kTooLong = "too long";

/// A wire, and the bare other end of its connection.
class LineWire {
 public:
  LineWire(Loop& loop, std::string begun) : loop_(loop) {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
    UnixSocket socket(loop.executor());
    socket.assign(asio::local::stream_protocol(), ends[0]);
    peer_ = Descriptor(ends[1]);
    wire_ = std::make_shared<StreamWire>(
        loop, memory_, random_, std::make_unique<Stream>(std::move(socket), loop),
        StreamWireTerms{.message_bytes_max = kLineMax, .queue_bytes_max = std::size_t{1} << 20},
        std::move(begun));
  }

  /// Sends the wire these bytes in pieces, and then the end.
  void say(std::string_view bytes, std::size_t piece) {
    if (bytes.empty()) {
      ::shutdown(peer_.get(), SHUT_WR);
      return;
    }
    const std::string_view part = bytes.substr(0, piece);
    const ssize_t written = ::write(peer_.get(), part.data(), part.size());
    require(written == static_cast<ssize_t>(part.size()));
    loop_.run_at_end_of_turn([this, rest = bytes.substr(part.size()), piece] { say(rest, piece); });
  }

  /// All messages up to the end.
  std::vector<std::string> read() {
    std::vector<std::string> messages;
    spawn(loop_, [](LineWire& line, std::vector<std::string>& all) -> Task<void> {
      while (true) {
        const Result<Bytes> next = co_await line.wire_->next();
        if (!next.has_value() && !goes_on(next.error())) break;
        all.emplace_back(next.has_value() ? next->view() : kTooLong);
      }
      line.loop_.stop();
    }(*this, messages));
    loop_.run();
    loop_.io().restart();
    return messages;
  }

  /// What the peer is sent for these messages.
  std::string write(const std::vector<std::string>& messages) {
    for (const std::string& message : messages)
      wire_->write(message);
    loop_.run_at_end_of_turn([this] { loop_.stop(); });
    loop_.run();
    loop_.io().restart();
    require(wire_->is_flushed());
    std::string sent(std::size_t{64} << 10, '\0');
    const ssize_t size = ::recv(peer_.get(), sent.data(), sent.size(), MSG_DONTWAIT);
    sent.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return sent;
  }

 private:
  Loop& loop_;
  MemoryBudget memory_{std::uint64_t{64} << 20};
  Random random_;
  Descriptor peer_;
  std::shared_ptr<StreamWire> wire_;
};

std::vector<std::string> read(std::string_view bytes, std::size_t begun, std::size_t piece) {
  Loop loop(0);
  LineWire wire(loop, std::string(bytes.substr(0, begun)));
  wire.say(bytes.substr(begun), piece);
  return wire.read();
}

/// What the lines of `bytes` are; a last one without an end is none.
std::vector<std::string> split(std::string_view bytes) {
  std::vector<std::string> messages;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    bytes.remove_prefix(end + 1);
    if (line.size() > kLineMax) {
      messages.emplace_back(kTooLong);
    } else if (!line.empty()) {
      messages.emplace_back(line);
    }
  }
  return messages;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBytesMax = 4096;
  if (size == 0 || size > kBytesMax) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t first = std::min<std::size_t>(data[0], bytes.size());
  const std::vector<std::string> messages = split(bytes);
  require(read(bytes, 0, kBytesMax) == messages);
  require(read(bytes, first, 1U + data[0] % 7) == messages);

  std::vector<std::string> wanted;
  std::vector<std::string> written;
  for (const auto part : std::views::split(bytes, '\0')) {
    written.emplace_back(part.begin(), part.end());
    std::string line = written.back();
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    if (!line.empty()) wanted.push_back(line.size() > kLineMax ? std::string(kTooLong) : line);
  }
  Loop loop(0);
  const std::string sent = LineWire(loop, {}).write(written);
  require(read(sent, 0, kBytesMax) == wanted);
  return 0;
}
