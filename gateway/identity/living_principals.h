#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "policy/check/compile_policy.h"
#include "policy/verdict/principal.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// The principals whom claims describe and whom somebody holds: calls, streams, sessions. All that
/// is kept by principal is bounded by this table; those of the configuration are its policy's.
///
/// Threads: any.
/// Bounded: by `limits::living_principals_max` ids. One id has a value for each of its claims and
///          policies that somebody holds.
class LivingPrincipals {
 public:
  explicit LivingPrincipals(std::size_t principals_max = limits::living_principals_max)
      : table_(std::make_shared<Table>()), principals_max_(principals_max) {}

  /// The principal of that id and these claims, as `policy` knows it: the value that was made last
  /// where it says so, another one otherwise. Null where as many live as may, and it is not one of
  /// them. Input: claims, not null.
  PrincipalPtr find_or_make(const Policy& policy, std::string_view id, const ClaimsPtr& claims);

  /// Whether somebody holds a principal of that id.
  bool has(std::string_view id) const;
  std::size_t size() const;

 private:
  struct Entry {
    std::size_t values = 0;  ///< Of that id, that somebody holds.
    std::weak_ptr<const Principal> newest;
    std::weak_ptr<const Policy> policy;  ///< That knows it so.
  };
  /// What values find when they end, which may be after the table's own end.
  struct Table {
    std::mutex mutex;
    std::map<std::string, Entry, std::less<>> entries;
  };

  std::shared_ptr<Table> table_;
  std::size_t principals_max_;
};

}  // namespace bartizan
