#include "schemas/schema/schema_evaluation.h"

#include <algorithm>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kBitsPerStep = 16;

std::size_t words_for(std::size_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

bool is_container(JsonType type) {
  return type == JsonType::object || type == JsonType::array;
}

}  // namespace

SchemaEvaluation::SchemaEvaluation(const SchemaProgram& program, const ValidationOptions& options,
                                   Told told)
    : program_(program), options_(options), budget_{options.steps_max}, told_(told) {}

bool SchemaEvaluation::run(JsonValue value) {
  if (told_.members != nullptr && value.is(JsonType::object)) told_.members->close(value);
  return apply_child(program_.root, value) && !is_exhausted();
}

template <class Subject>
bool SchemaEvaluation::apply(SchemaNumber number, Subject subject, Marks* marks) {
  const CompiledSchema& schema = program_.schemas[number];
  if (!budget_.take()) return false;
  const bool is_of_type = (schema.types & type_bit(type_of(subject))) != 0;
  return is_of_type ? apply_typed(schema, subject, marks) : apply_untyped(schema, subject, marks);
}

template <class Subject>
bool SchemaEvaluation::apply_typed(Schema schema, Subject subject, Marks* marks) {
  if (schema.is_type_only) return true;
  // Only rules that apply further schemas can nest deeper.
  const bool is_last = schema.in_place == nullptr && !is_container(type_of(subject));
  return is_last ? check_own(schema, subject, marks) : apply_rules(schema, subject, marks);
}

/// A value of none of the schema's types may still be an integer. Otherwise no further reason is
/// needed.
template <class Subject>
bool SchemaEvaluation::apply_untyped(Schema schema, Subject subject, Marks* marks) {
  return check_integer(schema, subject) && apply_typed(schema, subject, marks);
}

template <class Subject>
bool SchemaEvaluation::apply_rules(Schema schema, Subject subject, Marks* marks) {
  if (++depth_ > limits::schema_judged_depth_max) is_too_deep_ = true;
  const bool enters =
      !program_.dynamic_anchors.empty() && (scope_.empty() || scope_.back() != schema.resource);
  if (enters) scope_.push_back(schema.resource);
  const bool fits = !is_too_deep_ && apply_all(schema, subject, marks);
  if (enters) scope_.pop_back();
  --depth_;
  return fits;
}

bool SchemaEvaluation::apply_all(Schema schema, JsonValue value, Marks* marks) {
  if (schema.in_place == nullptr) return check_own(schema, value, marks);
  Marks own;
  const bool marks_itself = schema.has_unevaluated() && is_container(value.type());
  if (marks_itself) own = new_marks(value.size());
  Marks* const used = marks_itself ? &own : marks;
  bool fits = check_own(schema, value, used);
  if (fits || has_budget()) fits &= check_in_place(*schema.in_place, value, used);
  if (!marks_itself) return fits;
  if (fits || has_budget()) fits &= check_unevaluated(*schema.in_place, value, own);
  if (marks != nullptr && fits) merge(*marks, own);
  drop(own);
  return fits;
}

bool SchemaEvaluation::apply_all(Schema schema, Name name, Marks* marks) {
  const bool fits = check_own(schema, name, marks);
  if (schema.in_place == nullptr || (!fits && !has_budget())) return fits;
  return check_in_place(*schema.in_place, name, marks) && fits;
}

bool SchemaEvaluation::check_own(Schema schema, JsonValue value, Marks* marks) {
  if (schema.values == nullptr) return check_by_type(schema, value, marks);
  const bool fits = check_values(*schema.values, value);
  return (fits || has_budget()) && check_by_type(schema, value, marks) && fits;
}

bool SchemaEvaluation::check_by_type(Schema schema, JsonValue value, Marks* marks) {
  switch (value.type()) {
    case JsonType::number:
      return schema.number == nullptr || check_number(*schema.number, value);
    case JsonType::string:
      return schema.string == nullptr || check_text(*schema.string, value.text());
    case JsonType::array:
      return schema.array == nullptr || check_array(*schema.array, value, marks);
    case JsonType::object:
      return schema.object == nullptr || check_object(*schema.object, value, marks);
    case JsonType::boolean:
    case JsonType::null:
      return true;
  }
  return true;
}

bool SchemaEvaluation::check_own(Schema schema, Name name, Marks* /*marks*/) {
  const bool fits = schema.values == nullptr || check_values(*schema.values, name);
  if (schema.string == nullptr || (!fits && !has_budget())) return fits;
  return check_text(*schema.string, name.text) && fits;
}

// --- Into the value -----------------------------------------------------------------------------

bool SchemaEvaluation::apply_child(SchemaNumber number, JsonValue value) {
  return apply(number, value, nullptr);
}

bool SchemaEvaluation::apply_member(SchemaNumber number, JsonValue member) {
  if (is_silent()) return apply_child(number, member);
  return apply_at({.above = place_, .member = member.key(), .element = 0, .is_member = true},
                  number, member);
}

bool SchemaEvaluation::apply_element(SchemaNumber number, JsonValue element, std::size_t at) {
  if (is_silent()) return apply_child(number, element);
  return apply_at({.above = place_, .member = {}, .element = at, .is_member = false}, number,
                  element);
}

bool SchemaEvaluation::apply_at(Place place, SchemaNumber number, JsonValue value) {
  const Place* const above = std::exchange(place_, &place);
  const bool fits = apply_child(number, value);
  place_ = above;
  return fits;
}

bool SchemaEvaluation::fits_silently(SchemaNumber number, JsonValue element) {
  auto* const noted = std::exchange(told_.violations, nullptr);
  const NamedMembers::Extent extent = told_extent();
  const bool fits = apply_child(number, element);
  if (!fits) untell(extent);
  told_.violations = noted;
  return fits;
}

bool SchemaEvaluation::check_name(SchemaNumber number, JsonValue member) {
  const Place place{.above = place_, .member = member.key(), .element = 0, .is_member = true};
  const Place* const above = std::exchange(place_, &place);
  const bool fits = apply(number, Name{member.key()}, nullptr);
  place_ = above;
  return fits;
}

/// Does not note reasons, because another schema that matches may be enough.
template <class Subject>
bool SchemaEvaluation::apply_silently(SchemaNumber number, Subject subject, Marks* marks) {
  auto* const noted = std::exchange(told_.violations, nullptr);
  const NamedMembers::Extent extent = told_extent();
  const bool fits = apply_branch(number, subject, marks);
  if (!fits) untell(extent);
  told_.violations = noted;
  return fits;
}

/// Its evaluated members count only if the value matches.
template <class Subject>
bool SchemaEvaluation::apply_branch(SchemaNumber number, Subject subject, Marks* marks) {
  if (marks == nullptr) return apply(number, subject, nullptr);
  Marks own = new_marks(marks->words * kWordBits);
  const bool fits = apply(number, subject, &own);
  if (fits) merge(*marks, own);
  drop(own);
  return fits;
}

// --- Other schemas for the same value -----------------------------------------------------------

template <class Subject>
bool SchemaEvaluation::check_in_place(const InPlaceRules& rules, Subject subject, Marks* marks) {
  bool fits = true;
  for (const SchemaNumber number : rules.all) {
    fits &= apply(number, subject, marks);
    if (!fits && !has_budget()) return false;
  }
  if (rules.dynamic_default != kNoSchema) fits &= apply(find_dynamic(rules), subject, marks);
  if (!fits && !has_budget()) return false;
  if (!rules.any.empty()) fits &= check_any(rules, subject, marks);
  if (!rules.one.empty() && (fits || has_budget())) fits &= check_one(rules, subject, marks);
  if (rules.negated != kNoSchema && (fits || has_budget())) {
    if (apply_silently(rules.negated, subject, nullptr)) {
      fits =
          violates("not", [] { return std::string("what does not fit the schema under \"not\""); });
    }
  }
  if (rules.condition != kNoSchema && (fits || has_budget())) {
    fits &= check_condition(rules, subject, marks);
  }
  return fits;
}

template <class Subject>
bool SchemaEvaluation::check_any(const InPlaceRules& rules, Subject subject, Marks* marks) {
  bool fits = false;
  for (const SchemaNumber number : rules.any) {
    fits |= apply_silently(number, subject, marks);
    // If evaluated or named members matter, every schema that matches counts.
    const bool is_enough = fits && marks == nullptr && told_.members == nullptr;
    if (is_enough || budget_.is_spent()) break;
  }
  if (fits) return true;
  return violates("anyOf",
                  [&] { return "one of " + std::to_string(rules.any.size()) + " alternatives"; });
}

template <class Subject>
bool SchemaEvaluation::check_one(const InPlaceRules& rules, Subject subject, Marks* marks) {
  std::size_t fitting = 0;
  for (const SchemaNumber number : rules.one) {
    fitting += apply_silently(number, subject, marks) ? 1 : 0;
    if (fitting > 1 || budget_.is_spent()) break;
  }
  if (fitting == 1) return true;
  return violates("oneOf", [&] {
    return "exactly one of " + std::to_string(rules.one.size()) + " alternatives, not " +
           (fitting == 0 ? "none" : "several");
  });
}

template <class Subject>
bool SchemaEvaluation::check_condition(const InPlaceRules& rules, Subject subject, Marks* marks) {
  const bool holds = apply_silently(rules.condition, subject, marks);
  const SchemaNumber then = holds ? rules.consequence : rules.alternative;
  return then == kNoSchema || apply(then, subject, marks);
}

/// The outermost resource in scope with the name decides.
SchemaNumber SchemaEvaluation::find_dynamic(const InPlaceRules& rules) {
  for (const std::uint32_t resource : scope_) {
    budget_.take();
    const auto& anchors = program_.dynamic_anchors[resource];
    const auto found = anchors.find(rules.dynamic_name);
    if (found != anchors.end()) return found->second;
  }
  return rules.dynamic_default;
}

bool SchemaEvaluation::check_unevaluated(const InPlaceRules& rules, JsonValue value, Marks& marks) {
  const bool is_object = value.is(JsonType::object);
  const SchemaNumber number = is_object ? rules.unevaluated_properties : rules.unevaluated_items;
  if (number == kNoSchema) return true;
  bool fits = true;
  std::size_t at = 0;
  for (const JsonValue child : value) {
    const std::size_t bit = at++;
    if (is_marked(marks, bit)) continue;
    if (is_object) tell_restricted(child, number);
    fits &= is_object ? apply_member(number, child) : apply_element(number, child, bit);
    if (!fits && !has_budget()) return false;
    mark(&marks, bit);
  }
  return fits;
}

// --- Which members have names -------------------------------------------------------------------

void SchemaEvaluation::tell_named(JsonValue member, NamedMembers::By by) {
  if (told_.members == nullptr) return;
  const bool is_asked = by == NamedMembers::By::properties || told_.members->by() == by;
  if (is_asked) told_.members->name(member);
}

/// A schema that applies to any member, and accepts everything, names none.
void SchemaEvaluation::tell_restricted(JsonValue member, SchemaNumber number) {
  if (!program_.schemas[number].is_always) tell_named(member, NamedMembers::By::any_keyword);
}

NamedMembers::Extent SchemaEvaluation::told_extent() const {
  return told_.members == nullptr ? NamedMembers::Extent{} : told_.members->extent();
}

void SchemaEvaluation::untell(NamedMembers::Extent extent) {
  if (told_.members != nullptr) told_.members->roll_back(extent);
}

// --- What was evaluated -------------------------------------------------------------------------

SchemaEvaluation::Marks SchemaEvaluation::new_marks(std::size_t bits) {
  const Marks marks{.begin = words_.size(), .words = words_for(bits)};
  if (marks.words == 1) {
    words_.push_back(0);
    return marks;
  }
  // The caller has counted as many members or elements before.
  budget_.take(bits / kBitsPerStep);
  words_.resize(words_.size() + marks.words);
  return marks;
}

void SchemaEvaluation::mark(const Marks* marks, std::size_t bit) {
  if (marks == nullptr) return;
  words_[marks->begin + bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
}

bool SchemaEvaluation::is_marked(const Marks& marks, std::size_t bit) const {
  return (words_[marks.begin + bit / kWordBits] >> (bit % kWordBits) & 1U) != 0;
}

void SchemaEvaluation::merge(const Marks& into, const Marks& from) {
  for (std::size_t i = 0; i < from.words; ++i)
    words_[into.begin + i] |= words_[from.begin + i];
}

// --- Violations ---------------------------------------------------------------------------------

/// A pointer that would be too long is cut before that: its head is the part that a reader knows
/// from the schema.
void SchemaEvaluation::note(std::string_view keyword, std::string expected) {
  std::vector<const Place*> way;
  for (const Place* place = place_; place != nullptr; place = place->above)
    way.push_back(place);
  std::string pointer;
  for (auto place = way.rbegin(); place != way.rend(); ++place) {
    const std::string token =
        (*place)->is_member ? std::string((*place)->member) : std::to_string((*place)->element);
    std::string longer = pointer_below(pointer, token);
    if (longer.size() > limits::schema_pointer_bytes_max) break;
    pointer = std::move(longer);
  }
  told_.violations->push_back({std::move(pointer), std::string(keyword), std::move(expected)});
}

}  // namespace bartizan
