#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// Tells of which servers two configurations show every principal the same entries of lists
/// (`Policy::shows`), as far as their text tells. How names are exposed is another matter.
///
/// Lifetime: views both configurations.
/// Cost:     to make one, linear in rules, roles and principals; nothing is compiled.
class EqualLists {
 public:
  EqualLists(const Config& one, const Config& other);

  /// False says only that something about the server differs.
  /// Cost: linear in the profiles, and in the rules that are not the same in both.
  bool has(std::string_view server) const;

 private:
  const Config& one_;
  const Config& other_;
  bool has_same_callers_;
  std::vector<const RuleConfig*> changed_;  ///< Of either, those that the other has not so.
};

}  // namespace bartizan
