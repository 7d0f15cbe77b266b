#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

namespace limits {
/// The most fields of a form. The gateway's own forms have three.
inline constexpr std::size_t form_fields_max = 16;
}  // namespace limits

/// The fields of a form that a browser sent.
class Form {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  /// The value of the field of that name; nothing if there is none.
  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<Field>& fields() const { return fields_; }

 private:
  friend Result<Form> read_form(std::string_view body);
  friend Result<Form> read_query(std::string_view query);
  std::vector<Field> fields_;
};

/// Reads a body of `application/x-www-form-urlencoded`, as strictly as browsers write it.
///
/// Refused: a field without name or `=`; a repeated name; more than `limits::form_fields_max`
/// fields; bytes that browsers escape; a `%` without two hexadecimal digits; values that are not
/// UTF-8 or contain control characters.
/// Errors:  http_syntax or http_limit, fault client; `detail` contains nothing of the body, which
/// may be a key.
/// Cost:    linear.
/// Source:  WHATWG URL, "application/x-www-form-urlencoded serializing".
Result<Form> read_form(std::string_view body);

/// Reads the query of a URL, as `read_form` reads a body. Clients other than browsers escape less,
/// so it also accepts the other characters that a query may contain.
/// Source: RFC 3986 §3.4.
Result<Form> read_query(std::string_view query);

}  // namespace bartizan
