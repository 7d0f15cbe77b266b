#include "policy/verdict/value_facts.h"

#include <cstddef>

namespace bartizan {
namespace {

/// Facts that are looked at in one step.
constexpr std::size_t kFactsPerStep = 16;

}  // namespace

const Finding* ValueFacts::look(FactQuery::Kind kind, std::string_view root,
                                std::string_view name) {
  if (!steps.take(1 + outside.facts.size() / kFactsPerStep)) return nullptr;
  const Finding* found = find_fact(outside.facts, kind, root, name);
  if (found != nullptr || outside.open == nullptr) return found;
  outside.open->add(kind, root, name);
  is_open = true;
  return nullptr;
}

Reason ValueFacts::refuse(Reason reason, OutsideRefusal because) {
  refusal = because;
  return reason;
}

}  // namespace bartizan
