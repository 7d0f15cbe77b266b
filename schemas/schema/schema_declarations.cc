#include "schemas/schema/schema_declarations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schemas/base/limits.h"
#include "schemas/json/json_equal.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/schema_compiler.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

using Schemas = std::set<SchemaNumber>;

void add(Schemas& schemas, SchemaNumber number) {
  if (number != kNoSchema) schemas.insert(number);
}

/// Adds all schemas that these apply to the same value, as far as the budget permits.
Schemas with_applied(const SchemaProgram& program, const Schemas& schemas, StepBudget& budget) {
  Schemas all;
  std::vector<SchemaNumber> waiting(schemas.begin(), schemas.end());
  while (!waiting.empty() && budget.take()) {
    const SchemaNumber next = waiting.back();
    waiting.pop_back();
    if (!all.insert(next).second) continue;
    for (const SchemaNumber applied : in_place_of(program.schemas[next]))
      waiting.push_back(applied);
  }
  return all;
}

Schemas with_applied(const SchemaProgram& program, const Schemas& schemas) {
  StepBudget enough{kNoMaximum};
  return with_applied(program, schemas, enough);
}

/// Whether `additionalProperties` restricts other members: one that accepts everything does not.
bool names_others(const SchemaProgram& program, const ObjectRules& rules) {
  if (rules.additional == kNoSchema) return false;
  const CompiledSchema& additional = program.schemas[rules.additional];
  return !additional.is_always && !additional.is_never;
}

void add_members(const SchemaProgram& program, const ObjectRules& rules, std::string_view name,
                 Schemas& found) {
  const std::uint32_t entry = rules.table.find(name);
  if (entry != PropertyTable::kNone) add(found, rules.table.entries()[entry].schema);
  for (const ObjectRules::Pattern& pattern : rules.patterns) {
    if (holds_match(program.patterns[pattern.pattern], name)) add(found, pattern.schema);
  }
  if (names_others(program, rules)) add(found, rules.additional);
}

std::optional<std::size_t> read_index(std::string_view token) {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return index;
}

void add_elements(const ArrayRules& rules, std::string_view token, Schemas& found) {
  const auto index = read_index(token);
  if (token != "*" && !index.has_value()) return;
  for (std::size_t i = 0; i < rules.prefix.size(); ++i) {
    if (token == "*" || index == i) add(found, rules.prefix[i]);
  }
  if (token == "*" || *index >= rules.prefix.size()) add(found, rules.items);
}

/// The schemas for that member, or element, by the schemas of its container.
Schemas below(const SchemaProgram& program, const Schemas& at, std::string_view token) {
  Schemas found;
  for (const SchemaNumber number : at) {
    const CompiledSchema& schema = program.schemas[number];
    if (schema.object != nullptr) add_members(program, *schema.object, token, found);
    if (schema.array != nullptr) add_elements(*schema.array, token, found);
  }
  return found;
}

/// Whether the schemas have the name themselves. A number is an array index only if none of them
/// permits an object, whose member it might name.
bool names_step(const SchemaProgram& program, const Schemas& at, std::string_view token) {
  bool may_be_object = at.empty();
  for (const SchemaNumber number : at) {
    const CompiledSchema& schema = program.schemas[number];
    const ObjectRules* object = schema.object.get();
    if (object != nullptr && object->table.find(token) != PropertyTable::kNone) return true;
    may_be_object |= (schema.types & type_bit(JsonType::object)) != 0;
  }
  return !may_be_object && read_index(token).has_value();
}

/// Whether `properties` and `items` alone lead to the end of the pointer, as in most schemas.
bool names_directly(const SchemaProgram& program, std::string_view pointer) {
  SchemaNumber at = program.root;
  while (!pointer.empty() && at != kNoSchema) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto token = unescape_pointer_token(pointer.substr(0, end));
    if (!token.has_value()) return false;
    pointer.remove_prefix(end);
    const CompiledSchema& schema = program.schemas[at];
    at = kNoSchema;
    if (*token == "*" && schema.array != nullptr) at = schema.array->items;
    if (*token == "*" || schema.object == nullptr) continue;
    const std::uint32_t entry = schema.object->table.find(*token);
    if (entry != PropertyTable::kNone) at = schema.object->table.entries()[entry].schema;
  }
  return at != kNoSchema;
}

/// Collects the pointers that `properties`, `required` and `items` name, within the bounds.
class PointerWalk {
 public:
  explicit PointerWalk(const SchemaProgram& program) : program_(program) {}

  std::vector<std::string> run() && {
    walk(with_applied(program_, {program_.root}), "", 0);
    return {found_.begin(), found_.end()};
  }

 private:
  void walk(const Schemas& at, const std::string& pointer, std::size_t depth) {
    if (depth > limits::schema_named_depth_max || is_full()) return;
    std::map<std::string, Schemas> below;
    for (const SchemaNumber number : at) {
      const CompiledSchema& schema = program_.schemas[number];
      if (schema.object != nullptr) {
        const PropertyTable& table = schema.object->table;
        for (std::uint32_t i = 0; i < table.size(); ++i)
          add(below[pointer_below(pointer, table.name(i))], table.entries()[i].schema);
      }
      if (schema.array != nullptr) add_elements(*schema.array, "*", below[pointer + "/*"]);
    }
    for (const auto& [name, schemas] : below) {
      // Elements without a schema are not named.
      if (name.ends_with("/*") && schemas.empty()) continue;
      if (is_full()) return;
      found_.insert(name);
      walk(with_applied(program_, schemas), name, depth + 1);
    }
  }

  bool is_full() const { return found_.size() >= limits::schema_named_pointers_max; }

  const SchemaProgram& program_;
  std::set<std::string> found_;
};

/// The schemas for the value at a pointer. Empty if the schema does not lead there.
Schemas schemas_at(const SchemaProgram& program, std::string_view pointer, StepBudget& budget) {
  Schemas at = with_applied(program, {program.root}, budget);
  while (!pointer.empty() && !at.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto token = unescape_pointer_token(pointer.substr(0, end));
    if (!token.has_value()) return {};
    pointer.remove_prefix(end);
    at = with_applied(program, below(program, at, *token), budget);
  }
  return at;
}

/// Whether a name folds like one that the schemas of its object have, but is not itself one of
/// theirs.
bool is_folded_here(const SchemaProgram& program, const Schemas& at, std::string_view name,
                    std::span<const std::string_view> alike) {
  const auto has = [&](std::string_view one) {
    return std::ranges::any_of(at, [&](SchemaNumber number) {
      const ObjectRules* object = program.schemas[number].object.get();
      return object != nullptr && object->table.find(one) != PropertyTable::kNone;
    });
  };
  return std::ranges::any_of(alike, has) && !has(name);
}

/// Searches for such a name, with the schemas of each place.
class FoldedWalk {
 public:
  FoldedWalk(const SchemaProgram& program, const FoldedProperties& names)
      : program_(program), names_(names) {}

  JsonValue run(JsonValue value) {
    return walk(with_applied(program_, {program_.root}, budget_), value);
  }

 private:
  JsonValue walk(const Schemas& at, JsonValue value) {
    if (at.empty()) return {};
    const bool is_object = value.is(JsonType::object);
    Schemas next;
    std::size_t index = 0;
    for (const JsonValue one : value) {
      const std::string_view name = one.key();
      if (!budget_.take()) return one;
      if (is_object && is_folded_here(program_, at, name, names_.alike(name))) return one;
      const bool is_nested = one.is(JsonType::object) || one.is(JsonType::array);
      const std::size_t place = index++;
      if (!is_nested) continue;
      // All elements after those with their own schemas share one.
      const bool is_alike = !is_object && !next.empty() && place > longest_prefix(at);
      if (!is_alike) {
        const std::string token = is_object ? std::string(name) : std::to_string(place);
        next = with_applied(program_, below(program_, at, token), budget_);
      }
      if (const JsonValue found = walk(next, one)) return found;
      if (budget_.is_spent()) return one;
    }
    return {};
  }

  std::size_t longest_prefix(const Schemas& at) const {
    std::size_t longest = 0;
    for (const SchemaNumber number : at) {
      const ArrayRules* array = program_.schemas[number].array.get();
      if (array != nullptr) longest = std::max(longest, array->prefix.size());
    }
    return longest;
  }

  /// About fifteen milliseconds.
  static constexpr std::uint64_t kStepsMax = 20'000;

  const SchemaProgram& program_;
  const FoldedProperties& names_;
  StepBudget budget_{kStepsMax};
};

}  // namespace

JsonValue find_folded_member(const SchemaProgram& program, const FoldedProperties& names,
                             JsonValue value) {
  bool is_root = true;
  for (const JsonValue one : value.within()) {
    // The value's own name is not part of the schema.
    if (std::exchange(is_root, false) || one.key_range().begin == one.key_range().end) continue;
    const std::span<const std::string_view> alike = names.alike(one.key());
    const bool is_settled = alike.empty() || (alike.size() == 1 && alike.front() == one.key());
    if (!is_settled) return FoldedWalk(program, names).run(value);
  }
  return {};
}

std::vector<std::string> named_pointers(const SchemaProgram& program) {
  return PointerWalk(program).run();
}

bool declares_any_member(const SchemaProgram& program) {
  StepBudget budget{limits::schema_named_steps_max};
  return std::ranges::any_of(with_applied(program, {program.root}, budget),
                             [&](SchemaNumber number) {
                               const ObjectRules* object = program.schemas[number].object.get();
                               if (object == nullptr) return false;
                               if (!object->patterns.empty()) return true;
                               for (std::uint32_t i = 0; i < object->table.size(); ++i) {
                                 if (object->table.entries()[i].schema != kNoSchema) return true;
                               }
                               return names_others(program, *object);
                             });
}

bool declares_pointer(const SchemaProgram& program, std::string_view pointer) {
  if (names_directly(program, pointer)) return true;
  StepBudget budget{limits::schema_named_steps_max};
  return !schemas_at(program, pointer, budget).empty() && !budget.is_spent();
}

bool may_be_at(const SchemaProgram& program, std::string_view pointer, JsonType type) {
  StepBudget budget{limits::schema_named_steps_max};
  const Schemas at = schemas_at(program, pointer, budget);
  if (at.empty() || budget.is_spent()) return true;
  const int wanted = type == JsonType::number ? type_bit(type) | kIntegerType : type_bit(type);
  return std::ranges::any_of(
      at, [&](SchemaNumber number) { return (program.schemas[number].types & wanted) != 0; });
}

std::string without_unnamed(const SchemaProgram& program, std::string_view pointer) {
  StepBudget budget{limits::schema_named_steps_max};
  Schemas at = with_applied(program, {program.root}, budget);
  std::string shown;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string_view step = pointer.substr(0, end);
    pointer.remove_prefix(end);
    const auto token = unescape_pointer_token(step.substr(1));
    if (!token.has_value() || budget.is_spent()) at.clear();
    const bool is_named = token.has_value() && names_step(program, at, *token);
    shown += is_named ? step : std::string_view("/*");
    if (!at.empty()) at = with_applied(program, below(program, at, *token), budget);
  }
  return shown;
}

}  // namespace bartizan
