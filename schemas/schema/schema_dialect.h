#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/schema/schema_documents.h"

namespace bartizan {

/// Which keywords a schema may use, and what they mean.
struct SchemaDialect {
  /// From the oldest to the newest.
  enum class Draft : std::uint8_t {
    draft_04,
    draft_06,
    draft_07,
    draft_2019_09,
    draft_2020_12
  } draft = Draft::draft_2020_12;
  /// Without the validation vocabulary `type`, `minimum` and their like are annotations.
  bool has_validation = true;
  /// It is told by a metaschema among the documents, not by one of the published.
  bool has_own_metaschema = false;

  bool is_draft_04() const { return draft == Draft::draft_04; }
  /// Nothing beside a `$ref` counts, and an `$id` may name a schema within its document.
  bool is_until_draft_07() const { return draft <= Draft::draft_07; }
  bool is_2019_09() const { return draft == Draft::draft_2019_09; }
  bool is_2020_12() const { return draft == Draft::draft_2020_12; }
  /// The keyword that names a schema.
  std::string_view id_keyword() const { return is_draft_04() ? "id" : "$id"; }
  bool operator==(const SchemaDialect&) const = default;
};

/// The dialect that a `$schema` names: a published one, with `http` or `https` and with or without
/// `#` behind it, or a metaschema among `documents` whose `$vocabulary` asks for nothing unknown.
/// `http://json-schema.org/schema`, which once named the newest, is 2020-12. Nothing for any other.
///
/// Source: JSON Schema 2020-12 Core §8.1.1, §8.1.2.
std::optional<SchemaDialect> find_dialect(std::string_view uri, const SchemaDocuments& documents);

/// Whether a schema of that dialect gives the keyword a meaning, if only as an annotation; what
/// begins with `x-` is anybody's. Keywords of earlier drafts that are judged all the same are not
/// among them.
bool is_known_keyword(std::string_view keyword, SchemaDialect dialect);

/// Whether such a keyword says what values are allowed: it is no annotation, and no definition.
bool is_rule(std::string_view keyword);

/// All that are known in some dialect.
std::vector<std::string_view> known_keywords();

/// How a keyword holds further schemas.
enum class SchemaPlace : std::uint8_t {
  none,
  one,
  list,
  one_or_list,
  map,
  map_of_schemas_or_lists
};

/// Where, in a schema of that dialect, the keyword's value is or holds schemas; `additionalItems`
/// and `dependencies` in later dialects too, which judge them as those before did.
SchemaPlace schema_place(std::string_view keyword, SchemaDialect dialect);

}  // namespace bartizan
