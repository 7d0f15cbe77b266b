#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/http/http_body.h"
#include "gateway/http/write_http.h"
#include "schemas/base/limits.h"

/// A body is what a plain reading of the whole gives, wherever reads end: the same data, the same
/// place behind it, the same refusals. What we write as chunks is read as what was written.

namespace {

using namespace bartizan;

constexpr BodyFraming kFramings[] = {BodyFraming::none, BodyFraming::content_length,
                                     BodyFraming::chunked, BodyFraming::until_close};

/// Four bytes say how the rest is framed, bounded and cut.
struct Case {
  BodyLength length;
  std::uint64_t body_max;
  std::size_t part_size;
  std::string_view bytes;
};

Case case_of(std::span<const std::uint8_t> input) {
  const auto rest = input.subspan(4);
  return {.length = {kFramings[input[0] % 4], input[2]},
          .body_max = std::uint64_t{4} * input[3],
          .part_size = std::size_t{1} + input[1] % 64,
          .bytes = {reinterpret_cast<const char*>(rest.data()), rest.size()}};
}

struct Body {
  std::string data = {};
  std::size_t consumed = 0;
  bool is_done = false;
  bool operator==(const Body&) const = default;
};

/// Nothing where the body is refused: at which byte of a part is nobody's business.
std::optional<Body> read(const Case& input, std::size_t part_size) {
  BodyReader reader(input.length, input.body_max, Fault::client);
  Body body;
  while (body.consumed < input.bytes.size() && !reader.is_done()) {
    const auto step = reader.step(input.bytes.substr(body.consumed, part_size));
    if (!step) return std::nullopt;
    require(step->consumed > 0 && step->data.size() <= step->consumed);
    body.data.append(step->data);
    body.consumed += step->consumed;
    require(body.data.size() <= body.consumed && body.consumed <= input.bytes.size());
    require(step->done == reader.is_done());
  }
  body.is_done = reader.is_done();
  const bool may_end_here = body.is_done || input.length.framing == BodyFraming::until_close;
  require(reader.close().has_value() == may_end_here);
  return body;
}

std::optional<std::uint64_t> size_of_chunk(std::string_view digits) {
  const bool is_hex = digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  if (!is_hex || digits.size() > limits::chunk_line_bytes_max - 2) return std::nullopt;
  return digits.empty() ? 0 : std::stoull(std::string(digits), nullptr, 16);
}

/// Whether `text`, perhaps cut short, is the beginning of `wanted`.
bool begins(std::string_view text, std::string_view wanted) {
  return text.substr(0, wanted.size()) == wanted.substr(0, text.size());
}

std::optional<Body> read_chunks_plainly(std::string_view bytes, std::uint64_t room) {
  Body body;
  while (true) {
    const std::string_view rest = bytes.substr(body.consumed);
    const std::size_t digits = std::min(rest.find_first_of("\r\n"), rest.size());
    const auto size = size_of_chunk(rest.substr(0, digits));
    if (!size || !begins(rest.substr(digits), "\r\n")) return std::nullopt;
    if (digits == 0 && !rest.empty()) return std::nullopt;
    if (rest.size() < digits + 2) return Body{std::move(body.data), bytes.size(), false};
    if (*size > room) return std::nullopt;
    room -= *size;
    const std::string_view data = rest.substr(digits + 2, *size);
    const std::string_view tail = rest.substr(digits + 2 + data.size());
    if (data.size() == *size && !begins(tail, "\r\n")) return std::nullopt;
    body.data.append(data);
    if (data.size() < *size || tail.size() < 2) {
      return Body{std::move(body.data), bytes.size(), false};
    }
    body.consumed += digits + 2 + data.size() + 2;
    if (*size == 0) return Body{std::move(body.data), body.consumed, true};
  }
}

std::optional<Body> read_plainly(const Case& input) {
  const std::string_view bytes = input.bytes;
  const auto taken = [bytes](std::uint64_t size, bool ends) {
    const std::string data(bytes.substr(0, size));
    return Body{data, data.size(), ends && data.size() == size};
  };
  switch (input.length.framing) {
    case BodyFraming::none:
      return taken(0, true);
    case BodyFraming::content_length:
      if (input.length.content_length > input.body_max && !bytes.empty()) return std::nullopt;
      return taken(input.length.content_length, true);
    case BodyFraming::until_close:
      if (bytes.size() > input.body_max) return std::nullopt;
      return taken(bytes.size(), false);
    case BodyFraming::chunked:
      break;
  }
  return read_chunks_plainly(bytes, input.body_max);
}

void check_written_chunks(const Case& input) {
  std::string written;
  for (std::size_t at = 0; at < input.bytes.size(); at += input.part_size) {
    append_chunk(written, input.bytes.substr(at, input.part_size));
  }
  written.append(kLastChunk).append("GET /behind");
  const Case again{{BodyFraming::chunked, 0}, input.bytes.size(), 0, written};
  const Body wanted{std::string(input.bytes), written.size() - 11, true};
  require(read(again, input.part_size) == wanted && read(again, written.size()) == wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const Case input = case_of({data, size});
  const std::optional<Body> wanted = read_plainly(input);
  require(read(input, std::max<std::size_t>(input.bytes.size(), 1)) == wanted);
  require(read(input, 1) == wanted);
  require(read(input, input.part_size) == wanted);
  check_written_chunks(input);
  return 0;
}
