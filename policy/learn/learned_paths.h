#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/learn_values.h"

namespace bartizan {

/// The places that were learned, under names that nothing else has; those that are the same have
/// one.
///
/// Lifetime: views the configuration.
class LearnedPaths {
 public:
  explicit LearnedPaths(const Config& config) : config_(config) {}

  /// The predicate as it is written, with the name of its place.
  Predicate name(const LearnedPredicate& learned);
  /// Whether that predicate is what would be written.
  bool is_same(const LearnedPredicate& learned, const Predicate& predicate) const;

  const std::vector<PathConfig>& all() const { return paths_; }

 private:
  std::optional<std::string> find(const PathConfig& path) const;

  const Config& config_;
  std::vector<PathConfig> paths_ = {};
};

}  // namespace bartizan
