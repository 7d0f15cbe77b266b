#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// Finds the servers for which two configurations show every principal the same list entries
/// (`Policy::shows`), as far as their texts show it. The names for clients are not compared.
///
/// Lifetime: views both configurations.
/// Cost:     to make one, linear in rules, roles and principals; nothing is compiled.
class EqualLists {
 public:
  EqualLists(const Config& one, const Config& other);

  /// False means only that something about the server differs.
  /// Cost: linear in the profiles, and in the rules that are not the same in both.
  bool has(std::string_view server) const;

 private:
  const Config& one_;
  const Config& other_;
  bool has_same_callers_;
  std::vector<const RuleConfig*> changed_;  ///< Of either, those that the other has not so.
};

}  // namespace bartizan
