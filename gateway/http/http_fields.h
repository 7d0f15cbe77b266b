#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/base/limits.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Headers that the gateway reads. `mcp_param` is any `Mcp-Param-*`, `mcp_other` any further
/// `Mcp-*`, `other` everything else.
enum class KnownHeader : std::uint8_t {
  other,
  mcp_param,
  mcp_other,
  accept,
  access_control_request_headers,
  access_control_request_method,
  authorization,
  connection,
  content_encoding,
  content_length,
  content_type,
  expect,
  host,
  last_event_id,
  location,
  mcp_method,
  mcp_name,
  mcp_protocol_version,
  mcp_session_id,
  origin,
  sec_websocket_key,
  sec_websocket_protocol,
  sec_websocket_version,
  traceparent,
  tracestate,
  transfer_encoding,
  upgrade,
  www_authenticate,
};

inline constexpr std::size_t kKnownHeaders =
    static_cast<std::size_t>(KnownHeader::www_authenticate) + 1;

/// One field of a head: views into the bytes it was read from. The value's surrounding blanks are
/// gone, and it holds no control character but tabs.
struct HeaderField {
  std::string_view name;
  std::string_view value;
  KnownHeader known = KnownHeader::other;
};

/// How the end of a body is found.
enum class BodyFraming : std::uint8_t {
  none,            ///< There is no body.
  content_length,  ///< As many bytes as the head says, perhaps none.
  chunked,
  until_close,  ///< Answers only: until the peer closes.
};

struct BodyLength {
  BodyFraming framing = BodyFraming::none;
  std::uint64_t content_length = 0;  ///< With `BodyFraming::content_length`.
};

/// Size in bytes of the head at the front of `buffer`, its empty line included; 0 while the end
/// has not arrived. `searched` is how many bytes of it an earlier call has already seen.
///
/// Errors:  http_syntax as soon as a stray CR, LF or NUL shows that no head will follow;
///          http_limit when no end is found within limits::head_bytes_max.
/// Cost:    about 40 ns for a head of 480 B; bytes once searched are not searched again.
/// Source:  RFC 9112 §2.2; a lone LF is refused, since peers differ on whether it ends a line.
Result<std::size_t> find_head_end(std::string_view buffer, std::size_t searched, Fault fault);

/// The header section of one request or answer, strictly read. Reused from head to head.
///
/// Refused: folded lines, blanks before the colon, names that are no tokens or a framing header's
/// but for `_`, control characters, non-ASCII bytes in `Mcp-*` values, more than
/// limits::header_fields_max fields, and a second field of those that may stand only once.
/// Errors:    http_syntax, http_framing or http_limit; `detail` names the header.
/// Lifetime:  views into the bytes given to `read`.
/// Cost:      one allocation, of the first head; as much as there are fields, no more.
/// Source:    RFC 9112 §5, §6; RFC 9110 §5.5, §5.6; MCP 2026-07-28, "Server Validation".
class HeaderFields {
 public:
  explicit HeaderFields(Fault fault) : fault_(fault) { first_.fill(kAbsent); }

  /// Input: the lines behind the start line, each with its CRLF, and the empty line.
  Result<void> read(std::string_view section);

  /// All fields in the order of the message.
  std::span<const HeaderField> all() const { return fields_; }
  bool has(KnownHeader known) const { return first_[index(known)] != kAbsent; }
  /// The value of the first field of that kind.
  std::optional<std::string_view> find(KnownHeader known) const;
  /// The value of the first field of that name, in any letter case. Cost: a pass over the fields.
  std::optional<std::string_view> find(std::string_view name) const;
  /// Whether one of the comma-separated lists of that kind holds `token`, in any letter case.
  bool lists(KnownHeader known, std::string_view token) const;

  /// What the section says about the body, which `BodyFraming::none` leaves open.
  /// Errors:  http_framing for lengths that two parsers could read differently: both kinds at
  ///          once, anything but digits, overflow, a coding other than exactly `chunked`, or any
  ///          coding in HTTP/1.0. Source: RFC 9112 §6.1-6.3.
  Result<BodyLength> body_length(int minor_version) const;
  /// Whether the connection may carry another message. Source: RFC 9112 §9.3.
  bool keeps_alive(int minor_version) const;
  /// Whether `Content-Encoding` names any coding other than identity.
  bool has_content_coding() const;

 private:
  static constexpr std::uint8_t kAbsent = 255;
  static_assert(limits::header_fields_max < kAbsent);

  static std::size_t index(KnownHeader known) { return static_cast<std::size_t>(known); }
  void add(const HeaderField& field);
  bool is_suspect(const HeaderField& field) const;
  Result<void> check(const HeaderField& field) const;
  bool repeats(const HeaderField& field) const;
  std::unexpected<Error> refuse_repeated(const HeaderField& field) const;
  std::unexpected<Error> refuse_line(const char* line, const char* at) const;

  Fault fault_;
  std::array<std::uint8_t, kKnownHeaders> first_;
  std::vector<HeaderField> fields_;
};

/// Whether two texts are equal when the letter case of ASCII is ignored.
bool equal_ignoring_case(std::string_view a, std::string_view b);
/// Whether `text` is a non-empty token. Source: RFC 9110 §5.6.2.
bool is_token(std::string_view text);
/// Whether `text` holds no control character but tabs, as a value may. Source: RFC 9110 §5.5.
bool is_field_value(std::string_view text);

}  // namespace bartizan
