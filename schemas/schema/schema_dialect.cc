#include "schemas/schema/schema_dialect.h"

#include <algorithm>
#include <array>

namespace bartizan {
namespace {

constexpr std::string_view kDraft07 = "http://json-schema.org/draft-07/schema";
constexpr std::string_view kDraft2020 = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view kPublished2020 = "https://json-schema.org/draft/2020-12/";
constexpr std::string_view kVocabularies = "https://json-schema.org/draft/2020-12/vocab/";
constexpr std::array<std::string_view, 7> kKnownVocabularies = {
    "core", "applicator", "unevaluated", "validation", "meta-data", "content", "format-annotation",
};

struct Keyword {
  std::string_view name;
  SchemaPlace place;
  bool is_in_draft_07, is_in_2020_12;
};

constexpr auto kKeywords = std::to_array<Keyword>({
    {"$defs", SchemaPlace::map, false, true},
    {"additionalItems", SchemaPlace::one, true, false},
    {"additionalProperties", SchemaPlace::one, true, true},
    {"allOf", SchemaPlace::list, true, true},
    {"anyOf", SchemaPlace::list, true, true},
    {"contains", SchemaPlace::one, true, true},
    {"contentSchema", SchemaPlace::one, false, true},
    {"definitions", SchemaPlace::map, true, true},
    {"dependencies", SchemaPlace::map_of_schemas_or_lists, true, false},
    {"dependentSchemas", SchemaPlace::map, false, true},
    {"else", SchemaPlace::one, true, true},
    {"if", SchemaPlace::one, true, true},
    {"items", SchemaPlace::one_or_list, true, true},
    {"not", SchemaPlace::one, true, true},
    {"oneOf", SchemaPlace::list, true, true},
    {"patternProperties", SchemaPlace::map, true, true},
    {"prefixItems", SchemaPlace::list, false, true},
    {"properties", SchemaPlace::map, true, true},
    {"propertyNames", SchemaPlace::one, true, true},
    {"then", SchemaPlace::one, true, true},
    {"unevaluatedItems", SchemaPlace::one, false, true},
    {"unevaluatedProperties", SchemaPlace::one, false, true},
});

/// Keywords that hold no schemas.
constexpr auto kPlainKeywords = std::to_array<std::string_view>({
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
});
constexpr auto kPlainKeywordsOf2020 = std::to_array<std::string_view>({
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "dependentRequired",
    "deprecated",
    "maxContains",
    "minContains",
});

bool is_known_vocabulary(std::string_view uri) {
  if (!uri.starts_with(kVocabularies)) return false;
  uri.remove_prefix(kVocabularies.size());
  return std::ranges::find(kKnownVocabularies, uri) != kKnownVocabularies.end();
}

/// What a metaschema of somebody else's asks for.
std::optional<SchemaDialect> read_metaschema(JsonValue metaschema) {
  const JsonValue vocabularies = metaschema.find("$vocabulary");
  if (metaschema.find("$schema").text() != kDraft2020 || !vocabularies) return std::nullopt;
  SchemaDialect dialect{.has_validation = false, .has_own_metaschema = true};
  for (const JsonValue required : vocabularies) {
    if (is_known_vocabulary(required.key())) {
      dialect.has_validation |= required.key().ends_with("/validation");
    } else if (required.boolean().value_or(true)) {
      return std::nullopt;
    }
  }
  return dialect;
}

}  // namespace

std::optional<SchemaDialect> find_dialect(std::string_view uri, const SchemaDocuments& documents) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri == kDraft2020) return SchemaDialect{};
  if (uri == kDraft07) return SchemaDialect{.draft = SchemaDialect::Draft::draft_07};
  // The published vocabularies have metaschemas too; under one alone nothing would be asserted.
  if (uri.starts_with(kPublished2020)) return std::nullopt;
  const JsonValue metaschema = documents.find(uri);
  return metaschema ? read_metaschema(metaschema) : std::nullopt;
}

bool is_known_keyword(std::string_view keyword, SchemaDialect dialect) {
  if (keyword.starts_with("x-") || schema_place(keyword, dialect) != SchemaPlace::none) return true;
  if (std::ranges::find(kPlainKeywords, keyword) != kPlainKeywords.end()) return true;
  return !dialect.is_draft_07() &&
         std::ranges::find(kPlainKeywordsOf2020, keyword) != kPlainKeywordsOf2020.end();
}

bool is_rule(std::string_view keyword) {
  constexpr auto kOthers = std::to_array<std::string_view>({
      "$anchor",
      "$comment",
      "$defs",
      "$id",
      "$schema",
      "$vocabulary",
      "contentEncoding",
      "contentMediaType",
      "default",
      "definitions",
      "deprecated",
      "description",
      "examples",
      "readOnly",
      "title",
      "writeOnly",
  });
  return !keyword.starts_with("x-") && std::ranges::find(kOthers, keyword) == kOthers.end();
}

std::vector<std::string_view> known_keywords() {
  std::vector<std::string_view> all(kPlainKeywords.begin(), kPlainKeywords.end());
  all.insert(all.end(), kPlainKeywordsOf2020.begin(), kPlainKeywordsOf2020.end());
  for (const Keyword& keyword : kKeywords)
    all.push_back(keyword.name);
  return all;
}

SchemaPlace schema_place(std::string_view keyword, SchemaDialect dialect) {
  const auto found = std::ranges::lower_bound(kKeywords, keyword, {}, &Keyword::name);
  if (found == kKeywords.end() || found->name != keyword) return SchemaPlace::none;
  const bool is_there = dialect.is_draft_07() ? found->is_in_draft_07 : found->is_in_2020_12;
  return is_there ? found->place : SchemaPlace::none;
}

}  // namespace bartizan
