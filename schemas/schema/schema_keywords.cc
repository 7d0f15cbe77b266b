#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "schemas/json/json_number.h"
#include "schemas/json/json_pointer.h"
#include "schemas/schema/schema_compilation.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

struct NamedType {
  std::string_view name;
  JsonTypeSet types;
};

constexpr auto kTypes = std::to_array<NamedType>({
    {"array", type_bit(JsonType::array)},
    {"boolean", type_bit(JsonType::boolean)},
    {"integer", kIntegerType},
    {"null", type_bit(JsonType::null)},
    {"number", type_bit(JsonType::number)},
    {"object", type_bit(JsonType::object)},
    {"string", type_bit(JsonType::string)},
});

/// The keywords that bound a number, and their relations.
struct NamedBound {
  std::string_view name;
  NumberRules::Relation relation;
  /// The draft-04 keyword that excludes the bound itself, and the relation then.
  std::string_view excluded_by = {};
  NumberRules::Relation excluding = relation;
};
constexpr std::array<NamedBound, 4> kBounds = {{
    {"minimum", NumberRules::Relation::at_least, "exclusiveMinimum",
     NumberRules::Relation::more_than},
    {"exclusiveMinimum", NumberRules::Relation::more_than},
    {"maximum", NumberRules::Relation::at_most, "exclusiveMaximum",
     NumberRules::Relation::less_than},
    {"exclusiveMaximum", NumberRules::Relation::less_than},
}};

constexpr std::string_view kTuple = "an array is read as \"prefixItems\", as until 2019-09";
constexpr std::string_view kExclusive =
    "true is read as \"the bound itself is not allowed\", as in draft-04";
constexpr std::string_view kDependencies =
    "read as \"dependentSchemas\" and \"dependentRequired\", as until draft-07";

}  // namespace

SchemaResult<std::optional<std::uint64_t>> SchemaCompilation::read_count(
    std::string_view name) const {
  const JsonValue value = validation(name);
  if (!value) return std::nullopt;
  if (!value.is(JsonType::number)) return invalid(value, "not a number");
  const JsonDecimal decimal(value.raw());
  if (decimal.is_negative() || !decimal.is_integer()) {
    return invalid(value, "not an integer of at least 0");
  }
  // A number that no int64 holds exceeds every size.
  return static_cast<std::uint64_t>(value.integer().value_or(std::int64_t{1} << 62));
}

/// The number of a compiled pattern. Nothing if the pattern is ignored.
SchemaResult<std::optional<PatternNumber>> SchemaCompilation::take_pattern(
    JsonValue at, std::string_view pattern) {
  SchemaResult<CompiledPattern> compiled = compile_pattern(pattern, options_.pattern_bytes_max);
  if (!compiled.has_value()) return leave_out(at, std::move(compiled).error());
  program_->pattern_memory += compiled->memory;
  if (program_->pattern_memory > options_.patterns_bytes_max) {
    return flawed(SchemaFlaw::too_large, pointer_to(index_.root().value, at),
                  "its patterns are too large together");
  }
  program_->patterns.push_back(std::move(*compiled));
  return static_cast<PatternNumber>(program_->patterns.size() - 1);
}

SchemaResult<std::optional<PatternNumber>> SchemaCompilation::leave_out(JsonValue at,
                                                                        SchemaError error) {
  error.pointer = pointer_to(index_.root().value, at);
  const bool may_leave_out = error.flaw == SchemaFlaw::untranslatable_pattern &&
                             options_.untranslatable == SchemaOptions::Untranslatable::leave_out;
  if (!may_leave_out) return std::unexpected(std::move(error));
  if (program_->ignored_patterns.size() >= limits::schema_ignored_patterns_max) {
    return flawed(SchemaFlaw::too_large, "", "too many patterns that cannot be translated");
  }
  program_->ignored_patterns.push_back(cut_pointer(std::move(error.pointer)));
  return std::nullopt;
}

SchemaResult<void> SchemaCompilation::add_type(JsonValue name) {
  const auto found = std::ranges::find(kTypes, name.text(), &NamedType::name);
  if (!name.is(JsonType::string) || found == kTypes.end()) {
    return invalid(name, "none of array, boolean, integer, null, number, object, string");
  }
  compiled_.types |= found->types;
  return {};
}

SchemaResult<void> SchemaCompilation::take_types() {
  if (const JsonValue type = validation("type")) {
    compiled_.types = 0;
    if (!type.is(JsonType::array)) {
      if (const Done done = add_type(type); !done) return done;
    }
    for (const JsonValue name : type) {
      if (const Done done = add_type(name); !done) return done;
    }
  }
  return take_values();
}

SchemaResult<void> SchemaCompilation::take_values() {
  const JsonValue constant = dialect_.is_draft_04() ? JsonValue() : validation("const");
  const JsonValue choices = validation("enum");
  if (!constant && !choices) return {};
  if (choices && !choices.is(JsonType::array)) return invalid(choices, "not an array");
  ValueRules& rules = made(compiled_.values);
  rules.constant = constant;
  rules.list = choices;
  if (constant) rules.one.add(constant);
  for (const JsonValue choice : choices)
    rules.listed.add(choice);
  return {};
}

SchemaResult<void> SchemaCompilation::take_number() {
  NumberRules rules;
  for (const NamedBound& named : kBounds) {
    const JsonValue bound = validation(named.name);
    const bool is_flag = bound.is(JsonType::boolean) && named.excluded_by.empty();
    if (!bound || (is_flag && (dialect_.is_draft_04() || is_lenient()))) continue;
    if (!bound.is(JsonType::number)) return invalid(bound, "not a number");
    const JsonValue flag = named.excluded_by.empty() ? JsonValue() : validation(named.excluded_by);
    const bool is_excluded = flag.boolean().value_or(false);
    if (is_excluded && !dialect_.is_draft_04()) note(flag, kExclusive);
    rules.bounds.push_back({.relation = is_excluded ? named.excluding : named.relation,
                            .token = bound.raw(),
                            .decimal = JsonDecimal(bound.raw()),
                            .integer = bound.integer()});
    if (!bound.integer().has_value()) rules.is_plain = false;
  }
  if (const JsonValue divisor = validation("multipleOf")) {
    rules.multiple_of =
        divisor.is(JsonType::number) ? DecimalDivisor::read(divisor.raw()) : std::nullopt;
    if (!rules.multiple_of) return invalid(divisor, "not a positive number of up to 19 digits");
    rules.divisor = divisor.raw();
    rules.is_plain = false;
  }
  const bool is_empty = rules.bounds.empty() && !rules.multiple_of.has_value();
  if (!is_empty) compiled_.number = std::make_unique<NumberRules>(std::move(rules));
  return {};
}

SchemaResult<void> SchemaCompilation::take_string() {
  const auto rules = [this]() -> StringRules& { return made(compiled_.string); };
  Done done = take_count("minLength", [&](std::uint64_t n) { rules().length_min = n; });
  if (done) done = take_count("maxLength", [&](std::uint64_t n) { rules().length_max = n; });
  const auto format = find_string_format(keyword("format").text());
  if (format.has_value()) rules().format = format;
  const JsonValue pattern = validation("pattern");
  if (!done || !pattern) return done;
  if (!pattern.is(JsonType::string)) return invalid(pattern, "not a string");
  const auto number = take_pattern(pattern, pattern.text());
  if (!number.has_value()) return std::unexpected(number.error());
  if (number->has_value()) rules().pattern = **number;
  return {};
}

SchemaResult<void> SchemaCompilation::take_array() {
  const auto rules = [this]() -> ArrayRules& { return made(compiled_.array); };
  Done done = take_count("minItems", [&](std::uint64_t n) { rules().size_min = n; });
  if (done) done = take_count("maxItems", [&](std::uint64_t n) { rules().size_max = n; });
  if (done) done = take_items();
  if (done && !dialect_.is_draft_04()) {
    done = take_schema("contains", [&](SchemaNumber schema) {
      rules().contains = schema;
      rules().marks_contained = dialect_.is_2020_12();
    });
  }
  if (done && compiled_.array != nullptr && !dialect_.is_until_draft_07()) {
    done = take_count("minContains", [&](std::uint64_t n) { rules().contains_min = n; });
    if (done) done = take_count("maxContains", [&](std::uint64_t n) { rules().contains_max = n; });
  }
  const JsonValue unique = validation("uniqueItems");
  if (!done || !unique) return done;
  if (!unique.is(JsonType::boolean)) return invalid(unique, "neither true nor false");
  if (*unique.boolean()) rules().is_unique = true;
  return {};
}

SchemaResult<void> SchemaCompilation::take_items() {
  const JsonValue items = keyword("items");
  std::string_view prefix = "prefixItems";
  std::string_view rest = "items";
  const bool may_be_tuple = !dialect_.is_2020_12() || (is_lenient() && !keyword("prefixItems"));
  const bool is_tuple = items.is(JsonType::array) && may_be_tuple;
  if (!dialect_.is_2020_12()) prefix = "";
  if (is_tuple) {
    if (dialect_.is_2020_12()) note(items, kTuple);
    prefix = "items";
    rest = "additionalItems";
  }
  if (!prefix.empty() && keyword(prefix)) {
    auto& kept = made(compiled_.array).prefix;
    // An empty list is allowed in draft-07, and has no effect.
    if (keyword(prefix).begin() != keyword(prefix).end() || !is_tuple) {
      if (const Done done = take_schemas(prefix, kept); !done) return done;
    }
  }
  return take_schema(rest, [&](SchemaNumber schema) { made(compiled_.array).items = schema; });
}

SchemaResult<void> SchemaCompilation::take_object() {
  const auto rules = [this]() -> ObjectRules& { return made(compiled_.object); };
  Done done = take_count("minProperties", [&](std::uint64_t n) { rules().size_min = n; });
  if (done) done = take_count("maxProperties", [&](std::uint64_t n) { rules().size_max = n; });
  if (done) done = take_properties();
  if (done) done = take_pattern_properties();
  if (done) {
    done = take_schema("additionalProperties",
                       [&](SchemaNumber schema) { rules().additional = schema; });
  }
  if (!done) return done;
  if (dialect_.is_draft_04()) return {};
  return take_schema("propertyNames", [&](SchemaNumber schema) { rules().names = schema; });
}

/// INVARIANT: must run before other entries are added to the table, because required ones come
///            first.
SchemaResult<void> SchemaCompilation::take_required() {
  const JsonValue required = validation("required");
  if (!required) return {};
  std::vector<std::uint32_t> entries;
  if (const Done done = take_names(required, entries); !done) return done;
  if (compiled_.object == nullptr) return {};
  ObjectRules& rules = *compiled_.object;
  rules.required = rules.tracked = rules.table.size();
  return {};
}

SchemaResult<void> SchemaCompilation::take_names(JsonValue list, std::vector<std::uint32_t>& kept) {
  if (!list.is(JsonType::array)) return invalid(list, "not an array of names");
  for (const JsonValue name : list) {
    if (!name.is(JsonType::string)) return invalid(name, "not a name");
    kept.push_back(made(compiled_.object).table.insert(name.text()));
  }
  return {};
}

SchemaResult<void> SchemaCompilation::take_properties() {
  const JsonValue properties = keyword("properties");
  if (!properties) return {};
  if (!properties.is(JsonType::object)) return invalid(properties, "not an object");
  PropertyTable& table = made(compiled_.object).table;
  compiled_.object->has_properties = properties.begin() != properties.end();
  for (const JsonValue schema : properties) {
    const SchemaNumber number = schema_at(schema);
    table.entries()[table.insert(schema.key())].schema = number;
  }
  return {};
}

SchemaResult<void> SchemaCompilation::take_pattern_properties() {
  const JsonValue patterns = keyword("patternProperties");
  if (!patterns) return {};
  if (!patterns.is(JsonType::object)) return invalid(patterns, "not an object");
  for (const JsonValue schema : patterns) {
    const auto pattern = take_pattern(schema, schema.key());
    if (!pattern.has_value()) return std::unexpected(pattern.error());
    if (!pattern->has_value()) continue;
    made(compiled_.object).patterns.push_back({**pattern, schema_at(schema)});
  }
  return {};
}

SchemaResult<void> SchemaCompilation::take_dependents() {
  const JsonValue dependencies = keyword("dependencies");
  if (dialect_.is_until_draft_07()) return take_dependents_of(dependencies);
  // Beside its successors it would be redundant, or ambiguous.
  const bool is_alone = !keyword("dependentSchemas") && !keyword("dependentRequired");
  if (dependencies && is_alone && is_lenient() && dialect_.has_validation) {
    note(dependencies, kDependencies);
    return take_dependents_of(dependencies);
  }
  if (const Done done = take_dependents_of(keyword("dependentSchemas")); !done) return done;
  return take_dependents_of(validation("dependentRequired"));
}

SchemaResult<void> SchemaCompilation::take_dependents_of(JsonValue dependents) {
  if (!dependents) return {};
  if (!dependents.is(JsonType::object)) return invalid(dependents, "not an object");
  PropertyTable& table = made(compiled_.object).table;
  ObjectRules& rules = *compiled_.object;
  rules.has_dependents = true;
  for (const JsonValue dependent : dependents) {
    const std::uint32_t entry = table.insert(dependent.key());
    if (!dependent.is(JsonType::array)) {
      table.entries()[entry].dependent = schema_at(dependent);
      continue;
    }
    std::vector<std::uint32_t> needs;
    if (const Done done = take_names(dependent, needs); !done) return done;
    table.entries()[entry].needs = std::move(needs);
  }
  rules.tracked = table.size();
  return {};
}

}  // namespace bartizan
