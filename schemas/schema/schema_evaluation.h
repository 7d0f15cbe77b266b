#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "schemas/json/json.h"
#include "schemas/json/json_equal.h"
#include "schemas/json/named_members.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// The validation of one value against one program.
///
/// Threads: one.
/// Cost:    a step for each schema that is applied to a value, and for each member.
class SchemaEvaluation {
 public:
  /// The outputs of an evaluation beside its verdict. Null outputs are not written.
  struct Told {
    /// Why the value does not match, at most `violations_max`. Without it, the evaluation ends at
    /// the first reason that decides the verdict.
    std::vector<SchemaViolation>* violations = nullptr;
    /// The members that the matching schemas name.
    NamedMembers* members = nullptr;
  };

  SchemaEvaluation(const SchemaProgram& program, const ValidationOptions& options, Told told);

  bool run(JsonValue value);
  bool is_exhausted() const { return budget_.is_spent() || is_too_deep_; }
  /// The remaining budget. Work on the outputs is also taken from it.
  StepBudget& budget() { return budget_; }

 private:
  /// The members or elements of one value that were evaluated: bits, from `begin` words on.
  struct Marks {
    std::size_t begin = 0, words = 0;
  };
  /// The evaluation of one member.
  struct Evaluated {
    bool fits = true;
    bool is_known = false;  ///< A keyword restricts its value.
  };
  /// The current place in the value, for violations.
  struct Place {
    const Place* above;
    std::string_view member;
    std::size_t element;
    bool is_member;
  };
  /// A member's name as a value, for `propertyNames`.
  struct Name {
    std::string_view text;
  };
  using Schema = const CompiledSchema&;

  static JsonType type_of(JsonValue value) { return value.type(); }
  static JsonType type_of(Name /*name*/) { return JsonType::string; }

  // Each schema is applied to a value or to a name. Keywords that apply others to the same subject
  // are written once for both.
  template <class Subject>
  bool apply(SchemaNumber number, Subject subject, Marks* marks);
  template <class Subject>
  bool apply_silently(SchemaNumber number, Subject subject, Marks* marks);
  template <class Subject>
  bool apply_branch(SchemaNumber number, Subject subject, Marks* marks);
  template <class Subject>
  bool check_in_place(const InPlaceRules& rules, Subject subject, Marks* marks);
  template <class Subject>
  bool check_any(const InPlaceRules& rules, Subject subject, Marks* marks);
  template <class Subject>
  bool check_one(const InPlaceRules& rules, Subject subject, Marks* marks);
  template <class Subject>
  bool check_condition(const InPlaceRules& rules, Subject subject, Marks* marks);

  template <class Subject>
  bool apply_typed(Schema schema, Subject subject, Marks* marks);
  template <class Subject>
  [[gnu::noinline]] bool apply_untyped(Schema schema, Subject subject, Marks* marks);
  template <class Subject>
  bool apply_rules(Schema schema, Subject subject, Marks* marks);
  bool apply_all(Schema schema, JsonValue value, Marks* marks);
  bool apply_all(Schema schema, Name name, Marks* marks);
  bool apply_child(SchemaNumber number, JsonValue value);
  bool apply_member(SchemaNumber number, JsonValue member);
  bool fits_silently(SchemaNumber number, JsonValue element);
  bool apply_element(SchemaNumber number, JsonValue element, std::size_t at);
  [[gnu::noinline]] bool apply_at(Place place, SchemaNumber number, JsonValue value);

  bool check_own(Schema schema, JsonValue value, Marks* marks);
  bool check_own(Schema schema, Name name, Marks* marks);
  bool check_by_type(Schema schema, JsonValue value, Marks* marks);
  bool check_integer(Schema schema, JsonValue value);
  bool check_integer(Schema schema, Name name);
  bool check_values(const ValueRules& rules, JsonValue value);
  bool check_values(const ValueRules& rules, Name name);
  bool is_among(const Choices& choices, JsonValue value);
  bool is_among(const Choices& choices, Name name);
  bool check_number(const NumberRules& rules, JsonValue value);
  template <class Compare>
  bool check_bounds(const NumberRules& rules, const Compare& compare_to);
  bool check_text(const StringRules& rules, std::string_view text);
  bool check_array(const ArrayRules& rules, JsonValue value, Marks* marks);
  bool check_contains(const ArrayRules& rules, JsonValue value, Marks* marks);
  bool check_object(const ObjectRules& rules, JsonValue value, Marks* marks);
  bool check_members(const ObjectRules& rules, JsonValue value, Marks* marks, const Marks& present);
  Evaluated check_member(const ObjectRules& rules, JsonValue member, std::uint32_t entry);
  [[gnu::noinline]] Evaluated check_unusual_member(const ObjectRules& rules, JsonValue member,
                                                   SchemaNumber own);
  bool check_name(SchemaNumber number, JsonValue member);
  bool require(const ObjectRules& rules, std::uint32_t entry, std::string_view keyword,
               const Marks& present);
  bool check_required(const ObjectRules& rules, const Marks& present);
  bool check_dependents(const ObjectRules& rules, JsonValue value, Marks* marks,
                        const Marks& present);
  bool check_unevaluated(const InPlaceRules& rules, JsonValue value, Marks& marks);
  SchemaNumber find_dynamic(const InPlaceRules& rules);
  /// Whether the pattern matches. Also false once the budget is spent.
  bool matches(PatternNumber pattern, std::string_view text);
  void tell_named(JsonValue member, NamedMembers::By by);
  void tell_restricted(JsonValue member, SchemaNumber number);
  NamedMembers::Extent told_extent() const;
  void untell(NamedMembers::Extent extent);

  Marks new_marks(std::size_t bits);
  void drop(const Marks& marks) { words_.resize(marks.begin); }
  void mark(const Marks* marks, std::size_t bit);
  bool is_marked(const Marks& marks, std::size_t bit) const;
  void merge(const Marks& into, const Marks& from);

  bool is_silent() const { return told_.violations == nullptr; }
  /// After the budget is spent nothing is checked, so that a violation would be wrong.
  bool has_budget() const {
    return !is_silent() && !is_exhausted() && told_.violations->size() < options_.violations_max;
  }
  /// Notes a violation if they are collected. `say` returns the expectation in words. Always false.
  template <class Say>
  [[gnu::cold, gnu::noinline]] bool violates(std::string_view keyword, const Say& say) {
    if (has_budget()) note(keyword, say());
    return false;
  }
  void note(std::string_view keyword, std::string expected);

  const SchemaProgram& program_;
  const ValidationOptions& options_;
  StepBudget budget_;
  Told told_;
  const Place* place_ = nullptr;
  // The first entries are in place, so that only large objects need an allocation. Each level of a
  // value may need words for present members, for evaluated ones, and for those of a branch.
  boost::container::small_vector<std::uint32_t, 8> scope_;  ///< Entered resources, outermost first.
  boost::container::small_vector<std::uint64_t, 3 * limits::json_depth_max> words_;
  std::size_t depth_ = 0;
  bool is_too_deep_ = false;
};

}  // namespace bartizan
