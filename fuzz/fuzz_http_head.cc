#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/http/http_head.h"

/// A head that is accepted means the same when it is written anew from what was read of it, and
/// does not depend on where reads end.

namespace {

using namespace bartizan;

std::string written_anew(std::string_view text, const RequestHead& head) {
  std::string out(text.substr(0, text.find(' ')));
  out.append(" ").append(head.target()).append(" HTTP/1.");
  out.append(head.minor_version() == 0 ? "0\r\n" : "1\r\n");
  for (const HeaderField& field : head.fields().all()) {
    out.append(field.name).append(":").append(field.value).append("\r\n");
  }
  return out.append("\r\n");
}

void check_fields(const HeaderFields& fields, std::string_view text) {
  for (const HeaderField& field : fields.all()) {
    require(is_within(field.name, text) && is_within(field.value, text));
    require(is_token(field.name) && fields.has(field.known));
    require(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
    require(fields.find(field.name).has_value());
  }
}

void check_request(std::string_view text, RequestHead& head) {
  check_fields(head.fields(), text);
  const std::string anew = written_anew(text, head);
  const auto again = std::make_unique<RequestHead>();
  require(again->read(anew).has_value());
  require(again->method() == head.method() && again->target() == head.target());
  require(again->framing() == head.framing() && again->content_length() == head.content_length());
  require(again->keeps_alive() == head.keeps_alive() && again->host() == head.host());
  require(again->expects_continue() == head.expects_continue());
  require(again->has_content_coding() == head.has_content_coding());
  const auto all = head.fields().all();
  require(again->fields().all().size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    require(again->fields().all()[i].value == all[i].value);
    require(again->fields().all()[i].known == all[i].known);
  }
}

/// One length or none, and never one that the next server could read differently.
void check_body(const RequestHead& head) {
  const bool is_chunked = head.has(KnownHeader::transfer_encoding);
  const bool is_counted = head.has(KnownHeader::content_length);
  require(!is_chunked || !is_counted);
  require((head.framing() == BodyFraming::chunked) == is_chunked);
  require((head.framing() == BodyFraming::content_length) == is_counted);
  require(head.framing() != BodyFraming::until_close);
}

/// The size that reads of one byte find, or nothing where they give up.
std::optional<std::size_t> find_byte_by_byte(std::string_view bytes) {
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const auto end = find_head_end(bytes.substr(0, size), size - 1, Fault::client);
    if (!end) return std::nullopt;
    if (*end != 0) return *end;
  }
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = find_head_end(bytes, 0, Fault::client);
  const auto slow_end = find_byte_by_byte(bytes);
  if (!end || *end == 0) {
    require(!slow_end || *slow_end == 0);
    return 0;
  }
  const std::string_view text = bytes.substr(0, *end);
  const auto head = std::make_unique<RequestHead>();
  if (!head->read(text)) return 0;
  // Who gives up early gives up on nothing that is accepted.
  require(slow_end == *end);
  check_request(text, *head);
  check_body(*head);
  return 0;
}
