// Finds the end of a head, of a request or a response.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

#include "gateway/http/http_fields.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

using Vector = ByteVector<16>;
constexpr std::ptrdiff_t kVector = 16;
constexpr std::string_view kEnd = "\r\n\r\n";

// The first bytes of a head's end; `end` if there are none.
const char* find_end_bytes(const char* at, const char* end) {
  // The last of these sixteen positions needs three bytes more.
  for (; end - at >= kVector + 3; at += kVector) {
    const auto found =
        static_cast<Vector::Hits>(Vector(at).equal('\r') & Vector(at + 1).equal('\n') &
                                  Vector(at + 2).equal('\r') & Vector(at + 3).equal('\n'));
    if (found != 0) return at + std::countr_zero(found);
  }
  const std::string_view rest(at, end);
  const std::size_t found = rest.find(kEnd);
  return found == std::string_view::npos ? end : at + found;
}

// Whether the bytes from `from` on can never become a head: a CR and a LF that do not belong
// together, or a NUL. Called only for an incomplete head.
bool is_hopeless(std::string_view buffer, std::size_t from) {
  for (std::size_t i = from; i < buffer.size(); ++i) {
    const bool behind_cr = i > 0 && buffer[i - 1] == '\r';
    if ((buffer[i] == '\n') != behind_cr || buffer[i] == '\0') return true;
  }
  return false;
}

}  // namespace

Result<std::size_t> find_head_end(std::string_view buffer, std::size_t searched, Fault fault) {
  // The end may have begun in the searched bytes.
  const std::size_t from = searched < kEnd.size() ? 0 : searched - (kEnd.size() - 1);
  const std::string_view window = buffer.substr(0, limits::head_bytes_max);
  const char* const window_end = window.data() + window.size();
  const char* const end = find_end_bytes(window.data() + std::min(from, window.size()), window_end);
  if (end != window_end) return static_cast<std::size_t>(end - window.data()) + kEnd.size();
  if (is_hopeless(window, std::min(searched, window.size()))) {
    // A TLS handshake record. Source: RFC 8446 §5.1.
    if (window.starts_with("\x16\x03")) {
      return fail(ErrorCode::http_syntax, fault, "this is tls, where plain http is spoken");
    }
    return fail(ErrorCode::http_syntax, fault, "a line end other than crlf, or a nul, in the head");
  }
  if (buffer.size() >= limits::head_bytes_max) {
    return fail(ErrorCode::http_limit, fault, "the head is too large");
  }
  return 0;
}

}  // namespace bartizan
