#include "schemas/schema/schema_dialect.h"

#include <algorithm>
#include <array>

namespace bartizan {
namespace {

using Draft = SchemaDialect::Draft;

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kDraft2019 = "https://json-schema.org/draft/2019-09/schema";
constexpr std::string_view kDraft2020 = "https://json-schema.org/draft/2020-12/schema";

/// A published dialect, without the scheme of its URI.
struct PublishedDialect {
  std::string_view uri;
  Draft draft;
};
constexpr auto kPublished = std::to_array<PublishedDialect>({
    {"json-schema.org/draft-04/schema", Draft::draft_04},
    {"json-schema.org/draft-06/schema", Draft::draft_06},
    {"json-schema.org/draft-07/schema", Draft::draft_07},
    {"json-schema.org/draft/2019-09/schema", Draft::draft_2019_09},
    {"json-schema.org/draft/2020-12/schema", Draft::draft_2020_12},
    {"json-schema.org/schema", Draft::draft_2020_12},
});

/// Dialects whose metaschemas list their vocabularies.
struct Vocabularies {
  std::string_view schema, published, prefix;
  Draft draft;
};
constexpr auto kVocabularies = std::to_array<Vocabularies>({
    {kDraft2019, "https://json-schema.org/draft/2019-09/",
     "https://json-schema.org/draft/2019-09/vocab/", Draft::draft_2019_09},
    {kDraft2020, "https://json-schema.org/draft/2020-12/",
     "https://json-schema.org/draft/2020-12/vocab/", Draft::draft_2020_12},
});
constexpr std::array<std::string_view, 8> kKnownVocabularies = {
    "core",      "applicator", "unevaluated",       "validation",
    "meta-data", "content",    "format-annotation", "format",
};

struct Keyword {
  std::string_view name;
  SchemaPlace place;
  Draft first;
  Draft last = Draft::draft_2020_12;
  /// Later dialects do not have it, but evaluate it as the last that had it.
  bool is_judged_later = false;
};

constexpr auto kKeywords = std::to_array<Keyword>({
    {"$defs", SchemaPlace::map, Draft::draft_2019_09},
    {"additionalItems", SchemaPlace::one, Draft::draft_04, Draft::draft_2019_09, true},
    {"additionalProperties", SchemaPlace::one, Draft::draft_04},
    {"allOf", SchemaPlace::list, Draft::draft_04},
    {"anyOf", SchemaPlace::list, Draft::draft_04},
    {"contains", SchemaPlace::one, Draft::draft_06},
    {"contentSchema", SchemaPlace::one, Draft::draft_2019_09},
    {"definitions", SchemaPlace::map, Draft::draft_04},
    {"dependencies", SchemaPlace::map_of_schemas_or_lists, Draft::draft_04, Draft::draft_07, true},
    {"dependentSchemas", SchemaPlace::map, Draft::draft_2019_09},
    {"else", SchemaPlace::one, Draft::draft_07},
    {"if", SchemaPlace::one, Draft::draft_07},
    {"items", SchemaPlace::one_or_list, Draft::draft_04},
    {"not", SchemaPlace::one, Draft::draft_04},
    {"oneOf", SchemaPlace::list, Draft::draft_04},
    {"patternProperties", SchemaPlace::map, Draft::draft_04},
    {"prefixItems", SchemaPlace::list, Draft::draft_2020_12},
    {"properties", SchemaPlace::map, Draft::draft_04},
    {"propertyNames", SchemaPlace::one, Draft::draft_06},
    {"then", SchemaPlace::one, Draft::draft_07},
    {"unevaluatedItems", SchemaPlace::one, Draft::draft_2019_09},
    {"unevaluatedProperties", SchemaPlace::one, Draft::draft_2019_09},
});

/// Keywords that contain no schemas.
struct PlainKeyword {
  std::string_view name;
  Draft first = Draft::draft_04;
  Draft last = Draft::draft_2020_12;
};
constexpr auto kPlainKeywords = std::to_array<PlainKeyword>({
    {"$anchor", Draft::draft_2019_09},
    {"$comment", Draft::draft_07},
    {"$dynamicAnchor", Draft::draft_2020_12},
    {"$dynamicRef", Draft::draft_2020_12},
    {"$id", Draft::draft_06},
    {"$recursiveAnchor", Draft::draft_2019_09, Draft::draft_2019_09},
    {"$recursiveRef", Draft::draft_2019_09, Draft::draft_2019_09},
    {"$ref"},
    {"$schema"},
    {"$vocabulary", Draft::draft_2019_09},
    {"const", Draft::draft_06},
    {"contentEncoding", Draft::draft_07},
    {"contentMediaType", Draft::draft_07},
    {"default"},
    {"dependentRequired", Draft::draft_2019_09},
    {"deprecated", Draft::draft_2019_09},
    {"description"},
    {"enum"},
    {"examples", Draft::draft_06},
    {"exclusiveMaximum"},
    {"exclusiveMinimum"},
    {"format"},
    {"id", Draft::draft_04, Draft::draft_04},
    {"maxContains", Draft::draft_2019_09},
    {"maxItems"},
    {"maxLength"},
    {"maxProperties"},
    {"maximum"},
    {"minContains", Draft::draft_2019_09},
    {"minItems"},
    {"minLength"},
    {"minProperties"},
    {"minimum"},
    {"multipleOf"},
    {"pattern"},
    {"readOnly", Draft::draft_07},
    {"required"},
    {"title"},
    {"type"},
    {"uniqueItems"},
    {"writeOnly", Draft::draft_07},
});

const Keyword* find_keyword(std::string_view name) {
  const auto found = std::ranges::lower_bound(kKeywords, name, {}, &Keyword::name);
  return found == kKeywords.end() || found->name != name ? nullptr : &*found;
}

bool is_known_vocabulary(std::string_view uri, std::string_view prefix) {
  if (!uri.starts_with(prefix)) return false;
  uri.remove_prefix(prefix.size());
  return std::ranges::find(kKnownVocabularies, uri) != kKnownVocabularies.end();
}

/// The dialect that a custom metaschema defines.
std::optional<SchemaDialect> read_metaschema(JsonValue metaschema) {
  const JsonValue vocabularies = metaschema.find("$vocabulary");
  const auto of =
      std::ranges::find(kVocabularies, metaschema.find("$schema").text(), &Vocabularies::schema);
  if (of == kVocabularies.end() || !vocabularies) return std::nullopt;
  SchemaDialect dialect{.draft = of->draft, .has_validation = false, .has_own_metaschema = true};
  for (const JsonValue required : vocabularies) {
    if (is_known_vocabulary(required.key(), of->prefix)) {
      dialect.has_validation |= required.key().ends_with("/validation");
    } else if (required.boolean().value_or(true)) {
      return std::nullopt;
    }
  }
  return dialect;
}

std::string_view without_scheme(std::string_view uri) {
  for (const std::string_view scheme : {kHttps, kHttp}) {
    if (uri.starts_with(scheme)) return uri.substr(scheme.size());
  }
  return {};
}

}  // namespace

std::optional<SchemaDialect> find_dialect(std::string_view uri, const SchemaDocuments& documents) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  const auto published = std::ranges::find(kPublished, without_scheme(uri), &PublishedDialect::uri);
  if (published != kPublished.end()) return SchemaDialect{.draft = published->draft};
  // The published vocabularies have metaschemas too. With only one of them nothing would be
  // asserted.
  const auto is_part = [uri](const Vocabularies& of) { return uri.starts_with(of.published); };
  if (std::ranges::any_of(kVocabularies, is_part)) return std::nullopt;
  const JsonValue metaschema = documents.find(uri);
  return metaschema ? read_metaschema(metaschema) : std::nullopt;
}

bool is_known_keyword(std::string_view keyword, SchemaDialect dialect) {
  if (keyword.starts_with("x-")) return true;
  const auto is_there = [dialect](const auto& known) {
    return known.first <= dialect.draft && dialect.draft <= known.last;
  };
  if (const Keyword* found = find_keyword(keyword)) return is_there(*found);
  const auto plain = std::ranges::find(kPlainKeywords, keyword, &PlainKeyword::name);
  return plain != kPlainKeywords.end() && is_there(*plain);
}

bool is_rule(std::string_view keyword) {
  constexpr auto kOthers = std::to_array<std::string_view>({
      "$anchor",
      "$comment",
      "$defs",
      "$id",
      "$recursiveAnchor",
      "$schema",
      "$vocabulary",
      "contentEncoding",
      "contentMediaType",
      "default",
      "definitions",
      "deprecated",
      "description",
      "examples",
      "id",
      "readOnly",
      "title",
      "writeOnly",
  });
  return !keyword.starts_with("x-") && std::ranges::find(kOthers, keyword) == kOthers.end();
}

std::vector<std::string_view> known_keywords() {
  std::vector<std::string_view> all;
  for (const PlainKeyword& keyword : kPlainKeywords)
    all.push_back(keyword.name);
  for (const Keyword& keyword : kKeywords)
    all.push_back(keyword.name);
  return all;
}

SchemaPlace schema_place(std::string_view keyword, SchemaDialect dialect) {
  const Keyword* const found = find_keyword(keyword);
  if (found == nullptr || dialect.draft < found->first) return SchemaPlace::none;
  return dialect.draft <= found->last || found->is_judged_later ? found->place : SchemaPlace::none;
}

}  // namespace bartizan
