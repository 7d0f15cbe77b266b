#include "schemas/schema/metaschemas.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

// The published files, as they are.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
constexpr char kDraft07[] = {
#embed "../metaschemas/draft-07.json"
};
constexpr char k2020[] = {
#embed "../metaschemas/2020-12.json"
};
constexpr char kCore[] = {
#embed "../metaschemas/2020-12-core.json"
};
constexpr char kApplicator[] = {
#embed "../metaschemas/2020-12-applicator.json"
};
constexpr char kUnevaluated[] = {
#embed "../metaschemas/2020-12-unevaluated.json"
};
constexpr char kValidation[] = {
#embed "../metaschemas/2020-12-validation.json"
};
constexpr char kMetaData[] = {
#embed "../metaschemas/2020-12-meta-data.json"
};
constexpr char kFormat[] = {
#embed "../metaschemas/2020-12-format-annotation.json"
};
constexpr char kContent[] = {
#embed "../metaschemas/2020-12-content.json"
};
#pragma clang diagnostic pop

template <std::size_t N>
constexpr std::string_view view(const char (&text)[N]) {
  return {text, N};
}

constexpr auto kPublished = std::to_array<Metaschema>({
    {"http://json-schema.org/draft-07/schema", view(kDraft07)},
    {"https://json-schema.org/draft/2020-12/schema", view(k2020)},
    {"https://json-schema.org/draft/2020-12/meta/core", view(kCore)},
    {"https://json-schema.org/draft/2020-12/meta/applicator", view(kApplicator)},
    {"https://json-schema.org/draft/2020-12/meta/unevaluated", view(kUnevaluated)},
    {"https://json-schema.org/draft/2020-12/meta/validation", view(kValidation)},
    {"https://json-schema.org/draft/2020-12/meta/meta-data", view(kMetaData)},
    {"https://json-schema.org/draft/2020-12/meta/format-annotation", view(kFormat)},
    {"https://json-schema.org/draft/2020-12/meta/content", view(kContent)},
});

SchemaDocuments read_published() {
  SchemaDocuments documents;
  // A test reads them all; there is nothing to be told.
  for (const Metaschema& published : kPublished)
    static_cast<void>(documents.add(std::string(published.uri), published.text));
  return documents;
}

JsonSchema compile_published(std::string_view uri) {
  const auto published = std::ranges::find(kPublished, uri, &Metaschema::uri);
  return std::move(*JsonSchema::compile_published(published->text));
}

}  // namespace

std::span<const Metaschema> published_metaschemas() {
  return kPublished;
}

const SchemaDocuments& metaschemas() {
  static const SchemaDocuments documents = read_published();
  return documents;
}

const JsonSchema& compiled_metaschema(SchemaDialect::Draft draft) {
  static const JsonSchema draft_07 = compile_published("http://json-schema.org/draft-07/schema");
  static const JsonSchema draft_2020_12 =
      compile_published("https://json-schema.org/draft/2020-12/schema");
  return draft == SchemaDialect::Draft::draft_07 ? draft_07 : draft_2020_12;
}

}  // namespace bartizan
