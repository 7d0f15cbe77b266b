#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gateway/http/http_fields.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A header to write. Neither part may contain CR, LF or NUL; the name must be a token.
struct HeaderLine {
  std::string_view name;
  std::string_view value;
};

/// What happens to the connection after a message.
enum class AfterMessage : std::uint8_t { keep_alive, close, upgrade };

/// The parts of a response before its body.
struct ResponseStart {
  int status = 200;
  std::string_view content_type = {};  ///< No header if empty.
  BodyLength body = {};                ///< `none` writes no length: for 1xx, 204 and 304 only.
  AfterMessage after = AfterMessage::keep_alive;
  std::span<const HeaderLine> headers = {};
};

/// The parts of a request before its body.
struct RequestStart {
  std::string_view method = "POST";
  std::string_view target = "/";
  std::string_view host = {};
  std::string_view content_type = {};
  BodyLength body = {};
  AfterMessage after = AfterMessage::keep_alive;
  std::span<const HeaderLine> headers = {};
};

/// Appends the head, including its empty line. Framing headers are written only from `body` and
/// `after`. They are refused among `headers`, so no message has two lengths.
///
/// Errors:  http_syntax, fault gateway, for a CR, LF, NUL or other control character in any part;
/// `out` is then unchanged.
/// Cost:    appends only; about 30 ns for an ordinary JSON response.
/// Source:  RFC 9112 §4, §6; CWE-113.
Result<void> append_response_head(std::string& out, const ResponseStart& start);
Result<void> append_request_head(std::string& out, const RequestStart& start);

/// The reason phrase of a status; `Status` for an unknown one.
std::string_view status_text(int status);

/// Appends `data` as one chunk. Appends nothing for empty data, which would end the body.
void append_chunk(std::string& out, std::string_view data);
/// Ends a chunked body, without trailers.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
/// The interim response to `Expect: 100-continue`.
inline constexpr std::string_view kContinueHead = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace bartizan
