#include "gateway/http/read_form.h"

#include <algorithm>
#include <utility>

#include "policy/text/percent.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::http_syntax, Fault::client, std::move(detail));
}

/// What browsers leave as it is. `~` stands there for other clients, which leave it.
bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '*' ||
         c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

Result<std::string> decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_plain(text[at])) {
      decoded += text[at];
    } else if (text[at] == '+') {
      decoded += ' ';
    } else if (text[at] == '%') {
      const auto byte = escaped_byte(text, at);
      if (!byte.has_value()) return refuse("a form with \"%\" and no two digits");
      decoded += static_cast<char>(*byte);
      at += 2;
    } else {
      return refuse("a form with a byte that is not escaped");
    }
  }
  if (!is_valid_utf8(decoded)) return refuse("a form that is no UTF-8");
  if (std::ranges::any_of(decoded, is_control)) return refuse("a form with a control character");
  return decoded;
}

}  // namespace

std::optional<std::string_view> Form::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  if (found == fields_.end()) return std::nullopt;
  return found->value;
}

Result<Form> read_form(std::string_view body) {
  Form form;
  bool has_more = !body.empty();
  while (has_more) {
    const std::size_t end = body.find('&');
    const std::string_view field = body.substr(0, end);
    has_more = end != body.npos;
    if (has_more) body.remove_prefix(end + 1);
    const std::size_t equals = field.find('=');
    if (equals == field.npos || equals == 0) return refuse("a form with a field that has no name");
    Result<std::string> name = decode(field.substr(0, equals));
    if (!name.has_value()) return std::unexpected(name.error());
    Result<std::string> value = decode(field.substr(equals + 1));
    if (!value.has_value()) return std::unexpected(value.error());
    if (form.find(*name).has_value()) return refuse("a form with a field twice");
    if (form.fields_.size() == limits::form_fields_max) {
      return fail(ErrorCode::http_limit, Fault::client, "a form with too many fields");
    }
    form.fields_.push_back({.name = std::move(*name), .value = std::move(*value)});
  }
  return form;
}

}  // namespace bartizan
