#include "gateway/process/switch_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "gateway/process/start_failure.h"

namespace bartizan {
Result<Account> find_account(const std::string& user) {
  std::vector<char> text(16384);
  passwd entry = {};
  passwd* found = nullptr;
  const int error = getpwnam_r(user.c_str(), &entry, text.data(), text.size(), &found);
  if (error != 0) {
    return start_failed(
        fmt::format("user \"{:.40}\" cannot be looked up: {}", user, reason_of(error)));
  }
  if (found == nullptr) return start_failed(fmt::format("unknown user \"{:.40}\"", user));
  Account account{.uid = entry.pw_uid,
                  .gid = entry.pw_gid,
                  .groups = std::vector<gid_t>(256),
                  .home = entry.pw_dir == nullptr ? "" : entry.pw_dir};
  int count = static_cast<int>(account.groups.size());
  if (getgrouplist(user.c_str(), entry.pw_gid, account.groups.data(), &count) < 0) {
    return start_failed(fmt::format("user \"{:.40}\" is in more than 256 groups", user));
  }
  account.groups.resize(static_cast<std::size_t>(count));
  return account;
}

/// The C library's setuid makes every thread change and takes a lock for it; the system call is
/// what a process of one thread needs.
bool switch_user(const Account& account) {
  if (syscall(SYS_setgroups, account.groups.size(), account.groups.data()) != 0) return false;
  if (syscall(SYS_setresgid, account.gid, account.gid, account.gid) != 0) return false;
  return syscall(SYS_setresuid, account.uid, account.uid, account.uid) == 0;
}

}  // namespace bartizan
