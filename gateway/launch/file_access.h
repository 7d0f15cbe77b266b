#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Files that a process may use. A folder includes everything below it, now and later.
struct FileLists {
  std::vector<std::string> read;   ///< May be read and executed.
  std::vector<std::string> write;  ///< May be read, written, created and deleted; not executed.
};

/// Makes kernel rules from the lists. Devices without content (`/dev/null`, `zero`, `full`,
/// `random`, `urandom`) are always allowed. Each path is opened here, and links are followed.
///
/// Errors: server_failed: Landlock is missing, disabled or too old, or a path cannot be opened.
///         Linux 6.2 is needed, as earlier a file that may only be read can be truncated.
/// Source: landlock(7).
Result<Descriptor> make_file_rules(const FileLists& lists);

/// Makes rules without lists, only for the restrictions beyond files; see `enter_file_rules`. None
/// on an older kernel.
std::optional<Descriptor> make_scope_rules();

/// Binds this process, and all processes that it starts, to the rules for good. If the kernel
/// supports it (Linux 6.12), it also cannot connect to abstract sockets or signal processes
/// outside. False, with errno, if it cannot; needs `no_new_privs`.
bool enter_file_rules(const Descriptor& rules);

}  // namespace bartizan
