#include <algorithm>
#include <array>
#include <compare>
#include <string>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/schema_evaluation.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 6> kTypeNames = {"object", "array",   "string",
                                                        "number", "boolean", "null"};

std::string names_of(JsonTypeSet types) {
  std::string names;
  const auto add = [&names](std::string_view name) {
    if (!names.empty()) names += " or ";
    names += name;
  };
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if ((types >> i & 1U) != 0) add(kTypeNames[i]);
  }
  if ((types & kIntegerType) != 0) add("integer");
  return names;
}

std::string counted(std::string_view relation, std::uint64_t count, std::string_view of) {
  return std::string(relation) + " " + std::to_string(count) + " " + std::string(of);
}

/// Whether a number has no fraction, in any spelling.
bool is_integer(std::string_view token) {
  std::string_view digits = token;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return std::ranges::all_of(digits, is_digit) || JsonDecimal(token).is_integer();
}

/// The words that describe a bound.
struct BoundWords {
  std::string_view keyword, words;
};
constexpr std::array<BoundWords, 4> kBoundWords = {{{"minimum", "at least "},
                                                    {"exclusiveMinimum", "more than "},
                                                    {"maximum", "at most "},
                                                    {"exclusiveMaximum", "less than "}}};

bool holds(NumberRules::Relation relation, std::strong_ordering order) {
  switch (relation) {
    case NumberRules::Relation::at_least:
      return order >= 0;
    case NumberRules::Relation::more_than:
      return order > 0;
    case NumberRules::Relation::at_most:
      return order <= 0;
    case NumberRules::Relation::less_than:
      return order < 0;
  }
  return false;
}

/// Bytes of a schema's text that an expectation quotes.
constexpr std::size_t kQuotedBytesMax = 120;

std::string cut(std::string_view text) {
  const std::string_view head = utf8_head(text, kQuotedBytesMax);
  return std::string(head) + (head.size() < text.size() ? "…" : "");
}

std::string alternatives(JsonValue choices) {
  std::string names;
  for (const JsonValue choice : choices) {
    if (!names.empty()) names += ", ";
    names += choice.raw();
    if (names.size() > kQuotedBytesMax) break;
  }
  return "one of " + cut(names);
}

}  // namespace

bool SchemaEvaluation::check_integer(Schema schema, JsonValue value) {
  if ((schema.types & kIntegerType) != 0 && value.is(JsonType::number)) {
    if (!budget_.take(value.raw().size() / kBytesPerStep)) return false;
    if (is_integer(value.raw())) return true;
  }
  if (!schema.is_never) return violates("type", [&] { return names_of(schema.types); });
  return violates("false", [] { return std::string("no value"); });
}

bool SchemaEvaluation::check_integer(Schema schema, Name /*name*/) {
  return violates(schema.is_never ? "false" : "type", [] { return std::string("no name at all"); });
}

bool SchemaEvaluation::check_values(const ValueRules& rules, JsonValue value) {
  if (rules.constant && !is_among(rules.one, value)) {
    return violates("const", [&] { return "the value " + cut(rules.constant.raw()); });
  }
  if (!rules.list || is_among(rules.listed, value)) return true;
  return violates("enum", [&] { return alternatives(rules.list); });
}

bool SchemaEvaluation::check_values(const ValueRules& rules, Name name) {
  if (rules.constant && !is_among(rules.one, name)) {
    return violates("const", [] { return std::string("the one name that is allowed"); });
  }
  if (!rules.list || is_among(rules.listed, name)) return true;
  return violates("enum", [] { return std::string("one of the names that are allowed"); });
}

bool SchemaEvaluation::is_among(const Choices& choices, JsonValue value) {
  if (value.is(JsonType::string)) return is_among(choices, Name{value.text()});
  return std::ranges::any_of(choices.others,
                             [&](JsonValue choice) { return is_equal(value, choice, budget_); });
}

bool SchemaEvaluation::is_among(const Choices& choices, Name name) {
  return budget_.take(1 + name.text.size() / kBytesPerStep) &&
         choices.texts.find(name.text) != NameTable::kNone;
}

bool SchemaEvaluation::check_number(const NumberRules& rules, JsonValue value) {
  if (!budget_.take(value.raw().size() / kBytesPerStep)) return false;
  const std::optional<std::int64_t> integer = rules.is_plain ? value.integer() : std::nullopt;
  if (integer.has_value()) {
    return check_bounds(rules,
                        [&](const NumberRules::Bound& b) { return *integer <=> *b.integer; });
  }
  const JsonDecimal decimal(value.raw());
  const bool is_right =
      check_bounds(rules, [&](const NumberRules::Bound& b) { return compare(decimal, b.decimal); });
  if (!rules.multiple_of || rules.multiple_of->divides(decimal)) return is_right;
  return violates("multipleOf", [&] { return "a multiple of " + std::string(rules.divisor); });
}

template <class Compare>
bool SchemaEvaluation::check_bounds(const NumberRules& rules, const Compare& compare_to) {
  bool is_right = true;
  for (const NumberRules::Bound& bound : rules.bounds) {
    if (holds(bound.relation, compare_to(bound))) continue;
    const BoundWords& told = kBoundWords[static_cast<std::size_t>(bound.relation)];
    is_right =
        violates(told.keyword, [&] { return std::string(told.words) + std::string(bound.token); });
  }
  return is_right;
}

bool SchemaEvaluation::check_text(const StringRules& rules, std::string_view text) {
  // Counting code points reads the text once or twice.
  if (!budget_.take(text.size() / kBytesPerStep)) return false;
  bool is_right = true;
  if (is_shorter(text, rules.length_min)) {
    is_right =
        violates("minLength", [&] { return counted("at least", rules.length_min, "characters"); });
  }
  if (is_longer(text, rules.length_max)) {
    is_right =
        violates("maxLength", [&] { return counted("at most", rules.length_max, "characters"); });
  }
  if (rules.pattern != kNoPattern && (is_right || has_budget()) && !matches(rules.pattern, text)) {
    is_right = violates("pattern", [&] {
      return "text that matches " + cut(program_.patterns[rules.pattern].text);
    });
  }
  const bool is_asserted = options_.formats == ValidationOptions::Formats::assert_them;
  if (!is_asserted || !rules.format.has_value() || (!is_right && !has_budget())) return is_right;
  if (!budget_.take(text.size() / kBytesPerStep)) return false;
  if (has_format(text, *rules.format)) return is_right;
  return violates("format", [&] { return std::string(description(*rules.format)); });
}

bool SchemaEvaluation::matches(PatternNumber number, std::string_view text) {
  const CompiledPattern& pattern = program_.patterns[number];
  return budget_.take(match_steps(pattern, text.size())) && holds_match(pattern, text);
}

bool SchemaEvaluation::check_array(const ArrayRules& rules, JsonValue value, Marks* marks) {
  bool is_right = true;
  std::size_t at = 0;
  for (const JsonValue element : value) {
    const std::size_t position = at++;
    if (!budget_.take()) return false;
    const SchemaNumber number =
        position < rules.prefix.size() ? rules.prefix[position] : rules.items;
    if (number == kNoSchema) continue;
    is_right &= apply_element(number, element, position);
    if (!is_right && !has_budget()) return false;
    mark(marks, position);
  }
  if (at < rules.size_min) {
    is_right =
        violates("minItems", [&] { return counted("at least", rules.size_min, "elements"); });
  }
  if (at > rules.size_max) {
    is_right = violates("maxItems", [&] { return counted("at most", rules.size_max, "elements"); });
  }
  if (rules.contains != kNoSchema && (is_right || has_budget())) {
    is_right &= check_contains(rules, value, marks);
  }
  if (rules.is_unique && (is_right || has_budget()) && !has_unique_elements(value, budget_)) {
    is_right =
        violates("uniqueItems", [&] { return std::string("elements that are all different"); });
  }
  return is_right;
}

bool SchemaEvaluation::check_contains(const ArrayRules& rules, JsonValue value, Marks* marks) {
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (const JsonValue element : value) {
    const std::size_t position = at++;
    if (!fits_silently(rules.contains, element)) continue;
    ++count;
    if (rules.marks_contained) mark(marks, position);
  }
  if (count < rules.contains_min) {
    return violates("contains",
                    [&] { return counted("at least", rules.contains_min, "fitting elements"); });
  }
  if (count > rules.contains_max) {
    return violates("maxContains",
                    [&] { return counted("at most", rules.contains_max, "fitting elements"); });
  }
  return true;
}

bool SchemaEvaluation::check_object(const ObjectRules& rules, JsonValue value, Marks* marks) {
  const bool names_members = rules.has_properties || !rules.patterns.empty();
  if (names_members && told_.members != nullptr) told_.members->close(value);
  const Marks present = new_marks(rules.tracked);
  bool is_right = check_members(rules, value, marks, present);
  if (is_right || has_budget()) is_right &= check_required(rules, present);
  if (rules.has_dependents && (is_right || has_budget())) {
    is_right &= check_dependents(rules, value, marks, present);
  }
  drop(present);
  return is_right;
}

bool SchemaEvaluation::check_members(const ObjectRules& rules, JsonValue value, Marks* marks,
                                     const Marks& present) {
  bool is_right = true;
  std::size_t at = 0;
  for (const JsonValue member : value) {
    const std::size_t position = at++;
    const std::string_view name = member.key();
    if (!budget_.take(1 + name.size() / kBytesPerStep)) return false;
    const std::uint32_t entry = rules.table.find(name);
    if (entry < rules.tracked) mark(&present, entry);
    const Evaluated evaluated = check_member(rules, member, entry);
    is_right &= evaluated.fits;
    if (!is_right && !has_budget()) return false;
    if (evaluated.is_known) mark(marks, position);
  }
  if (at < rules.size_min) {
    is_right =
        violates("minProperties", [&] { return counted("at least", rules.size_min, "members"); });
  }
  if (at > rules.size_max) {
    is_right =
        violates("maxProperties", [&] { return counted("at most", rules.size_max, "members"); });
  }
  return is_right;
}

SchemaEvaluation::Evaluated SchemaEvaluation::check_member(const ObjectRules& rules,
                                                           JsonValue member, std::uint32_t entry) {
  const SchemaNumber own =
      entry == PropertyTable::kNone ? kNoSchema : rules.table.entries()[entry].schema;
  const bool is_ordinary = rules.is_plain && own != kNoSchema && told_.members == nullptr;
  if (is_ordinary) return {.fits = apply_member(own, member), .is_known = true};
  return check_unusual_member(rules, member, own);
}

SchemaEvaluation::Evaluated SchemaEvaluation::check_unusual_member(const ObjectRules& rules,
                                                                   JsonValue member,
                                                                   SchemaNumber own) {
  Evaluated done;
  if (own != kNoSchema) {
    tell_named(member, NamedMembers::By::properties);
    done = {.fits = apply_member(own, member), .is_known = true};
  }
  for (const ObjectRules::Pattern& pattern : rules.patterns) {
    if (!done.fits && !has_budget()) return done;
    if (matches(pattern.pattern, member.key())) {
      tell_named(member, NamedMembers::By::any_keyword);
      done = {.fits = apply_member(pattern.schema, member) && done.fits, .is_known = true};
    } else if (budget_.is_spent()) {
      return {.fits = false};
    }
  }
  if (!done.is_known && rules.additional != kNoSchema) {
    tell_restricted(member, rules.additional);
    done = {.fits = apply_member(rules.additional, member), .is_known = true};
  }
  if (rules.names != kNoSchema && (done.fits || has_budget())) {
    done.fits = check_name(rules.names, member) && done.fits;
  }
  return done;
}

bool SchemaEvaluation::require(const ObjectRules& rules, std::uint32_t entry,
                               std::string_view keyword, const Marks& present) {
  return is_marked(present, entry) ||
         violates(keyword, [&] { return "the member \"" + cut(rules.table.name(entry)) + "\""; });
}

bool SchemaEvaluation::check_required(const ObjectRules& rules, const Marks& present) {
  bool is_right = true;
  for (std::uint32_t entry = 0; entry < rules.required; ++entry) {
    is_right &= require(rules, entry, "required", present);
    if (!is_right && !has_budget()) return false;
  }
  return is_right;
}

bool SchemaEvaluation::check_dependents(const ObjectRules& rules, JsonValue value, Marks* marks,
                                        const Marks& present) {
  bool is_right = true;
  for (std::uint32_t i = 0; i < rules.tracked; ++i) {
    if (!is_marked(present, i)) continue;
    const PropertyTable::Entry& entry = rules.table.entries()[i];
    if (!budget_.take(entry.needs.size())) return false;
    for (const std::uint32_t needed : entry.needs)
      is_right &= require(rules, needed, "dependentRequired", present);
    if (entry.dependent == kNoSchema || (!is_right && !has_budget())) continue;
    is_right &= apply(entry.dependent, value, marks);
  }
  return is_right;
}

}  // namespace bartizan
