#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/learn_values.h"

namespace bartizan {

/// The learned places, under names that the configuration does not use. Equal places share a name.
///
/// Lifetime: views the configuration.
class LearnedPaths {
 public:
  explicit LearnedPaths(const Config& config) : config_(config) {}

  /// The predicate with the name of its place, ready to be written.
  Predicate name(const LearnedPredicate& learned);
  /// Whether `predicate` is the one that would be written.
  bool is_same(const LearnedPredicate& learned, const Predicate& predicate) const;

  const std::vector<PathConfig>& all() const { return paths_; }

 private:
  std::optional<std::string> find(const PathConfig& path) const;

  const Config& config_;
  std::vector<PathConfig> paths_ = {};
};

}  // namespace bartizan
