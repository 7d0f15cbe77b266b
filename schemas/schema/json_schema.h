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

/// How a schema is compiled, and what it may at most be; beyond any of it the schema is refused.
struct SchemaOptions {
  std::size_t bytes_max = limits::schema_bytes_max;
  std::size_t schemas_max = limits::schema_schemas_max;
  std::size_t chain_max = limits::schema_chain_max;
  std::size_t program_bytes_max = limits::schema_program_bytes_max;
  std::size_t pattern_bytes_max = limits::schema_pattern_bytes_max;
  std::size_t patterns_bytes_max = limits::schema_patterns_bytes_max;
  /// A `pattern` that ECMA-262 allows and RE2 cannot express makes the schema fail, or is left out
  /// as if it were not there.
  enum class Untranslatable : std::uint8_t {
    refuse,
    leave_out
  } untranslatable = Untranslatable::refuse;
  /// Keywords and formats that mean nothing here are annotations, as JSON Schema has it, or
  /// refused: in a schema that somebody writes for us they are slips.
  enum class Unknown : std::uint8_t { ignore, refuse } unknown = Unknown::ignore;
};

/// How one value is held against a schema, and what that may at most cost.
struct ValidationOptions {
  std::uint64_t steps_max = limits::schema_steps_max;
  std::size_t violations_max = limits::schema_violations_max;
  enum class Formats : std::uint8_t { annotate, assert_them } formats = Formats::annotate;
  /// Members that no `properties`, `patternProperties` or restricting `additionalProperties` knows:
  /// the schema decides, or they are refused in the root and wherever a schema names members.
  enum class Unnamed : std::uint8_t { by_schema, refuse } unnamed = Unnamed::by_schema;
};

/// Whether a value fits a schema, as far as it was judged.
enum class SchemaFit : std::uint8_t {
  fits,
  misfits,
  too_costly,  ///< Judging it would take more steps than it may.
};

/// Whether a value fits a schema, and why not.
struct SchemaVerdict {
  bool is_valid = false;
  bool is_exhausted = false;  ///< Refused because judging it would cost too much.
  std::vector<SchemaViolation> violations = {};
  std::uint64_t steps = 0;  ///< What judging it cost.
};

/// A JSON Schema, compiled once and used for many values.
///
/// Dialects 2020-12, which is meant where none is named, 2019-09, draft-07, 06 and 04. A schema is
/// held against the metaschema of its dialect, so that no keyword has a value that means nothing.
/// Where `Unknown` is ignored, what an earlier draft gave a meaning keeps it: an array as `items`
/// with `additionalItems`, `dependencies`, `exclusiveMinimum: true` beside `minimum`. `notes` has
/// them.
///
/// Lifetime: that of the documents it was compiled with at most.
/// Threads: any number at once.
/// Cost:    about 25 ns for each property of a value; nothing is allocated where it fits, unless
///          it is large and the schema has `unevaluatedProperties`, `unevaluatedItems` or
///          `uniqueItems`, or unnamed members are refused.
/// Source:  JSON Schema 2020-12 Core and Validation; 2019-09, draft-07, 06 and 04 of both.
class JsonSchema {
 public:
  /// `documents` are what it may refer to beside itself; nothing is ever fetched.
  static SchemaResult<JsonSchema> compile(std::string_view bytes, const SchemaDocuments& documents,
                                          const SchemaOptions& options = {});
  /// One of the published metaschemas, which says itself what is valid.
  static SchemaResult<JsonSchema> compile_published(std::string_view bytes);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) noexcept;
  ~JsonSchema();

  SchemaFit fit(JsonValue value, const ValidationOptions& options = {}) const;
  bool accepts(JsonValue value, const ValidationOptions& options = {}) const {
    return fit(value, options) == SchemaFit::fits;
  }
  /// Whether a value fits, with the reasons where it does not: for what was refused.
  SchemaVerdict judge(JsonValue value, const ValidationOptions& options = {}) const;

  /// Of these members anywhere below `value`, the first that no `properties` of the schema names,
  /// or nothing. For names that are harmless only where somebody expects them.
  /// Input: members of objects below `value`, in any number; judging them costs `steps_max`.
  JsonValue find_unnamed(JsonValue value, const std::vector<JsonValue>& members,
                         const ValidationOptions& options = {}) const;

  /// Whether some value of the schema can have anything at that pointer by a keyword that names it:
  /// `*` stands for the elements of an array.
  bool declares(std::string_view pointer) const;

  /// Whether it declares any member of an object at all.
  bool declares_any() const;

  /// Whether some value of the schema can have a value of that type at the pointer, as far as the
  /// keyword `type` of the schemas that lead there says; true where none leads there.
  bool may_be(std::string_view pointer, JsonType type) const;

  /// The pointers that the schema names, sorted, `*` for the elements of an array; at most a
  /// thousand, since a schema that refers to itself names more than there are.
  std::vector<std::string> named_pointers() const;

  /// A pointer with `*` for every name in it that the schema does not have: whoever made up such a
  /// name may have put a value into it, so that no record is to have it.
  std::string without_unnamed(std::string_view pointer) const;

  /// Pointers to the patterns that were left out.
  const std::vector<std::string>& ignored_patterns() const;
  /// Of all members below `value`, the first whose name folds as one that the schema has there and
  /// that it is not itself: a reader that ignores letter case takes it for that one. Nothing where
  /// there is none. What the schema names itself, in whatever case, is never it.
  ///
  /// Cost: a look-up for each member; more only where one folds to a name that is elsewhere in the
  ///       schema. Beyond 20,000 members and schemas it answers the member that it came to.
  JsonValue find_folded(JsonValue value) const;

  /// Whether it has two names, in whatever places, that fold alike.
  bool has_alike_names() const;

  /// Keywords that were judged as an earlier draft had them, at most `schema_notes_max`.
  const std::vector<SchemaNote>& notes() const;
  /// What it holds, in bytes, about.
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
