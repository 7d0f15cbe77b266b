#include "gateway/http/write_http.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace bartizan {
namespace {

struct StatusText {
  int status;
  std::string_view text;
};

// The statuses that the gateway sends, and related ones. Source: RFC 9110 §15.
constexpr std::array kStatusTexts{
    StatusText{100, "Continue"},
    StatusText{101, "Switching Protocols"},
    StatusText{200, "OK"},
    StatusText{202, "Accepted"},
    StatusText{204, "No Content"},
    StatusText{303, "See Other"},
    StatusText{304, "Not Modified"},
    StatusText{307, "Temporary Redirect"},
    StatusText{400, "Bad Request"},
    StatusText{401, "Unauthorized"},
    StatusText{403, "Forbidden"},
    StatusText{404, "Not Found"},
    StatusText{405, "Method Not Allowed"},
    StatusText{406, "Not Acceptable"},
    StatusText{408, "Request Timeout"},
    StatusText{409, "Conflict"},
    StatusText{410, "Gone"},
    StatusText{411, "Length Required"},
    StatusText{412, "Precondition Failed"},
    StatusText{413, "Content Too Large"},
    StatusText{414, "URI Too Long"},
    StatusText{415, "Unsupported Media Type"},
    StatusText{417, "Expectation Failed"},
    StatusText{421, "Misdirected Request"},
    StatusText{426, "Upgrade Required"},
    StatusText{428, "Precondition Required"},
    StatusText{429, "Too Many Requests"},
    StatusText{431, "Request Header Fields Too Large"},
    StatusText{500, "Internal Server Error"},
    StatusText{501, "Not Implemented"},
    StatusText{502, "Bad Gateway"},
    StatusText{503, "Service Unavailable"},
    StatusText{504, "Gateway Timeout"},
    StatusText{505, "HTTP Version Not Supported"},
};

bool is_visible(char c) {
  return c > 0x20 && c < 0x7f;
}

std::unexpected<Error> refuse(std::string_view part) {
  return fail(ErrorCode::http_syntax, Fault::gateway, "not to be written: " + std::string(part));
}

void append_number(std::string& out, std::uint64_t value, int base) {
  std::array<char, 20> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value, base);
  out.append(digits.data(), written.ptr);
}

// Whether the header is written from `body` and `after`, or from the fields of the start.
bool is_own_header(std::string_view name) {
  return equal_ignoring_case(name, "content-length") ||
         equal_ignoring_case(name, "transfer-encoding") ||
         equal_ignoring_case(name, "connection") || equal_ignoring_case(name, "content-type") ||
         equal_ignoring_case(name, "host");
}

Result<void> check_headers(std::span<const HeaderLine> headers) {
  for (const HeaderLine& header : headers) {
    if (!is_token(header.name)) return refuse("a header name that is not a token");
    if (is_own_header(header.name)) return refuse("a header that the writer adds");
    // A control character would end the line and inject a header or a message.
    if (!is_field_value(header.value)) {
      return refuse("a control character in header " + std::string(header.name));
    }
  }
  return {};
}

void append_framing(std::string& out, const BodyLength& body) {
  switch (body.framing) {
    case BodyFraming::content_length:
      out.append("Content-Length: ");
      append_number(out, body.content_length, 10);
      out.append("\r\n");
      break;
    case BodyFraming::chunked:
      out.append("Transfer-Encoding: chunked\r\n");
      break;
    case BodyFraming::none:
    case BodyFraming::until_close:
      break;
  }
}

struct Section {
  std::string_view content_type;
  const BodyLength& body;
  AfterMessage after;
  std::span<const HeaderLine> headers;
};

void append_section(std::string& out, const Section& section) {
  if (!section.content_type.empty()) {
    out.append("Content-Type: ").append(section.content_type).append("\r\n");
  }
  append_framing(out, section.body);
  const bool closes =
      section.after == AfterMessage::close || section.body.framing == BodyFraming::until_close;
  if (closes) out.append("Connection: close\r\n");
  if (section.after == AfterMessage::upgrade) out.append("Connection: Upgrade\r\n");
  for (const HeaderLine& header : section.headers) {
    out.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  out.append("\r\n");
}

}  // namespace

Result<void> append_response_head(std::string& out, const ResponseStart& start) {
  if (start.status < 100 || start.status > 599) return refuse("a status outside 100 to 599");
  if (!is_field_value(start.content_type)) return refuse("a content type");
  if (const auto checked = check_headers(start.headers); !checked) return checked;
  if (start.status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
  } else {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(start.status), 10);
    out.append(" ").append(status_text(start.status)).append("\r\n");
  }
  append_section(out, {start.content_type, start.body, start.after, start.headers});
  return {};
}

Result<void> append_request_head(std::string& out, const RequestStart& start) {
  if (!is_token(start.method)) return refuse("a method that is not a token");
  if (start.target.empty() || !std::ranges::all_of(start.target, is_visible)) {
    return refuse("a target that is empty or not visible ascii");
  }
  if (start.host.empty() || !std::ranges::all_of(start.host, is_visible)) {
    return refuse("a host that is empty or not visible ascii");
  }
  if (start.body.framing == BodyFraming::until_close) return refuse("a request without an end");
  if (!is_field_value(start.content_type)) return refuse("a content type");
  if (const auto checked = check_headers(start.headers); !checked) return checked;
  out.append(start.method).append(" ").append(start.target).append(" HTTP/1.1\r\nHost: ");
  out.append(start.host).append("\r\n");
  append_section(out, {start.content_type, start.body, start.after, start.headers});
  return {};
}

std::string_view status_text(int status) {
  const auto row = std::ranges::find(kStatusTexts, status, &StatusText::status);
  return row == kStatusTexts.end() ? "Status" : row->text;
}

void append_chunk(std::string& out, std::string_view data) {
  if (data.empty()) return;
  append_number(out, data.size(), 16);
  out.append("\r\n").append(data).append("\r\n");
}

}  // namespace bartizan
