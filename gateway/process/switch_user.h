#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// The account of a child.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string home = {};  ///< Its home folder, from the account's entry.
};

/// Looks up an account by its name.
/// Errors:  server_failed: unknown, lookup failed, in too many groups.
/// Threads: any. May read files of the name service.
Result<Account> find_account(const std::string& user);

/// Switches to the account permanently. False, with errno, if that is not allowed.
/// Threads: in a process of one thread, right before an exec.
bool switch_user(const Account& account);

}  // namespace bartizan
