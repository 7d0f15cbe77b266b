#include "gateway/framing/web_socket_frame.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::uint8_t kContinuation = 0x0;
constexpr std::uint8_t kText = 0x1;
constexpr std::uint8_t kBinary = 0x2;
constexpr std::uint8_t kClose = 0x8;
constexpr std::uint8_t kPing = 0x9;
constexpr std::uint8_t kPong = 0xA;
constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kReserved = 0x70;
constexpr std::uint8_t kOpcode = 0x0F;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::uint8_t kLength = 0x7F;
constexpr std::uint8_t kLength16 = 126;
constexpr std::uint8_t kLength64 = 127;
constexpr std::size_t kControlMax = 125;
constexpr std::size_t kMaskBytes = 4;
/// Source: RFC 6455 §1.3.
constexpr std::string_view kMagic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kKeyLetters = 24;

bool is_control(std::uint8_t opcode) {
  return opcode >= kClose;
}

std::uint8_t opcode_of(WebSocketEvent::Kind kind) {
  switch (kind) {
    case WebSocketEvent::Kind::ping:
      return kPing;
    case WebSocketEvent::Kind::pong:
      return kPong;
    case WebSocketEvent::Kind::close:
      return kClose;
    case WebSocketEvent::Kind::message:
      break;
  }
  return kText;
}

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
    number = (number << 8) | byte_at(bytes, at + i);
  return number;
}

/// Bytes of the extended length.
std::size_t length_bytes(std::uint8_t length) {
  if (length == kLength16) return 2;
  return length == kLength64 ? 8 : 0;
}

/// Masks or unmasks bytes. `at` is the number of payload bytes before them.
/// Cost: a word at a time. One byte at a time took a twentieth of a whole call.
void apply_mask(std::span<char> bytes, std::array<std::uint8_t, kMaskBytes> mask,
                std::uint64_t at) {
  std::ranges::rotate(mask, mask.begin() + static_cast<std::ptrdiff_t>(at % kMaskBytes));
  std::uint32_t half = 0;
  std::memcpy(&half, mask.data(), sizeof half);
  const std::uint64_t pattern = std::uint64_t{half} << 32U | half;
  for (; bytes.size() >= sizeof pattern; bytes = bytes.subspan(sizeof pattern)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= pattern;
    std::memcpy(bytes.data(), &word, sizeof word);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<std::uint8_t>(bytes[i]) ^ mask[i % kMaskBytes]);
  }
}

constexpr WebSocketFault fault(CloseCode code, std::string_view why) {
  return {.code = code, .why = why};
}

}  // namespace

/// The size of the head, by its first two bytes.
std::size_t WebSocketReader::head_bytes() const {
  if (head_.size() < 2) return 2;
  const std::uint8_t second = byte_at(head_, 1);
  return 2 + length_bytes(second & kLength) + ((second & kMasked) != 0 ? kMaskBytes : 0);
}

/// Parses a complete head.
std::optional<WebSocketFault> WebSocketReader::read_head() {
  using enum CloseCode;
  const std::uint8_t first = byte_at(head_, 0);
  const std::uint8_t second = byte_at(head_, 1);
  is_final_ = (first & kFinal) != 0;
  opcode_ = first & kOpcode;
  const bool is_masked = (second & kMasked) != 0;
  const std::uint8_t short_length = second & kLength;
  const std::size_t extended = length_bytes(short_length);
  left_ = extended == 0 ? short_length : number_at(head_, 2, extended);
  taken_ = 0;
  if ((first & kReserved) != 0) return fault(protocol_error, "a reserved bit is set");
  if (is_masked != (sender_ == Sender::client)) {
    return fault(protocol_error, is_masked ? "a server masks nothing" : "a client has to mask");
  }
  const bool is_longer_than_needed =
      (extended == 2 && left_ < kLength16) || (extended == 8 && left_ <= 0xFFFF);
  if (is_longer_than_needed || (left_ >> 63U) != 0) {
    return fault(protocol_error, "a length is not in its shortest form");
  }
  if (is_control(opcode_)) {
    const bool is_known = opcode_ == kClose || opcode_ == kPing || opcode_ == kPong;
    if (!is_known) return fault(protocol_error, "an opcode is not known");
    if (!is_final_) return fault(protocol_error, "a control frame is fragmented");
    if (left_ > kControlMax) return fault(protocol_error, "a control frame is too long");
    if (opcode_ == kClose && left_ == 1) return fault(protocol_error, "a close code is cut off");
  } else {
    if (opcode_ == kBinary) return fault(unsupported_data, "messages of MCP are text");
    if (opcode_ != kText && opcode_ != kContinuation) {
      return fault(protocol_error, "an opcode is not known");
    }
    if ((opcode_ == kContinuation) != is_in_message_) {
      return fault(protocol_error, is_in_message_ ? "a message begins within another one"
                                                  : "a fragment belongs to no message");
    }
    if (left_ > message_bytes_max_ - std::min(message_.size(), message_bytes_max_)) {
      return fault(too_large, "the message is longer than it may be");
    }
  }
  if (is_masked) {
    const std::string_view mask = std::string_view(head_).substr(2 + extended, kMaskBytes);
    std::ranges::copy(mask, mask_.begin());
  }
  return std::nullopt;
}

void WebSocketReader::take_payload(std::string_view bytes) {
  std::string& to = is_control(opcode_) ? control_ : message_;
  const std::size_t begin = to.size();
  to.append(bytes);
  if (sender_ == Sender::client) apply_mask(std::span(to).subspan(begin), mask_, taken_);
  taken_ += bytes.size();
  left_ -= bytes.size();
}

std::optional<WebSocketEvent> WebSocketReader::end_frame() {
  is_in_payload_ = false;
  head_.clear();
  if (!is_control(opcode_)) {
    is_in_message_ = !is_final_;
    if (is_in_message_) return std::nullopt;
    return WebSocketEvent{.payload = std::exchange(message_, {})};
  }
  std::string payload = std::exchange(control_, {});
  if (opcode_ == kPing) return WebSocketEvent{WebSocketEvent::Kind::ping, std::move(payload)};
  if (opcode_ == kPong) return WebSocketEvent{WebSocketEvent::Kind::pong, std::move(payload)};
  return WebSocketEvent{WebSocketEvent::Kind::close,
                        payload.size() > 2 ? payload.substr(2) : std::string()};
}

std::expected<WebSocketReader::Step, WebSocketFault> WebSocketReader::step(std::string_view bytes) {
  Step step;
  while (true) {
    if (!is_in_payload_) {
      while (head_.size() < head_bytes() && step.consumed < bytes.size())
        head_ += bytes[step.consumed++];
      if (head_.size() < head_bytes()) return step;
      if (const auto failed = read_head()) return std::unexpected(*failed);
      is_in_payload_ = true;
    }
    const std::size_t here = std::min<std::uint64_t>(left_, bytes.size() - step.consumed);
    take_payload(bytes.substr(step.consumed, here));
    step.consumed += here;
    if (left_ > 0) return step;
    step.event = end_frame();
    if (!step.event.has_value()) continue;
    const bool is_text = step.event->kind == WebSocketEvent::Kind::message ||
                         step.event->kind == WebSocketEvent::Kind::close;
    if (is_text && !is_valid_utf8(step.event->payload)) {
      return std::unexpected(fault(CloseCode::invalid_text, "a text is not UTF-8"));
    }
    return step;
  }
}

std::string write_frame(WebSocketEvent::Kind kind, std::string_view payload,
                        std::optional<std::array<std::uint8_t, 4>> mask) {
  std::string frame;
  frame.reserve(payload.size() + 14);
  const auto put = [&frame](std::uint64_t byte) { frame += static_cast<char>(byte & 0xFFU); };
  put(kFinal | opcode_of(kind));
  const std::uint8_t masked = mask.has_value() ? kMasked : 0;
  if (payload.size() < kLength16) {
    put(masked | payload.size());
  } else {
    const bool is_short = payload.size() <= 0xFFFF;
    put(masked | (is_short ? kLength16 : kLength64));
    for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
      put(payload.size() >> static_cast<unsigned>(shift));
  }
  if (!mask.has_value()) return frame.append(payload);
  for (const std::uint8_t byte : *mask)
    put(byte);
  const std::size_t begin = frame.size();
  frame.append(payload);
  apply_mask(std::span(frame).subspan(begin), *mask, 0);
  return frame;
}

std::string write_close(CloseCode code, std::string_view why,
                        std::optional<std::array<std::uint8_t, 4>> mask) {
  const auto number = static_cast<std::uint16_t>(code);
  std::string payload{static_cast<char>(number >> 8U), static_cast<char>(number & 0xFFU)};
  payload += why.substr(0, kControlMax - 2);
  return write_frame(WebSocketEvent::Kind::close, payload, mask);
}

bool is_web_socket_key(std::string_view key) {
  if (key.size() != kKeyLetters || !key.ends_with("==")) return false;
  std::array<unsigned char, kKeyLetters> bytes{};
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(key.data()),
                                   static_cast<int>(key.size()));
  // The library also counts the padding of the last group.
  return size == static_cast<int>(kKeyBytes) + 2;
}

std::string accept_web_socket_key(std::string_view key) {
  const std::string text = std::string(key) + std::string(kMagic);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  std::string accept(std::size_t{4} * ((size + 2) / 3), '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(accept.data()), digest.data(),
                  static_cast<int>(size));
  return accept;
}

}  // namespace bartizan
