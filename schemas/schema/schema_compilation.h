#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schemas/schema/schema_compiler.h"

namespace bartizan {

/// One run of the compiler. Schemas are queued and compiled one at a time. References are queued
/// too, so that the stack does not grow with them.
///
/// schema_compiler.cc has the queue and the keywords that apply several schemas to one value.
/// schema_keywords.cc has the keywords for values of each type.
class SchemaCompilation {
 public:
  SchemaCompilation(SchemaIndex& index, const SchemaOptions& options)
      : index_(index), options_(options), program_(std::make_unique<SchemaProgram>()) {}

  SchemaResult<std::unique_ptr<SchemaProgram>> run();

 private:
  using Done = SchemaResult<void>;
  struct Waiting {
    SchemaPoint point;
    SchemaNumber number;
  };

  SchemaNumber number_of(SchemaPoint point);
  Done compile_waiting();
  Done compile_dynamic_anchors();
  Done compile_one(const Waiting& next);
  Done compile_value();
  std::string_view why_meaningless(JsonValue member) const;
  void note(JsonValue at, std::string_view meaning);
  /// Whether keywords keep the meaning of an earlier draft.
  bool is_lenient() const { return options_.unknown == SchemaOptions::Unknown::ignore; }
  Done check_known() const;
  Done check_chains() const;
  bool has_rules() const;

  // The values of keywords of the schema that is being compiled.
  std::unexpected<SchemaError> invalid(JsonValue at, std::string_view why) const;
  JsonValue keyword(std::string_view name) const { return point_.value.find(name); }
  JsonValue validation(std::string_view name) const {
    return dialect_.has_validation ? keyword(name) : JsonValue();
  }
  SchemaNumber schema_at(JsonValue value) {
    return number_of({value, index_.resource_of(value, point_.resource)});
  }

  template <class T>
  static T& made(std::unique_ptr<T>& rules) {
    if (rules == nullptr) rules = std::make_unique<T>();
    return *rules;
  }

  Done take_schema(std::string_view name, auto&& keep) {
    const JsonValue value = keyword(name);
    if (!value) return {};
    keep(schema_at(value));
    return {};
  }
  /// Nothing if the keyword is absent.
  SchemaResult<std::optional<std::uint64_t>> read_count(std::string_view name) const;
  Done take_count(std::string_view name, auto&& keep) {
    const SchemaResult<std::optional<std::uint64_t>> count = read_count(name);
    if (!count.has_value()) return std::unexpected(count.error());
    if (count->has_value()) keep(**count);
    return {};
  }
  Done take_schemas(std::string_view name, std::vector<SchemaNumber>& kept);
  /// The number of a compiled pattern. Nothing if the pattern is ignored.
  SchemaResult<std::optional<PatternNumber>> take_pattern(JsonValue at, std::string_view pattern);
  SchemaResult<std::optional<PatternNumber>> leave_out(JsonValue at, SchemaError error);

  Done take_types();
  Done add_type(JsonValue name);
  Done take_values();
  Done take_number();
  Done take_string();
  Done take_array();
  Done take_items();
  Done take_object();
  Done take_required();
  Done take_names(JsonValue list, std::vector<std::uint32_t>& kept);
  Done take_properties();
  Done take_pattern_properties();
  Done take_dependents();
  Done take_dependents_of(JsonValue dependents);
  Done take_in_place();
  Done take_reference(std::string_view name);
  Done take_dynamic_reference();
  Done take_recursive_reference();
  /// Adds a reference to that schema. If the schema has the dynamic anchor, the reference leads to
  /// the outermost resource in scope that also has it. Otherwise it is an ordinary reference.
  void refer(SchemaPoint target, std::string_view anchor);
  SchemaResult<SchemaPoint> resolve(JsonValue reference);

  SchemaIndex& index_;
  const SchemaOptions& options_;
  std::unique_ptr<SchemaProgram> program_;
  std::unordered_map<const char*, SchemaNumber> numbers_;
  std::vector<JsonValue> values_;  ///< By number.
  std::vector<Waiting> waiting_;
  bool has_dynamic_ = false;
  // Of the schema that is being compiled.
  SchemaPoint point_;
  SchemaDialect dialect_;
  CompiledSchema compiled_;
};

}  // namespace bartizan
