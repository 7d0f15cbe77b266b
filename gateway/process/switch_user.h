#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// An account that a child is to become.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string home = {};  ///< Its folder, as the account's entry names it.
};

/// Looks an account up by its name.
/// Errors:  server_failed: unknown, not to be looked up, in too many groups.
/// Threads: any. May read files of the name service.
Result<Account> find_account(const std::string& user);

/// Becomes the account, for good. False, and errno, when that is not allowed.
/// Threads: in a process of one thread, right before an exec.
bool switch_user(const Account& account);

}  // namespace bartizan
