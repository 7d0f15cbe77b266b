#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gateway/http/http_fields.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The methods that the gateway distinguishes. `other` is any other token; it gets a 405.
enum class HttpMethod : std::uint8_t { get, post, delete_, options, head, put, patch, other };

/// One HTTP/1.x request head, strictly read. Reused for each request.
///
/// It refuses everything that `HeaderFields` refuses. It refuses targets other than `/…` (or `*`
/// for OPTIONS), with bytes other than visible ASCII, or with a fragment. It refuses a missing,
/// empty or malformed Host, an expectation other than `100-continue`, and empty lines before the
/// request line.
/// Errors:    http_syntax, http_framing, http_limit or http_version, fault client; after an error
/// the accessors are meaningless.
/// Lifetime:  views into the bytes last read.
/// Cost:      one allocation; about 0.16 µs for a head of 480 B and ten fields.
/// Source:    RFC 9112 §2-§6, §9.3; RFC 9110 §7.2, §10.1.1.
class RequestHead {
 public:
  /// Input: exactly one head, as `find_head_end` measured it.
  Result<void> read(std::string_view head);

  HttpMethod method() const { return method_; }
  /// The target as it was sent.
  std::string_view target() const { return target_; }
  /// The target up to its `?`, not decoded.
  std::string_view path() const { return target_.substr(0, target_.find('?')); }
  /// The target after its first `?`, not decoded; empty without `?`.
  std::string_view query() const;
  /// 0 or 1, for HTTP/1.x.
  int minor_version() const { return minor_version_; }
  /// Bytes of the head; the body starts after them.
  std::size_t size() const { return size_; }

  BodyFraming framing() const { return body_.framing; }
  std::uint64_t content_length() const { return body_.content_length; }
  bool keeps_alive() const { return keeps_alive_; }
  bool expects_continue() const { return expects_continue_; }
  /// Whether the body has a coding except identity, which gets a 415.
  bool has_content_coding() const { return has_content_coding_; }

  const HeaderFields& fields() const { return fields_; }
  bool has(KnownHeader known) const { return fields_.has(known); }
  std::optional<std::string_view> find(KnownHeader known) const { return fields_.find(known); }
  /// Host as it was sent: `name`, `name:port` or `[address]:port`. Empty for HTTP/1.0 without Host.
  std::string_view host() const { return fields_.find(KnownHeader::host).value_or(""); }

 private:
  Result<std::size_t> read_request_line(std::string_view head);
  Result<void> check_target() const;
  Result<void> check_host() const;
  Result<void> read_expectation();

  HttpMethod method_ = HttpMethod::other;
  int minor_version_ = 1;
  bool keeps_alive_ = false;
  bool expects_continue_ = false;
  bool has_content_coding_ = false;
  std::string_view target_;
  std::size_t size_ = 0;
  BodyLength body_;
  HeaderFields fields_{Fault::client};
};

/// A head together with the bytes that it was read from.
struct HeadInBytes : RequestHead {
  std::string bytes;
};

}  // namespace bartizan
