#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "schemas/json/json_equal.h"
#include "schemas/schema/schema_dialect.h"
#include "schemas/schema/schema_documents.h"
#include "schemas/schema/schema_error.h"

namespace bartizan {

/// One schema of a document, and the resource that is the scope of its references.
struct SchemaPoint {
  JsonValue value;
  std::uint32_t resource = 0;
};

/// The name of a resource with `$recursiveAnchor: true` among its dynamic anchors. No
/// `$dynamicAnchor` can have this name.
inline constexpr std::string_view kRecursiveAnchor = "$recursiveAnchor";

/// The resource that an `$id`, or a document, begins: a base URI, a dialect, and names for schemas
/// in it.
struct SchemaResource {
  std::string uri;
  JsonValue root;
  SchemaDialect dialect;
  std::map<std::string, JsonValue, std::less<>> anchors;
  std::map<std::string, JsonValue, std::less<>> dynamic_anchors;
};

/// The places of the schemas of a document, and the targets of references between them.
///
/// Lifetime: points into the document that was read, and into those that it may refer to.
/// Cost:     one visit to every schema.
/// Source:   JSON Schema 2020-12 Core §8.2, §9.2; 2019-09 Core §8.2; draft-07 Core §8; draft-04 §7.
class SchemaIndex {
 public:
  /// Indexes the document at `root`.
  /// Errors: unknown_dialect, invalid_keyword (an `$id` that is not a URI reference; an `$id` or an
  ///         anchor of several schemas), too_large.
  static SchemaResult<SchemaIndex> read(JsonValue root, const SchemaDocuments& documents,
                                        std::size_t schemas_max);

  SchemaPoint root() const { return root_; }
  const SchemaResource& resource(std::uint32_t number) const { return resources_[number]; }
  std::uint32_t resources() const { return static_cast<std::uint32_t>(resources_.size()); }
  /// The resource of a schema below a schema of the resource `above`.
  std::uint32_t resource_of(JsonValue schema, std::uint32_t above) const;

  /// The target of a reference. Reads documents at the first reference to them.
  /// Errors: external_reference, unresolved_reference, too_large, those of `read`.
  /// Cost:   one visit to the members on the way. All references together may make
  ///         `limits::schema_reference_steps_max`.
  SchemaResult<SchemaPoint> resolve(SchemaPoint from, std::string_view reference);

 private:
  SchemaIndex(const SchemaDocuments& documents, std::size_t schemas_max)
      : documents_(&documents), schemas_max_(schemas_max) {}

  SchemaResult<std::uint32_t> add_document(std::string uri, JsonValue root, SchemaDialect dialect);
  SchemaResult<void> visit_all(SchemaPoint first);
  SchemaResult<std::uint32_t> enter(SchemaPoint point);
  SchemaDialect dialect_of(SchemaPoint document) const;
  void take_recursive_anchor(SchemaPoint point);
  SchemaResult<std::uint32_t> begin_resource(SchemaPoint point, std::string_view id);
  void push_schemas(SchemaPoint point, std::vector<SchemaPoint>& waiting) const;
  SchemaResult<std::uint32_t> find_resource(const std::string& uri);
  SchemaResult<SchemaPoint> find_in(SchemaPoint root, const std::string& fragment);
  SchemaResult<SchemaPoint> follow(SchemaPoint from, std::string_view pointer);
  SchemaResult<void> take_name(std::uint32_t resource, std::string_view name, JsonValue schema);

  /// The document that is compiled.
  JsonValue whole() const { return resources_.front().root; }

  const SchemaDocuments* documents_;
  std::size_t schemas_max_;
  std::vector<SchemaResource> resources_;
  std::map<std::string, std::uint32_t, std::less<>> by_uri_;
  /// Identified by the schema's first byte, which is unique.
  std::unordered_map<const char*, std::uint32_t> resource_of_;
  SchemaPoint root_;
  StepBudget budget_{limits::schema_reference_steps_max};
};

}  // namespace bartizan
