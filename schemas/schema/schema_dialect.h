#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/schema/schema_documents.h"

namespace bartizan {

/// The dialect of a schema: its keywords and their meaning.
struct SchemaDialect {
  /// From the oldest to the newest.
  enum class Draft : std::uint8_t {
    draft_04,
    draft_06,
    draft_07,
    draft_2019_09,
    draft_2020_12
  } draft = Draft::draft_2020_12;
  /// Without the validation vocabulary, `type`, `minimum` and similar keywords are annotations.
  bool has_validation = true;
  /// A metaschema among the documents defines it, not a published one.
  bool has_own_metaschema = false;

  bool is_draft_04() const { return draft == Draft::draft_04; }
  /// A `$ref` hides all other keywords, and an `$id` may name a schema within its document.
  bool is_until_draft_07() const { return draft <= Draft::draft_07; }
  bool is_2019_09() const { return draft == Draft::draft_2019_09; }
  bool is_2020_12() const { return draft == Draft::draft_2020_12; }
  /// The keyword that names a schema.
  std::string_view id_keyword() const { return is_draft_04() ? "id" : "$id"; }
  bool operator==(const SchemaDialect&) const = default;
};

/// The dialect that a `$schema` names. It is a published one, with `http` or `https` and with or
/// without a final `#`, or a metaschema among `documents` whose `$vocabulary` requires nothing
/// unknown. `http://json-schema.org/schema`, which once named the newest, is 2020-12. Nothing for
/// other URIs.
///
/// Source: JSON Schema 2020-12 Core §8.1.1, §8.1.2.
std::optional<SchemaDialect> find_dialect(std::string_view uri, const SchemaDocuments& documents);

/// Whether the keyword has a meaning in that dialect, if only as an annotation. Keywords that begin
/// with `x-` are free for all. Does not include keywords of earlier drafts that are evaluated
/// nevertheless.
bool is_known_keyword(std::string_view keyword, SchemaDialect dialect);

/// Whether such a keyword restricts values: it is neither an annotation nor a definition.
bool is_rule(std::string_view keyword);

/// All keywords that some dialect knows.
std::vector<std::string_view> known_keywords();

/// How a keyword contains further schemas.
enum class SchemaPlace : std::uint8_t {
  none,
  one,
  list,
  one_or_list,
  map,
  map_of_schemas_or_lists
};

/// How the keyword's value is, or contains, schemas in that dialect. Later dialects also accept
/// `additionalItems` and `dependencies`, and evaluate them as earlier ones did.
SchemaPlace schema_place(std::string_view keyword, SchemaDialect dialect);

}  // namespace bartizan
