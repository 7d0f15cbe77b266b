#pragma once

#include "fuzz/choices.h"
#include "fuzz/json_tree.h"

namespace bartizan {

/// Draft-07 schemas with every keyword of validation but `$ref`, `pattern` and
/// `patternProperties`, which valijson is not asked about, and values that fit them or nearly do.
///
/// What is left out beside these is what valijson judges wrongly; each has a row in
/// tests/schemas/schema/json_schema_rows_test.cc:
/// - a number without fraction is spelled without one: valijson does not take `1.0` for an integer;
/// - an integer that `multipleOf` holds against a number with a fraction: valijson cuts it off, so
///   one pair has either whole numbers or fractions of eighths as divisors;
/// - integers beyond 2^53: valijson compares them as doubles;
/// - decimals that doubles hold inexactly, as divisors;
/// - strings that `strtod` reads as numbers, which valijson holds against `multipleOf`;
/// - U+0000, at which valijson ends a string or a name.
class SchemaGenerator {
 public:
  explicit SchemaGenerator(FuzzChoices& choices);

  JsonTree schema();
  /// One that fits as far as the generator knows, and then changes of it.
  JsonTree value_near(const JsonTree& schema);

 private:
  enum class Numbers { whole, eighths };

  JsonTree any_schema(std::size_t depth);
  JsonTree schema_with_keywords(std::size_t depth);
  void add_keyword(JsonTree& schema, std::size_t depth);
  void add_choice_keyword(JsonTree& schema);
  void add_number_keyword(JsonTree& schema);
  void add_size_keyword(JsonTree& schema);
  void add_array_keyword(JsonTree& schema, std::size_t depth);
  void add_object_keyword(JsonTree& schema, std::size_t depth);
  void add_combination(JsonTree& schema, std::size_t depth);
  JsonTree types();
  JsonTree several_schemas(std::size_t depth);
  JsonTree several_names();

  std::string number();
  std::string divisor();
  std::string text();
  std::string name();
  JsonTree any_value(std::size_t depth);

  JsonTree fitting(const JsonTree& schema, std::size_t depth);
  JsonTree fitting_type(const JsonTree& schema, std::size_t depth);
  JsonTree fitting_number(const JsonTree& schema);
  JsonTree fitting_string(const JsonTree& schema);
  JsonTree fitting_array(const JsonTree& schema, std::size_t depth);
  JsonTree fitting_object(const JsonTree& schema, std::size_t depth);
  void fit_branch(const JsonTree& schema, JsonTree& value, std::size_t depth);
  void change(JsonTree& value, std::size_t depth);

  FuzzChoices& choices_;
  Numbers numbers_;
};

}  // namespace bartizan
