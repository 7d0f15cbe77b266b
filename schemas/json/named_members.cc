#include "schemas/json/named_members.h"

#include <algorithm>

#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

const char* first_byte(JsonValue value) {
  return value.raw().data();
}

}  // namespace

void NamedMembers::roll_back(Extent to) {
  named_.resize(to.named);
  closed_.resize(to.closed);
}

void NamedMembers::sort(StepBudget& budget) {
  if (!budget.take(named_.size())) return;
  std::ranges::sort(named_);
  keep_each_once(closed_, first_byte);
}

bool NamedMembers::has(JsonValue member) const {
  return std::ranges::binary_search(named_, first_byte(member));
}

std::vector<JsonValue> NamedMembers::find_unnamed(std::size_t most, StepBudget& budget) const {
  std::vector<JsonValue> unnamed;
  for (const JsonValue object : closed_) {
    for (const JsonValue member : object) {
      if (unnamed.size() == most || !budget.take()) return unnamed;
      if (!has(member)) unnamed.push_back(member);
    }
  }
  return unnamed;
}

}  // namespace bartizan
