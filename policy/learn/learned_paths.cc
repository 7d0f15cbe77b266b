#include "policy/learn/learned_paths.h"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace bartizan {

std::optional<std::string> LearnedPaths::find(const PathConfig& path) const {
  const auto known = std::ranges::find_if(paths_, [&path](const PathConfig& one) {
    return one.root == path.root && one.kind == path.kind && one.extensions == path.extensions &&
           one.refuse_hidden == path.refuse_hidden;
  });
  return known == paths_.end() ? std::nullopt : std::optional(known->name);
}

Predicate LearnedPaths::name(const LearnedPredicate& learned) {
  if (!learned.path.has_value()) return learned.predicate;
  if (const auto known = find(*learned.path)) return PathPredicate{.path = *known};
  PathConfig path = *learned.path;
  std::size_t number = paths_.size() + 1;
  do
    path.name = "learned-" + std::to_string(number++);
  while (config_.paths.contains(path.name) ||
         std::ranges::find(paths_, path.name, &PathConfig::name) != paths_.end());
  paths_.push_back(path);
  return PathPredicate{.path = path.name};
}

bool LearnedPaths::is_same(const LearnedPredicate& learned, const Predicate& predicate) const {
  if (!learned.path.has_value()) return learned.predicate == predicate;
  const auto* path = std::get_if<PathPredicate>(&predicate);
  return path != nullptr && find(*learned.path) == path->path;
}

}  // namespace bartizan
