#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// Why a schema cannot be used, one value for each cause that an operator may treat differently.
enum class SchemaFlaw : std::uint8_t {
  not_json,
  too_large,             ///< Bytes, subschemas, or their compiled form.
  too_deep,              ///< Chained schemas that apply to one value.
  endless,               ///< A reference leads back to itself without entering the value.
  unknown_dialect,       ///< None of draft-04, 06, 07, 2019-09 and 2020-12.
  invalid_keyword,       ///< A value that the dialect does not allow.
  external_reference,    ///< To another document; nothing is ever fetched.
  unresolved_reference,  ///< To nothing in this one.
  untranslatable_pattern,
  unknown_keyword,  ///< Unknown keyword, or a format that is not asserted, if these are refused.
};

/// A flaw and its place.
struct SchemaError {
  SchemaFlaw flaw;
  std::string pointer = {};  ///< RFC 6901, to the schema or the keyword; empty is the root.
  std::string detail = {};   ///< The gateway's sentence; quotes a few dozen bytes of the schema.
  std::int64_t offset = -1;  ///< Of a JSON error, if known.
};

/// A keyword that the schema's dialect does not define in this form. It is evaluated as its author
/// meant it.
struct SchemaNote {
  std::string pointer;       ///< RFC 6901, to the keyword, cut.
  std::string_view meaning;  ///< How it is read, a sentence of the gateway.
};

template <class T>
using SchemaResult = std::expected<T, SchemaError>;

inline std::unexpected<SchemaError> flawed(SchemaFlaw flaw, std::string pointer,
                                           std::string detail = {}) {
  return std::unexpected<SchemaError>(SchemaError{flaw, std::move(pointer), std::move(detail)});
}

/// The stable, lower-case name: `external_reference`.
std::string_view text(SchemaFlaw flaw);

}  // namespace bartizan
