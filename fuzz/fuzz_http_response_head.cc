#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/http/http_response_head.h"
#include "schemas/base/limits.h"

/// The head of an answer that is accepted means the same when it is written anew from what was read
/// of it; the end of its body is known before the first byte of it, whatever was asked.

namespace {

using namespace bartizan;

std::string written_anew(const ResponseHead& head) {
  std::string out = head.minor_version() == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out.append(std::to_string(head.status())).append(" again\r\n");
  for (const HeaderField& field : head.fields().all()) {
    out.append(field.name).append(":\t").append(field.value).append(" \r\n");
  }
  return out.append("\r\n");
}

void check_same(const ResponseHead& again, const ResponseHead& head) {
  require(again.status() == head.status() && again.minor_version() == head.minor_version());
  require(again.framing() == head.framing() && again.content_length() == head.content_length());
  require(again.keeps_alive() == head.keeps_alive());
  require(again.is_gzipped() == head.is_gzipped());
  require(again.has_unread_coding() == head.has_unread_coding());
  for (const auto type : {"application/json", "text/event-stream"})
    require(again.has_media_type(type) == head.has_media_type(type));
  require(again.fields().all().size() == head.fields().all().size());
}

void check_fields(const ResponseHead& head, std::string_view text) {
  for (const HeaderField& field : head.fields().all()) {
    require(is_within(field.name, text) && is_within(field.value, text));
    require(is_token(field.name) && head.has(field.known));
    require(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  }
}

void check_body(const ResponseHead& head, HttpMethod requested) {
  const int status = head.status();
  require(status >= 100 && status <= 599 && head.is_interim() == (status < 200));
  const bool has_no_body =
      status < 200 || status == 204 || status == 304 || requested == HttpMethod::head;
  require((head.framing() == BodyFraming::none) == has_no_body);
  // Where only the closing tells the end, nobody may expect another answer behind it.
  require(head.framing() != BodyFraming::until_close || !head.keeps_alive());
  const bool is_chunked = head.has(KnownHeader::transfer_encoding);
  require(!is_chunked || !head.has(KnownHeader::content_length));
}

void check_answer(std::string_view text, HttpMethod requested) {
  const auto head = std::make_unique<ResponseHead>();
  if (!head->read(text, requested)) return;
  require(head->size() == text.size());
  check_fields(*head, text);
  check_body(*head, requested);
  const std::string anew = written_anew(*head);
  // Two blanks for each field may push a head over the bound that just stayed below it.
  if (anew.size() > limits::head_bytes_max) return;
  const auto again = std::make_unique<ResponseHead>();
  require(again->read(anew, requested).has_value());
  check_same(*again, *head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = find_head_end(bytes, 0, Fault::server);
  if (!end || *end == 0) return 0;
  require(*end <= bytes.size() && bytes.substr(0, *end).ends_with("\r\n\r\n"));
  for (const HttpMethod requested : {HttpMethod::post, HttpMethod::get, HttpMethod::head}) {
    check_answer(bytes.substr(0, *end), requested);
  }
  return 0;
}
