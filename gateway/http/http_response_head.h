#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/http/http_fields.h"
#include "gateway/http/http_head.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The head of an HTTP server's response, as strict about framing as `RequestHead`.
///
/// Errors:    http_syntax, http_framing, http_limit or http_version, fault server.
/// Lifetime:  views into the bytes last read.
/// Source:    RFC 9112 §4, §6.3.
class ResponseHead {
 public:
  /// Input: exactly one head, and the method of its request. A response to HEAD never has a body.
  Result<void> read(std::string_view head, HttpMethod requested);

  int status() const { return status_; }
  /// Whether it is 1xx, so that another head follows. The caller handles 101.
  bool is_interim() const { return status_ < 200; }
  int minor_version() const { return minor_version_; }
  std::size_t size() const { return size_; }

  BodyFraming framing() const { return body_.framing; }
  std::uint64_t content_length() const { return body_.content_length; }
  bool keeps_alive() const { return keeps_alive_; }
  /// Whether the body has the gzip coding. Some servers send it unrequested.
  bool is_gzipped() const { return is_gzipped_; }
  /// Whether the body has a coding that the gateway does not read.
  bool has_unread_coding() const { return has_content_coding_ && !is_gzipped_; }

  const HeaderFields& fields() const { return fields_; }
  bool has(KnownHeader known) const { return fields_.has(known); }
  std::optional<std::string_view> find(KnownHeader known) const { return fields_.find(known); }
  /// Whether the body is of that type, such as `text/event-stream`, with any parameters and letter
  /// case. Source: RFC 9110 §8.3.1.
  bool has_media_type(std::string_view type) const;

 private:
  Result<std::size_t> read_status_line(std::string_view head);
  Result<void> settle_body(HttpMethod requested);

  int status_ = 0;
  int minor_version_ = 1;
  bool keeps_alive_ = false;
  bool has_content_coding_ = false;
  bool is_gzipped_ = false;
  std::size_t size_ = 0;
  BodyLength body_;
  HeaderFields fields_{Fault::server};
};

}  // namespace bartizan
