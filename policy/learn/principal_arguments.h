#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/learn/seen_tool.h"

namespace bartizan {

/// What somebody gave a tool otherwise than all who called it.
struct OwnArgument {
  std::string pointer;
  std::optional<LearnedPredicate> predicate = {};  ///< None where they gave nothing.
  const SeenValues* values = nullptr;
};

/// Calls that have, and lack, the same of these.
struct OwnGroup {
  std::size_t calls = 0;
  std::set<std::string_view> principals = {};
};

/// By what calls have of each argument.
using OwnGroups = std::map<std::vector<SeenTool::Presence>, OwnGroup>;

OwnGroups group_calls(std::span<const CapturedCall* const> calls,
                      const std::vector<OwnArgument>& own);

/// Lifetime: the views are into the calls.
std::set<std::string_view> principals_of(std::span<const CapturedCall* const> calls);

}  // namespace bartizan
