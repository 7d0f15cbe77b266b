#include "policy/learn/principal_arguments.h"

namespace bartizan {

OwnGroups group_calls(std::span<const CapturedCall* const> calls,
                      const std::vector<OwnArgument>& own) {
  std::vector<std::string> pointers;
  pointers.reserve(own.size());
  for (const OwnArgument& one : own)
    pointers.push_back(one.pointer);
  OwnGroups groups;
  for (const CapturedCall* call : calls) {
    OwnGroup& group = groups[SeenTool::find_presence(*call, pointers)];
    ++group.calls;
    group.principals.insert(call->call.principal);
  }
  return groups;
}

std::set<std::string_view> principals_of(std::span<const CapturedCall* const> calls) {
  std::set<std::string_view> principals;
  for (const CapturedCall* call : calls)
    principals.insert(call->call.principal);
  return principals;
}

}  // namespace bartizan
