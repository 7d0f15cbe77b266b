#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "schemas/schema/schema_documents.h"
#include "schemas/schema/schema_error.h"
#include "schemas/schema/schema_violation.h"

namespace bartizan {

struct SchemaProgram;

/// Options and bounds of compiling a schema. A schema that exceeds a bound is refused.
struct SchemaOptions {
  std::size_t bytes_max = limits::schema_bytes_max;
  std::size_t schemas_max = limits::schema_schemas_max;
  std::size_t chain_max = limits::schema_chain_max;
  std::size_t program_bytes_max = limits::schema_program_bytes_max;
  std::size_t pattern_bytes_max = limits::schema_pattern_bytes_max;
  std::size_t patterns_bytes_max = limits::schema_patterns_bytes_max;
  /// Whether a `pattern` that ECMA-262 allows and RE2 cannot express is an error, or is ignored.
  enum class Untranslatable : std::uint8_t {
    refuse,
    leave_out
  } untranslatable = Untranslatable::refuse;
  /// Whether unknown keywords and formats are annotations, as in JSON Schema, or are refused. In a
  /// schema that is written for the gateway they are mistakes.
  enum class Unknown : std::uint8_t { ignore, refuse } unknown = Unknown::ignore;
};

/// Options and bounds of validating one value.
struct ValidationOptions {
  std::uint64_t steps_max = limits::schema_steps_max;
  std::size_t violations_max = limits::schema_violations_max;
  enum class Formats : std::uint8_t { annotate, assert_them } formats = Formats::annotate;
  /// How to treat members that no `properties`, `patternProperties` or restricting
  /// `additionalProperties` covers. Either the schema decides, or they are refused in the root and
  /// in every object whose members a schema names.
  enum class Unnamed : std::uint8_t { by_schema, refuse } unnamed = Unnamed::by_schema;
};

/// Whether a value matches a schema.
enum class SchemaFit : std::uint8_t {
  fits,
  misfits,
  too_costly,  ///< Validation would exceed the permitted steps.
};

/// Whether a value matches a schema, and the reasons if it does not.
struct SchemaVerdict {
  bool is_valid = false;
  bool is_exhausted = false;  ///< Refused because validation would cost too much.
  std::vector<SchemaViolation> violations = {};
  std::uint64_t steps = 0;  ///< Steps that validation took.
};

/// A JSON Schema, compiled once and used for many values.
///
/// Supports the dialects 2020-12, which is the default, 2019-09, draft-07, 06 and 04. A schema is
/// checked against the metaschema of its dialect, so that no keyword has a meaningless value. With
/// `Unknown::ignore`, keywords of earlier drafts keep their meaning: an array as `items` with
/// `additionalItems`, `dependencies`, `exclusiveMinimum: true` beside `minimum`. `notes` lists
/// them.
///
/// Lifetime: at most that of the documents with which it was compiled.
/// Threads:  any number at once.
/// Cost:     about 25 ns for each property of a value. A matching value needs no allocation, unless
///           it is large and the schema has `unevaluatedProperties`, `unevaluatedItems` or
///           `uniqueItems`, or unnamed members are refused.
/// Source:   JSON Schema 2020-12 Core and Validation; 2019-09, draft-07, 06 and 04 of both.
class JsonSchema {
 public:
  /// Compiles a schema. It may refer to itself and to `documents`. Nothing is ever fetched.
  static SchemaResult<JsonSchema> compile(std::string_view bytes, const SchemaDocuments& documents,
                                          const SchemaOptions& options = {});
  /// Compiles one of the published metaschemas, which define validity themselves.
  static SchemaResult<JsonSchema> compile_published(std::string_view bytes);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) noexcept;
  ~JsonSchema();

  SchemaFit fit(JsonValue value, const ValidationOptions& options = {}) const;
  bool accepts(JsonValue value, const ValidationOptions& options = {}) const {
    return fit(value, options) == SchemaFit::fits;
  }
  /// Validates a value, with the reasons if it does not match. Meant for refused values.
  SchemaVerdict judge(JsonValue value, const ValidationOptions& options = {}) const;

  /// The first of these members below `value` that no `properties` of the schema names, or nothing.
  /// For names that are only harmless if they are expected.
  /// Input: members of objects below `value`, in any number. The search may take `steps_max` steps.
  JsonValue find_unnamed(JsonValue value, const std::vector<JsonValue>& members,
                         const ValidationOptions& options = {}) const;

  /// Whether a value of the schema can have anything at that pointer through a keyword that names
  /// it. `*` stands for the elements of an array.
  bool declares(std::string_view pointer) const;

  /// Whether it declares any member of an object at all.
  bool declares_any() const;

  /// Whether a value of the schema can have a value of that type at the pointer. Decided by the
  /// keyword `type` of the schemas at the pointer; true if there are none.
  bool may_be(std::string_view pointer, JsonType type) const;

  /// The pointers that the schema names, sorted, with `*` for the elements of an array. At most a
  /// thousand, because a recursive schema names an infinite number.
  std::vector<std::string> named_pointers() const;

  /// The pointer, with `*` for every name that the schema does not have. Such a name is chosen by
  /// the caller and may contain a value, so it must not be recorded.
  std::string without_unnamed(std::string_view pointer) const;

  /// Pointers to the patterns that were ignored.
  const std::vector<std::string>& ignored_patterns() const;
  /// The first member below `value` whose name folds like a different name that the schema has at
  /// that place. A reader that ignores letter case would confuse the two. Nothing if there is no
  /// such member. A name of the schema itself, in any case, never counts.
  ///
  /// Cost: a look-up for each member. More only if a member folds to a name that is elsewhere in
  ///       the schema. After 20,000 members and schemas it returns the member that it reached.
  JsonValue find_folded(JsonValue value) const;

  /// Whether two names of the schema, in any places, fold alike.
  bool has_alike_names() const;

  /// The keywords that are read as in an earlier draft, at most `schema_notes_max`.
  const std::vector<SchemaNote>& notes() const;
  /// Its approximate memory in bytes.
  std::size_t memory() const;

 private:
  struct State;
  enum class Validity : std::uint8_t { check, is_known };
  static SchemaResult<JsonSchema> compile(std::string_view bytes, const SchemaDocuments& documents,
                                          const SchemaOptions& options, Validity validity);
  explicit JsonSchema(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bartizan
