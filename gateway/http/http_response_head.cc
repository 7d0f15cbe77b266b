#include "gateway/http/http_response_head.h"

#include <algorithm>
#include <string>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Source: RFC 9112 §4: any visible byte, blank or obs-text.
bool is_reason_char(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

std::unexpected<Error> refuse_line(std::string_view line) {
  const bool is_http = line.size() > 8 && line.starts_with("HTTP/") && is_digit(line[5]) &&
                       line[6] == '.' && is_digit(line[7]) && line[8] == ' ';
  if (is_http) return fail(ErrorCode::http_version, Fault::server, "not http/1.0 or http/1.1");
  return fail(ErrorCode::http_syntax, Fault::server, "no http version in the status line");
}

}  // namespace

Result<void> ResponseHead::read(std::string_view head, HttpMethod requested) {
  size_ = head.size();
  if (size_ > limits::head_bytes_max) {
    return fail(ErrorCode::http_limit, Fault::server, "the head is too large");
  }
  const Result<std::size_t> line = read_status_line(head);
  if (!line) return std::unexpected(line.error());
  if (const auto read = fields_.read(head.substr(*line)); !read) return read;
  const Result<BodyLength> body = fields_.body_length(minor_version_);
  if (!body) return std::unexpected(body.error());
  body_ = *body;
  keeps_alive_ = fields_.keeps_alive(minor_version_);
  has_content_coding_ = fields_.has_content_coding();
  const auto names_coding = [](const HeaderField& field) {
    return field.known == KnownHeader::content_encoding;
  };
  const std::string_view coding = find(KnownHeader::content_encoding).value_or("");
  is_gzipped_ = std::ranges::count_if(fields_.all(), names_coding) == 1 &&
                (equal_ignoring_case(coding, "gzip") || equal_ignoring_case(coding, "x-gzip"));
  return settle_body(requested);
}

// Returns the offset of the header section. The blank before an empty reason may be missing, as
// common servers send it; it is unambiguous.
Result<std::size_t> ResponseHead::read_status_line(std::string_view head) {
  constexpr std::size_t kReason = 12;  // After `HTTP/1.1 200`.
  const std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) {
    return fail(ErrorCode::http_syntax, Fault::server, "the status line has no end");
  }
  const std::string_view line = head.substr(0, end);
  if (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 ")) return refuse_line(line);
  const bool has_status = line.size() >= kReason && line[9] >= '1' && line[9] <= '5' &&
                          is_digit(line[10]) && is_digit(line[11]);
  if (!has_status || (line.size() > kReason && line[kReason] != ' ')) {
    return fail(ErrorCode::http_syntax, Fault::server, "no status in the status line");
  }
  if (!std::ranges::all_of(line.substr(kReason), is_reason_char)) {
    return fail(ErrorCode::http_syntax, Fault::server, "a control character in the reason");
  }
  minor_version_ = line[7] - '0';
  status_ = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  return end + 2;
}

Result<void> ResponseHead::settle_body(HttpMethod requested) {
  const bool never_has_body = status_ < 200 || status_ == 204;
  const bool claims_body = body_.framing == BodyFraming::chunked || body_.content_length > 0;
  // If one parser skips the body and another waits for it, the two read different bytes as the next
  // response.
  if (never_has_body && claims_body) {
    return fail(ErrorCode::http_framing, Fault::server, "a length for a status without body");
  }
  if (never_has_body || status_ == 304 || requested == HttpMethod::head) {
    body_ = {};
    return {};
  }
  if (body_.framing == BodyFraming::none) {
    body_.framing = BodyFraming::until_close;
    keeps_alive_ = false;
  }
  return {};
}

bool ResponseHead::has_media_type(std::string_view type) const {
  const std::string_view value = find(KnownHeader::content_type).value_or("");
  const std::string_view essence = value.substr(0, value.find(';'));
  return equal_ignoring_case(essence.substr(0, essence.find_last_not_of(" \t") + 1), type);
}

}  // namespace bartizan
