#include "gateway/http/http_body.h"

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The most bytes of extensions in one body. They are ignored, and cost a server little.
constexpr std::size_t kExtensionBytesMax = std::size_t{64} << 10;

// The value of a hex digit, or -1.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<BodyStep> ChunkedDecoder::step(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::done) {
    if (state_ == State::data) {
      const std::string_view data = bytes.substr(at, chunk_);
      chunk_ -= data.size();
      if (chunk_ == 0) state_ = State::data_cr;
      return BodyStep{.consumed = at + data.size(), .data = data};
    }
    if (const auto read = read_framing(bytes[at]); !read) return std::unexpected(read.error());
    ++at;
  }
  return BodyStep{.consumed = at, .done = state_ == State::done};
}

Result<void> ChunkedDecoder::read_framing(char byte) {
  switch (state_) {
    case State::size:
      return read_size(byte);
    case State::extension:
      return skip_extension(byte);
    case State::size_lf:
      if (byte == '\n') return end_size();
      return fail(ErrorCode::http_framing, fault_, "a chunk size without crlf");
    case State::data_cr:
      return expect(byte, '\r', State::data_lf);
    case State::data_lf:
      return expect(byte, '\n', State::size);
    case State::end_cr:
      if (byte == '\r') return expect(byte, '\r', State::end_lf);
      return fail(ErrorCode::http_framing, fault_, "trailers after the last chunk");
    case State::end_lf:
      return expect(byte, '\n', State::done);
    case State::data:
    case State::done:
      break;
  }
  return {};
}

Result<void> ChunkedDecoder::read_size(char byte) {
  constexpr std::size_t kDigitsMax = limits::chunk_line_bytes_max - 2;
  static_assert(kDigitsMax <= 16, "a chunk's size fits 64 bits");
  if (byte == '\r' && digits_ > 0) {
    state_ = State::size_lf;
    return {};
  }
  const bool may_extend = fault_ == Fault::server && digits_ > 0;
  if (may_extend && (byte == ';' || byte == ' ' || byte == '\t')) {
    state_ = State::extension;
    return {};
  }
  const int digit = hex_value(byte);
  if (digit < 0)
    return fail(ErrorCode::http_framing, fault_, "a chunk size that is not a hex number");
  if (++digits_ > kDigitsMax) {
    return fail(ErrorCode::http_framing, fault_, "a chunk size of too many digits");
  }
  chunk_ = chunk_ * 16 + static_cast<std::uint64_t>(digit);
  return {};
}

/// Source: RFC 9112 §7.1.1: names, values and quoted strings, all without control characters.
Result<void> ChunkedDecoder::skip_extension(char byte) {
  if (byte == '\r') {
    state_ = State::size_lf;
    return {};
  }
  if (byte != '\t' && (static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'))
    return fail(ErrorCode::http_framing, fault_, "a control character in a chunk extension");
  if (++extension_bytes_ > kExtensionBytesMax)
    return fail(ErrorCode::http_limit, fault_, "chunk extensions of too many bytes");
  return {};
}

Result<void> ChunkedDecoder::end_size() {
  if (chunk_ > room_) return fail(ErrorCode::http_limit, fault_, "the body is too large");
  room_ -= chunk_;
  digits_ = 0;
  state_ = chunk_ == 0 ? State::end_cr : State::data;
  return {};
}

Result<void> ChunkedDecoder::expect(char byte, char wanted, State next) {
  if (byte != wanted) return fail(ErrorCode::http_framing, fault_, "a chunk without its crlf");
  state_ = next;
  return {};
}

BodyReader::BodyReader(BodyLength length, std::uint64_t body_bytes_max, Fault fault)
    : length_(length),
      left_(length.framing == BodyFraming::content_length ? length.content_length : body_bytes_max),
      too_large_(length.framing == BodyFraming::content_length &&
                 length.content_length > body_bytes_max),
      fault_(fault),
      chunks_(body_bytes_max, fault) {}

Result<BodyStep> BodyReader::step(std::string_view bytes) {
  if (too_large_) return fail(ErrorCode::http_limit, fault_, "the body is too large");
  switch (length_.framing) {
    case BodyFraming::none:
      return BodyStep{.done = true};
    case BodyFraming::chunked:
      return chunks_.step(bytes);
    case BodyFraming::content_length:
    case BodyFraming::until_close:
      break;
  }
  return step_counted(bytes);
}

Result<BodyStep> BodyReader::step_counted(std::string_view bytes) {
  const bool is_bounded_by_close = length_.framing == BodyFraming::until_close;
  if (is_bounded_by_close && bytes.size() > left_) {
    return fail(ErrorCode::http_limit, fault_, "the body is too large");
  }
  const std::string_view data = bytes.substr(0, left_);
  left_ -= data.size();
  return BodyStep{.consumed = data.size(), .data = data, .done = is_done()};
}

Result<std::string_view> BodyReader::take(std::string_view came, Bytes& body) {
  while (!came.empty() && !is_done()) {
    const Result<BodyStep> read = step(came);
    if (!read.has_value()) return std::unexpected(read.error());
    body.append(read->data);
    came.remove_prefix(read->consumed);
  }
  return came;
}

bool BodyReader::is_done() const {
  switch (length_.framing) {
    case BodyFraming::none:
      return true;
    case BodyFraming::chunked:
      return chunks_.is_done();
    case BodyFraming::content_length:
      return left_ == 0;
    case BodyFraming::until_close:
      return false;
  }
  return false;
}

std::uint64_t BodyReader::left() const {
  return length_.framing == BodyFraming::content_length ? left_ : 0;
}

Result<void> BodyReader::close() const {
  if (is_done() || length_.framing == BodyFraming::until_close) return {};
  return fail(ErrorCode::closed, fault_, "the peer closed inside the body");
}

}  // namespace bartizan
