#include "schemas/schema/schema_compiler.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace bartizan {
namespace {

void append(std::vector<SchemaNumber>& list, SchemaNumber schema) {
  if (schema != kNoSchema) list.push_back(schema);
}

/// Walks all chains. Each schema is visited once, and keeps the length of the longest chain after
/// it.
class ChainWalk {
 public:
  ChainWalk(const SchemaProgram& program, std::size_t chain_max)
      : program_(program), chain_max_(chain_max), lengths_(program.schemas.size(), kUnknown) {}

  std::optional<ChainFlaw> run(SchemaNumber first) {
    if (lengths_[first] == kUnknown) enter(first);
    while (!open_.empty()) {
      const SchemaNumber here = open_.back().schema;
      if (open_.size() > chain_max_) return ChainFlaw{SchemaFlaw::too_deep, here};
      Step& step = open_.back();
      if (step.next == step.applied.size()) {
        leave();
        continue;
      }
      const SchemaNumber next = step.applied[step.next++];
      if (lengths_[next] == kOpen) return ChainFlaw{SchemaFlaw::endless, here};
      if (lengths_[next] == kUnknown) {
        enter(next);
      } else {
        step.longest = std::max(step.longest, lengths_[next]);
        const bool is_too_long = open_.size() + step.longest > chain_max_;
        if (is_too_long) return ChainFlaw{SchemaFlaw::too_deep, here};
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  static constexpr std::size_t kOpen = kUnknown - 1;
  struct Step {
    SchemaNumber schema;
    std::vector<SchemaNumber> applied;
    std::size_t next = 0;
    std::size_t longest = 0;
  };

  void enter(SchemaNumber schema) {
    lengths_[schema] = kOpen;
    open_.push_back({.schema = schema, .applied = in_place_of(program_.schemas[schema])});
  }
  void leave() {
    const std::size_t length = open_.back().longest + 1;
    lengths_[open_.back().schema] = length;
    open_.pop_back();
    if (!open_.empty()) open_.back().longest = std::max(open_.back().longest, length);
  }

  const SchemaProgram& program_;
  std::size_t chain_max_;
  std::vector<std::size_t> lengths_;
  std::vector<Step> open_;
};

/// Finds schemas that accept every value because all schemas that they apply do.
class Letting {
 public:
  explicit Letting(SchemaProgram& program)
      : program_(program), is_known_(program.schemas.size(), false) {}

  // INVARIANT: no chain is longer than `chain_max`, so neither is the recursion.
  bool find(SchemaNumber number) {
    CompiledSchema& schema = program_.schemas[number];
    if (is_known_[number]) return schema.is_always;
    is_known_[number] = true;
    if (schema.is_always || !applies_only(schema)) return schema.is_always;
    const auto lets_pass = [this](SchemaNumber applied) { return find(applied); };
    schema.is_always = std::ranges::all_of(schema.in_place->all, lets_pass);
    return schema.is_always;
  }

 private:
  /// Whether it has no rules of its own, and applies others to all values alike.
  static bool applies_only(const CompiledSchema& schema) {
    const InPlaceRules* rules = schema.in_place.get();
    if (rules == nullptr || schema.types != kAllTypes || schema.values || schema.number ||
        schema.string || schema.array || schema.object) {
      return false;
    }
    return rules->any.empty() && rules->one.empty() && rules->negated == kNoSchema &&
           rules->condition == kNoSchema && rules->dynamic_default == kNoSchema &&
           !schema.has_unevaluated();
  }

  SchemaProgram& program_;
  std::vector<bool> is_known_;
};

}  // namespace

std::vector<SchemaNumber> in_place_of(const CompiledSchema& schema) {
  std::vector<SchemaNumber> applied;
  if (const InPlaceRules* rules = schema.in_place.get()) {
    for (const auto* list : {&rules->all, &rules->any, &rules->one})
      applied.insert(applied.end(), list->begin(), list->end());
    for (const SchemaNumber one : {rules->negated, rules->condition, rules->consequence,
                                   rules->alternative, rules->dynamic_default})
      append(applied, one);
  }
  if (schema.object != nullptr) {
    for (const PropertyTable::Entry& entry : schema.object->table.entries())
      append(applied, entry.dependent);
  }
  return applied;
}

void find_always(SchemaProgram& program) {
  Letting letting(program);
  for (SchemaNumber number = 0; number < program.schemas.size(); ++number)
    letting.find(number);
}

std::optional<ChainFlaw> find_chain_flaw(const SchemaProgram& program, std::size_t chain_max) {
  ChainWalk walk(program, chain_max);
  for (SchemaNumber schema = 0; schema < program.schemas.size(); ++schema) {
    if (const auto flaw = walk.run(schema)) return flaw;
  }
  return std::nullopt;
}

}  // namespace bartizan
