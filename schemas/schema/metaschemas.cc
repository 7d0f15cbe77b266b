#include "schemas/schema/metaschemas.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

// The published files, unchanged.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
constexpr char kDraft04[] = {
#embed "../metaschemas/draft-04.json"
};
constexpr char kDraft06[] = {
#embed "../metaschemas/draft-06.json"
};
constexpr char kDraft07[] = {
#embed "../metaschemas/draft-07.json"
};
constexpr char k2019[] = {
#embed "../metaschemas/2019-09.json"
};
constexpr char k2019Core[] = {
#embed "../metaschemas/2019-09-core.json"
};
constexpr char k2019Applicator[] = {
#embed "../metaschemas/2019-09-applicator.json"
};
constexpr char k2019Validation[] = {
#embed "../metaschemas/2019-09-validation.json"
};
constexpr char k2019MetaData[] = {
#embed "../metaschemas/2019-09-meta-data.json"
};
constexpr char k2019Format[] = {
#embed "../metaschemas/2019-09-format.json"
};
constexpr char k2019Content[] = {
#embed "../metaschemas/2019-09-content.json"
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
// The gateway's own.
constexpr char kLenient[] = {
#embed "../metaschemas/lenient.json"
};
#pragma clang diagnostic pop

template <std::size_t N>
constexpr std::string_view view(const char (&text)[N]) {
  return {text, N};
}

constexpr auto kPublished = std::to_array<Metaschema>({
    {"http://json-schema.org/draft-04/schema", view(kDraft04)},
    {"http://json-schema.org/draft-06/schema", view(kDraft06)},
    {"http://json-schema.org/draft-07/schema", view(kDraft07)},
    {"https://json-schema.org/draft/2019-09/schema", view(k2019)},
    {"https://json-schema.org/draft/2019-09/meta/core", view(k2019Core)},
    {"https://json-schema.org/draft/2019-09/meta/applicator", view(k2019Applicator)},
    {"https://json-schema.org/draft/2019-09/meta/validation", view(k2019Validation)},
    {"https://json-schema.org/draft/2019-09/meta/meta-data", view(k2019MetaData)},
    {"https://json-schema.org/draft/2019-09/meta/format", view(k2019Format)},
    {"https://json-schema.org/draft/2019-09/meta/content", view(k2019Content)},
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
  // A test reads all of them, so there are no errors to report.
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
  switch (draft) {
    case SchemaDialect::Draft::draft_04: {
      static const JsonSchema compiled =
          compile_published("http://json-schema.org/draft-04/schema");
      return compiled;
    }
    case SchemaDialect::Draft::draft_06: {
      static const JsonSchema compiled =
          compile_published("http://json-schema.org/draft-06/schema");
      return compiled;
    }
    case SchemaDialect::Draft::draft_07: {
      static const JsonSchema compiled =
          compile_published("http://json-schema.org/draft-07/schema");
      return compiled;
    }
    case SchemaDialect::Draft::draft_2019_09: {
      static const JsonSchema compiled =
          compile_published("https://json-schema.org/draft/2019-09/schema");
      return compiled;
    }
    case SchemaDialect::Draft::draft_2020_12:
      break;
  }
  static const JsonSchema compiled =
      compile_published("https://json-schema.org/draft/2020-12/schema");
  return compiled;
}

const JsonSchema& compiled_lenient_metaschema() {
  static const JsonSchema compiled = std::move(*JsonSchema::compile_published(view(kLenient)));
  return compiled;
}

}  // namespace bartizan
