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

/// An argument that some callers gave differently from all callers of a tool.
struct OwnArgument {
  std::string pointer;
  std::optional<LearnedPredicate> predicate =
      {};  ///< None if these callers never gave the argument.
  const SeenValues* values = nullptr;
};

/// Calls that have, and lack, the same of these arguments.
struct OwnGroup {
  std::size_t calls = 0;
  std::set<std::string_view> principals = {};
};

/// Groups by presence of each argument.
using OwnGroups = std::map<std::vector<SeenTool::Presence>, OwnGroup>;

OwnGroups group_calls(std::span<const CapturedCall* const> calls,
                      const std::vector<OwnArgument>& own);

/// The principals of the calls. Lifetime: views the calls.
std::set<std::string_view> principals_of(std::span<const CapturedCall* const> calls);

}  // namespace bartizan
