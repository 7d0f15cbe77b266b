#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Files that a process may use. A folder stands for all that is below it, now and later.
struct FileLists {
  std::vector<std::string> read;   ///< May be read and executed.
  std::vector<std::string> write;  ///< May be read and written, made and removed; not executed.
};

/// The lists as rules of the kernel's. Devices that hold nothing (`/dev/null`, `zero`, `full`,
/// `random`, `urandom`) are among them always. Each path is opened here; a link stands for what it
/// leads to.
///
/// Errors:  server_failed: Landlock is missing, switched off or too old (Linux 6.2 is needed, since
///          before that a file can be truncated that may only be read); or a path cannot be opened.
/// Source:  landlock(7).
Result<Descriptor> make_file_rules(const FileLists& lists);

/// Rules without lists: what a process cannot do beside files, as below. None on an older kernel.
std::optional<Descriptor> make_scope_rules();

/// Binds this process, and all that it will start, to such rules for good. It also reaches no
/// socket by an abstract name, and signals nothing outside, where the kernel knows how
/// (Linux 6.12). False, and errno, when it cannot; needs `no_new_privs`.
bool enter_file_rules(const Descriptor& rules);

}  // namespace bartizan
