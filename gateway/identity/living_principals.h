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

/// The principals from claims that calls, streams or sessions hold. This table bounds all state
/// that is kept by principal. Configured principals belong to their policy.
///
/// Threads: any.
/// Bounded: by `limits::living_principals_max` ids. One id has a value for each of its claims and
///          policies in use.
class LivingPrincipals {
 public:
  explicit LivingPrincipals(std::size_t principals_max = limits::living_principals_max)
      : table_(std::make_shared<Table>()), principals_max_(principals_max) {}

  /// The principal of that id and these claims, as `policy` knows it. The latest value is shared if
  /// claims and policy are the same. Null if the table is full and does not have the id. Input:
  /// claims, not null.
  PrincipalPtr find_or_make(const Policy& policy, std::string_view id, const ClaimsPtr& claims);

  /// Whether a principal of that id is in use.
  bool has(std::string_view id) const;
  std::size_t size() const;

 private:
  struct Entry {
    std::size_t values = 0;  ///< Values of that id in use.
    std::weak_ptr<const Principal> newest;
    std::weak_ptr<const Policy> policy;  ///< The policy of the newest value.
  };
  /// Values refer to it when they end, which may be after the table's own end.
  struct Table {
    std::mutex mutex;
    std::map<std::string, Entry, std::less<>> entries;
  };

  std::shared_ptr<Table> table_;
  std::size_t principals_max_;
};

}  // namespace bartizan
