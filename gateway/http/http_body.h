#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gateway/http/http_fields.h"
#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The result of one step of a body reader.
struct BodyStep {
  std::size_t consumed = 0;    ///< Never 0 for non-empty bytes of a body that is not done.
  std::string_view data = {};  ///< A view into those bytes; may be empty.
  bool done = false;  ///< The body is complete. Bytes that were not consumed are not part of it.
};

/// A strict incremental decoder of the chunked coding, without copies.
///
/// It refuses trailers, and chunk extensions in requests: no client needs them, and parsers differ
/// on them. Extensions in responses are skipped, since nobody parses the response after the
/// gateway. It refuses sizes other than 1 to 16 hex digits, a lone CR or LF, and bodies over the
/// bound as soon as a chunk size exceeds it.
/// Errors:  http_framing, http_limit; the decoder must not be used after an error.
/// Source:  RFC 9112 §7.1.
class ChunkedDecoder {
 public:
  ChunkedDecoder(std::uint64_t body_bytes_max, Fault fault)
      : room_(body_bytes_max), fault_(fault) {}

  /// Reads up to the end of one piece of data. Call it again with the rest, until `done` or until
  /// nothing is left.
  Result<BodyStep> step(std::string_view bytes);
  bool is_done() const { return state_ == State::done; }

 private:
  enum class State : std::uint8_t {
    size,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    end_cr,
    end_lf,
    done,
  };

  Result<void> read_framing(char byte);
  Result<void> read_size(char byte);
  Result<void> skip_extension(char byte);
  Result<void> end_size();
  Result<void> expect(char byte, char wanted, State next);

  std::uint64_t room_;       // Bytes of body that may still arrive.
  std::uint64_t chunk_ = 0;  // The size being read, then the bytes left of the chunk.
  std::size_t digits_ = 0;
  std::size_t extension_bytes_ = 0;  // Of all chunks.
  State state_ = State::size;
  Fault fault_;
};

/// Reads a body with any framing.
///
/// Errors:  those of `ChunkedDecoder`; http_limit at once for a declared length over the bound.
class BodyReader {
 public:
  BodyReader(BodyLength length, std::uint64_t body_bytes_max, Fault fault);

  /// As `ChunkedDecoder::step`; with `BodyFraming::until_close` it is never done.
  Result<BodyStep> step(std::string_view bytes);
  /// Reads all bytes that arrived. Appends those of the body to `body`, and returns the rest after
  /// its end.
  Result<std::string_view> take(std::string_view came, Bytes& body);
  /// Whether the body is complete; true from the start if there is none.
  bool is_done() const;
  /// How many bytes of a declared length are still missing; 0 for other framings.
  std::uint64_t left() const;
  /// Handles the peer's close of the connection.
  /// Errors:  closed, if the body was cut short.
  Result<void> close() const;

 private:
  Result<BodyStep> step_counted(std::string_view bytes);

  BodyLength length_;
  std::uint64_t left_;  // Of the declared length, or of the bound until the peer closes.
  bool too_large_;
  Fault fault_;
  ChunkedDecoder chunks_;
};

}  // namespace bartizan
