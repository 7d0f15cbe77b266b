#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// Why a schema cannot be used, one value per cause that an operator may treat differently.
enum class SchemaFlaw : std::uint8_t {
  not_json,
  too_large,             ///< Bytes, subschemas, or what they compile to.
  too_deep,              ///< Schemas applied to one value by one another.
  endless,               ///< A reference leads back to itself without going into the value.
  unknown_dialect,       ///< None of draft-04, 06, 07, 2019-09 and 2020-12.
  invalid_keyword,       ///< A value that the dialect does not allow.
  external_reference,    ///< To another document; nothing is ever fetched.
  unresolved_reference,  ///< To nothing in this one.
  untranslatable_pattern,
  unknown_keyword,  ///< Means nothing, or a format that is not asserted, where that is refused.
};

/// A flaw and its place.
struct SchemaError {
  SchemaFlaw flaw;
  std::string pointer = {};  ///< RFC 6901, to the schema or the keyword; empty is the root.
  std::string detail = {};   ///< A sentence of ours; quotes the schema cut to a few dozen bytes.
  std::int64_t offset = -1;  ///< Of what is not JSON, where it is known.
};

/// A keyword that the schema's dialect does not have so, and that is judged as whoever wrote it
/// meant it.
struct SchemaNote {
  std::string pointer;       ///< RFC 6901, to the keyword, cut.
  std::string_view meaning;  ///< A sentence of ours: how it is read.
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
