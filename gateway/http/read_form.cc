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

/// The characters that browsers do not escape, and `~`, which other clients do not escape.
bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '*' ||
         c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

/// The other characters that a query, and a name or value in it, may contain unescaped.
bool is_plain_in_query(char c) {
  return is_plain(c) || std::string_view("!$'(),/:;=?@").contains(c);
}

using IsPlain = bool (*)(char c);

Result<std::string> decode(std::string_view text, IsPlain is_left) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_left(text[at])) {
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
  if (!is_valid_utf8(decoded)) return refuse("a form that is not UTF-8");
  if (std::ranges::any_of(decoded, is_control)) return refuse("a form with a control character");
  return decoded;
}

}  // namespace

std::optional<std::string_view> Form::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  if (found == fields_.end()) return std::nullopt;
  return found->value;
}

namespace {

/// Reads fields, and passes each to `add`.
template <class Add>
Result<void> read_fields(std::string_view body, IsPlain is_left, const Add& add) {
  bool has_more = !body.empty();
  while (has_more) {
    const std::size_t end = body.find('&');
    const std::string_view field = body.substr(0, end);
    has_more = end != body.npos;
    if (has_more) body.remove_prefix(end + 1);
    const std::size_t equals = field.find('=');
    if (equals == field.npos || equals == 0) return refuse("a form with a field that has no name");
    Result<std::string> name = decode(field.substr(0, equals), is_left);
    if (!name.has_value()) return std::unexpected(name.error());
    Result<std::string> value = decode(field.substr(equals + 1), is_left);
    if (!value.has_value()) return std::unexpected(value.error());
    const Result<void> added = add(Form::Field{std::move(*name), std::move(*value)});
    if (!added.has_value()) return added;
  }
  return {};
}

Result<void> add_field(const Form& form, std::vector<Form::Field>& fields, Form::Field field) {
  if (form.find(field.name).has_value()) return refuse("a form with a field twice");
  if (fields.size() == limits::form_fields_max) {
    return fail(ErrorCode::http_limit, Fault::client, "a form with too many fields");
  }
  fields.push_back(std::move(field));
  return {};
}

}  // namespace

Result<Form> read_form(std::string_view body) {
  Form form;
  const Result<void> read = read_fields(body, is_plain, [&form](Form::Field field) {
    return add_field(form, form.fields_, std::move(field));
  });
  if (!read.has_value()) return std::unexpected(read.error());
  return form;
}

Result<Form> read_query(std::string_view query) {
  Form form;
  const Result<void> read = read_fields(query, is_plain_in_query, [&form](Form::Field field) {
    return add_field(form, form.fields_, std::move(field));
  });
  if (!read.has_value()) return std::unexpected(read.error());
  return form;
}

}  // namespace bartizan
