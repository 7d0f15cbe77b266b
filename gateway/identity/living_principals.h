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

/// The principals whom claims describe and whom somebody holds: calls, streams, sessions. There is
/// one value for each, so that all that is kept by principal is bounded by this table; those of the
/// configuration are its policy's.
///
/// Threads: any. Bounded by `limits::living_principals_max`.
class LivingPrincipals {
 public:
  explicit LivingPrincipals(std::size_t principals_max = limits::living_principals_max)
      : principals_max_(principals_max) {}

  /// The principal of that id and these claims, as `policy` knows it. Null where as many live as
  /// may, and it is not one of them. Input: claims, not null.
  /// Lifetime: its holders'; later claims of the same id make another value.
  PrincipalPtr find_or_make(const Policy& policy, std::string_view id, const ClaimsPtr& claims);

  /// Whether somebody holds a principal of that id.
  bool has(std::string_view id) const;
  std::size_t size() const;

 private:
  struct Entry {
    std::weak_ptr<const Principal> principal;
    std::weak_ptr<const Policy> policy;  ///< That knows it so.
  };

  std::size_t principals_max_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  ///< Some of them nobody holds any more.
};

}  // namespace bartizan
