#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/name_table.h"
#include "schemas/json/json.h"
#include "schemas/json/json_decimal.h"
#include "schemas/schema/schema_error.h"
#include "schemas/schema/string_format.h"

namespace re2 {
class RE2;
}

namespace bartizan {

/// Number of a compiled schema in its program.
using SchemaNumber = std::uint32_t;
inline constexpr SchemaNumber kNoSchema = std::numeric_limits<SchemaNumber>::max();
/// Number of a compiled pattern in its program.
using PatternNumber = std::uint32_t;
inline constexpr PatternNumber kNoPattern = std::numeric_limits<PatternNumber>::max();
/// The value of an absent upper bound.
inline constexpr std::uint64_t kNoMaximum = std::numeric_limits<std::uint64_t>::max();

/// Types as a set of bits, by `JsonType`. Integers have their own bit.
using JsonTypeSet = std::uint8_t;
inline constexpr JsonTypeSet kAllTypes = 0x3f;
inline constexpr JsonTypeSet kIntegerType = 0x40;
constexpr JsonTypeSet type_bit(JsonType type) {
  return static_cast<JsonTypeSet>(1U << static_cast<unsigned>(type));
}

/// The names that an object's schema knows, with one look-up for each member.
///
/// Lifetime: points into the document that the schema was read from.
class PropertyTable {
 public:
  struct Entry {
    SchemaNumber schema = kNoSchema;     ///< Of `properties`.
    SchemaNumber dependent = kNoSchema;  ///< Applied to the whole object if the member is present.
    std::vector<std::uint32_t> needs = {};  ///< Entries that must be present with it.
  };
  static constexpr std::uint32_t kNone = NameTable::kNone;

  /// The entry of that name, which is added if it is new.
  std::uint32_t insert(std::string_view name);
  std::uint32_t find(std::string_view name) const { return names_.find(name); }
  std::string_view name(std::uint32_t entry) const { return names_.name(entry); }
  std::uint32_t size() const { return names_.size(); }

  /// Approximate, in bytes.
  std::size_t memory() const;

  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  NameTable names_;
  std::vector<Entry> entries_;
};

/// Allowed values, with strings separate from others.
struct Choices {
  NameTable texts;
  std::vector<JsonValue> others;

  void add(JsonValue value);
  /// Approximate, in bytes.
  std::size_t memory() const;
};

/// The allowed values of a schema.
struct ValueRules {
  JsonValue constant, list;  ///< Of `const` and `enum`, as the schema has them.
  Choices one, listed;
};

struct NumberRules {
  enum class Relation : std::uint8_t { at_least, more_than, at_most, less_than };
  struct Bound {
    Relation relation;
    std::string_view token;  ///< As the schema spells it.
    JsonDecimal decimal;
    std::optional<std::int64_t> integer;
  };
  std::vector<Bound> bounds;
  std::optional<DecimalDivisor> multiple_of;
  std::string_view divisor;  ///< As the schema spells it.
  /// All bounds are integers that fit an int64, and there is no divisor.
  bool is_plain = true;
};

struct StringRules {
  std::uint64_t length_min = 0, length_max = kNoMaximum;  ///< In code points.
  PatternNumber pattern = kNoPattern;
  std::optional<StringFormat> format;
};

struct ArrayRules {
  std::vector<SchemaNumber> prefix;
  SchemaNumber items = kNoSchema;
  SchemaNumber contains = kNoSchema;
  std::uint64_t contains_min = 1, contains_max = kNoMaximum;
  std::uint64_t size_min = 0, size_max = kNoMaximum;
  bool is_unique = false;
  bool marks_contained = true;  ///< False before 2020-12.
};

struct ObjectRules {
  struct Pattern {
    PatternNumber pattern;
    SchemaNumber schema;
  };
  PropertyTable table;
  /// `required` is the number of entries, the first ones of the table, that must be present.
  /// `tracked` is the number of those whose presence matters.
  std::uint32_t required = 0, tracked = 0;
  std::vector<Pattern> patterns;
  SchemaNumber additional = kNoSchema;
  SchemaNumber names = kNoSchema;
  std::uint64_t size_min = 0, size_max = kNoMaximum;
  /// Only `properties` and `additionalProperties` apply to a member.
  bool is_plain = false;
  bool has_dependents = false;
  bool has_properties = false;
};

/// Keywords that apply further schemas to the same value.
struct InPlaceRules {
  std::vector<SchemaNumber> all, any, one;
  SchemaNumber negated = kNoSchema;
  SchemaNumber condition = kNoSchema, consequence = kNoSchema, alternative = kNoSchema;
  SchemaNumber unevaluated_items = kNoSchema, unevaluated_properties = kNoSchema;
  /// `$dynamicRef`: the name that is looked up, and the target if no resource in scope has it.
  std::string dynamic_name;
  SchemaNumber dynamic_default = kNoSchema;
};

/// One compiled schema. Absent rules are null.
struct CompiledSchema {
  bool is_always = false, is_never = false;
  /// Only the type is checked.
  bool is_type_only = false;
  JsonTypeSet types = kAllTypes;
  std::uint32_t resource = 0;
  std::unique_ptr<ValueRules> values;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<InPlaceRules> in_place;

  /// Approximate, in bytes; patterns are counted separately.
  std::size_t memory() const;

  bool has_unevaluated() const {
    return in_place != nullptr && (in_place->unevaluated_items != kNoSchema ||
                                   in_place->unevaluated_properties != kNoSchema);
  }
};

/// A pattern, translated and compiled.
struct CompiledPattern {
  std::string text;  ///< As the schema spells it.
  std::shared_ptr<const re2::RE2> compiled;
  /// Of a pattern with look-around: further patterns that a text must match, and patterns that it
  /// must not match.
  std::vector<std::shared_ptr<const re2::RE2>> also, never;
  std::size_t instructions = 1;  ///< As RE2 counts them.
  std::size_t memory = 0;        ///< Bound for it and its matching, in bytes.
};

/// The compiled form of one schema with all that it refers to.
struct SchemaProgram {
  SchemaProgram();
  SchemaProgram(const SchemaProgram&) = delete;
  SchemaProgram& operator=(const SchemaProgram&) = delete;
  ~SchemaProgram();

  std::vector<CompiledSchema> schemas;
  SchemaNumber root = 0;
  std::vector<CompiledPattern> patterns;
  std::size_t pattern_memory = 0;             ///< In bytes.
  std::size_t memory = 0;                     ///< Approximate, in bytes.
  std::vector<std::string> ignored_patterns;  ///< Pointers to ignored patterns.
  std::vector<SchemaNote> notes;              ///< The first of them.
  /// For each resource, its dynamic anchors.
  std::vector<std::map<std::string, SchemaNumber, std::less<>>> dynamic_anchors;
};

}  // namespace bartizan
