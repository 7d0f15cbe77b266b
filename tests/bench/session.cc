#include "tests/bench/session.h"

#include <array>
#include <utility>

#include "tests/bench/http_framing.h"

namespace bartizan {
namespace {

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr std::string_view kInitialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr std::size_t kMessageMax = std::size_t{16} << 20;
// A mask is undone by the gateway, whatever it is; this one leaves ids where they can be replaced.
constexpr std::array<std::uint8_t, 4> kMask{};

std::string get(const CallShape& shape, std::string_view more) {
  std::string request = "GET " + shape.path + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!shape.key.empty()) request += "Authorization: Bearer " + shape.key + "\r\n";
  return request.append(more).append("\r\n");
}

std::string opening(Wire wire, const CallShape& shape) {
  if (wire == Wire::web_socket) {
    return get(shape,
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n");
  }
  const std::string accept = "Accept: text/event-stream\r\n";
  if (wire == Wire::sse) return get(shape, accept);
  return get(shape, accept + "Mcp-Session-Id: " + shape.session +
                        "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
}

std::string frame(std::string_view message) {
  return write_frame(WebSocketEvent::Kind::message, message, kMask);
}

}  // namespace

Channel open_channel(std::uint16_t port, Source source, SSL_CTX* context) {
  Channel channel(connect_to(port, source), context);
  channel.connect();
  return channel;
}

std::string ask(Channel& channel, std::string_view request) {
  if (channel.send_some(request) != request.size()) give_up("send");
  std::string in;
  while (true) {
    const FramingResult next = read_framed(in);
    if (next.state == Framing::complete) return in;
    if (next.state == Framing::broken) give_up("an answer without framing");
    channel.wait();
    if (channel.receive_some(in) == Received::ended) {
      give_up("the connection ended in the handshake");
    }
  }
}

std::string open_session(Channel& channel, CallShape shape) {
  const std::string answer = ask(channel, post(shape, kInitialize));
  shape.session = field(answer, "mcp-session-id").value_or("");
  ask(channel, post(shape, kInitialized));
  return shape.session;
}

Wire wire_of(std::string_view name) {
  if (name == "http") return Wire::http;
  if (name == "sse") return Wire::sse;
  if (name != "websocket") give_up("no such wire");
  return Wire::web_socket;
}

WireSession::WireSession(Wire wire, std::uint16_t port, Source source, CallShape shape)
    : wire_(wire),
      shape_(std::move(shape)),
      stream_(open_channel(port, source, nullptr)),
      frames_(WebSocketReader::Sender::server, kMessageMax) {
  if (wire_ == Wire::http) shape_.session = open_session(stream_, shape_);
  send(opening(wire_, shape_));
  read_head(wire_ == Wire::web_socket ? "HTTP/1.1 101" : "HTTP/1.1 200");
  if (wire_ == Wire::http) return;
  if (wire_ == Wire::sse) {
    posts_ = open_channel(port, source, nullptr);
    shape_.path = wait_for_message();
  }
  tell(kInitialize);
  if (!wait_for_message().contains(R"("result":{)")) give_up("no session");
  tell(kInitialized);
  call_.emplace(wire_ == Wire::sse ? CallBytes(shape_)
                                   : CallBytes(frame(call_message(shape_, kFirstId))));
}

void WireSession::send(std::string_view bytes) {
  Channel& to = posts_.has_value() ? *posts_ : stream_;
  if (to.send_some(bytes) != bytes.size()) give_up("send");
}

void WireSession::read_head(std::string_view status) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  while (!in_.contains(kEnd)) {
    stream_.wait();
    if (take() == Received::ended) give_up("the connection ended before its stream began");
  }
  if (!in_.starts_with(status)) give_up(in_);
  in_.erase(0, in_.find(kEnd) + kEnd.size());
}

std::string WireSession::wait_for_message() {
  while (true) {
    if (auto message = next()) return *std::move(message);
    stream_.wait();
    if (take() == Received::ended) give_up("the stream ended in the handshake");
  }
}

/// Sends a message of the handshake.
void WireSession::tell(std::string_view message) {
  if (!posts_.has_value()) return send(frame(message));
  if (!ask(*posts_, post(shape_, message)).starts_with("HTTP/1.1 202")) give_up("a post");
}

void WireSession::send_call(std::uint64_t id) {
  send(call_->with_id(id));
}

Received WireSession::take() {
  // Thousands of sessions do not have a buffer each.
  static std::string came;
  came.clear();
  const Received received = stream_.receive_some(came);
  in_ += came;
  return received;
}

std::optional<std::string> WireSession::next() {
  return wire_ == Wire::web_socket ? next_frame() : next_event();
}

/// Chunks hold whole events, and their sizes stand between these.
std::optional<std::string> WireSession::next_event() {
  constexpr std::string_view kData = "data: ";
  constexpr std::string_view kEnd = "\n\n";
  std::size_t at = 0;
  std::optional<std::string> message;
  while (!message.has_value()) {
    const std::size_t end = in_.find(kEnd, at);
    if (end == std::string::npos) break;
    const std::string_view event = std::string_view(in_).substr(at, end - at);
    const std::size_t data = event.find(kData);
    if (data != std::string_view::npos) message = event.substr(data + kData.size());
    at = end + kEnd.size();
  }
  in_.erase(0, at);
  return message;
}

std::optional<std::string> WireSession::next_frame() {
  std::optional<std::string> message;
  std::size_t at = 0;
  while (!message.has_value() && at < in_.size()) {
    auto step = frames_.step(std::string_view(in_).substr(at));
    if (!step.has_value()) give_up(step.error().why);
    at += step->consumed;
    if (!step->event.has_value()) continue;
    if (step->event->kind == WebSocketEvent::Kind::ping) {
      send(write_frame(WebSocketEvent::Kind::pong, step->event->payload, kMask));
    }
    if (step->event->kind == WebSocketEvent::Kind::message) message = step->event->payload;
  }
  in_.erase(0, at);
  return message;
}

bool WireSession::take_posted() {
  if (posts_->receive_some(posted_in_) == Received::ended) give_up("the posts' connection ended");
  const FramingResult next = read_framed(posted_in_);
  if (next.state == Framing::incomplete) return false;
  if (!next.message.head.starts_with("HTTP/1.1 202")) give_up("a post was refused");
  posted_in_.erase(0, next.message.bytes);
  return true;
}

}  // namespace bartizan
