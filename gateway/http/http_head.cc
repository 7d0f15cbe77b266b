#include "gateway/http/http_head.h"

#include <algorithm>
#include <array>
#include <string>

#include "config/parse_host_port.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

HttpMethod find_method(std::string_view text) {
  // The most frequent first. Source: RFC 9110 §9.1, methods are case-sensitive.
  if (text == "POST") return HttpMethod::post;
  if (text == "GET") return HttpMethod::get;
  if (text == "DELETE") return HttpMethod::delete_;
  if (text == "OPTIONS") return HttpMethod::options;
  if (text == "HEAD") return HttpMethod::head;
  if (text == "PUT") return HttpMethod::put;
  if (text == "PATCH") return HttpMethod::patch;
  return HttpMethod::other;
}

constexpr auto kIsTargetChar = [] {
  std::array<bool, 256> is{};
  for (unsigned char c = 0x21; c < 0x7f; ++c)
    is[c] = c != '#';  // A fragment is never sent.
  return is;
}();

bool is_target_char(char c) {
  return kIsTargetChar[static_cast<unsigned char>(c)];
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::unexpected<Error> refuse_version(std::string_view version) {
  const bool is_http = version.size() == 8 && version.starts_with("HTTP/") &&
                       is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  if (is_http) return fail(ErrorCode::http_version, Fault::client, "not http/1.0 or http/1.1");
  return fail(ErrorCode::http_syntax, Fault::client, "no http version in the request line");
}

}  // namespace

Result<void> RequestHead::read(std::string_view head) {
  size_ = head.size();
  if (size_ > limits::head_bytes_max) {
    return fail(ErrorCode::http_limit, Fault::client, "the head is too large");
  }
  const Result<std::size_t> line = read_request_line(head);
  if (!line) return std::unexpected(line.error());
  if (const auto target = check_target(); !target) return target;
  if (const auto read = fields_.read(head.substr(*line)); !read) return read;
  if (const auto host = check_host(); !host) return host;
  const Result<BodyLength> body = fields_.body_length(minor_version_);
  if (!body) return std::unexpected(body.error());
  body_ = *body;
  keeps_alive_ = fields_.keeps_alive(minor_version_);
  has_content_coding_ = fields_.has_content_coding();
  return read_expectation();
}

// Returns the offset of the header section.
Result<std::size_t> RequestHead::read_request_line(std::string_view head) {
  const std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) {
    return fail(ErrorCode::http_syntax, Fault::client, "the request line has no end");
  }
  const std::string_view line = head.substr(0, end);
  const std::size_t first = line.find(' ');
  const std::string_view method = line.substr(0, first);
  if (!is_token(method)) {
    return fail(ErrorCode::http_syntax, Fault::client, "the method is not a token");
  }
  const std::size_t last = line.find(' ', method.size() + 1);
  if (last == std::string_view::npos) return refuse_version({});
  method_ = find_method(method);
  target_ = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse_version(version);
  minor_version_ = version.back() - '0';
  return end + 2;
}

Result<void> RequestHead::check_target() const {
  if (target_.size() > limits::uri_bytes_max) {
    return fail(ErrorCode::http_limit, Fault::client, "the target is too long");
  }
  const bool is_origin_form = target_.starts_with('/');
  const bool is_server_wide = target_ == "*" && method_ == HttpMethod::options;
  if (!is_origin_form && !is_server_wide) {
    return fail(ErrorCode::http_syntax, Fault::client, "the target is not an absolute path");
  }
  if (!std::ranges::all_of(target_, is_target_char)) {
    return fail(ErrorCode::http_syntax, Fault::client,
                "the target contains a byte that paths cannot have");
  }
  return {};
}

Result<void> RequestHead::check_host() const {
  const std::optional<std::string_view> host = fields_.find(KnownHeader::host);
  if (!host) {
    if (minor_version_ == 0) return {};
    return fail(ErrorCode::http_syntax, Fault::client, "host is missing");
  }
  if (!is_host(*host)) {
    return fail(ErrorCode::http_syntax, Fault::client, "host is not a name or address");
  }
  return {};
}

Result<void> RequestHead::read_expectation() {
  expects_continue_ = false;
  const std::optional<std::string_view> expect = fields_.find(KnownHeader::expect);
  // Source: RFC 9110 §10.1.1; it has no meaning in HTTP/1.0.
  if (!expect || minor_version_ == 0) return {};
  if (!equal_ignoring_case(*expect, "100-continue")) {
    return fail(ErrorCode::http_syntax, Fault::client, "expect is not 100-continue");
  }
  expects_continue_ = true;
  return {};
}

std::string_view RequestHead::query() const {
  const std::size_t mark = target_.find('?');
  return mark == std::string_view::npos ? std::string_view() : target_.substr(mark + 1);
}

}  // namespace bartizan
