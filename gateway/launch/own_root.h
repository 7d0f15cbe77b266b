#pragma once

#include <string>
#include <vector>

#include "gateway/launch/file_access.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Shows this process's own processes in `/proc`, instead of the machine's.
/// Errors:  server_failed: the kernel does not let it, such as in a container that hides a part of
///          its own `/proc`.
/// Threads: in the first process of namespaces of its own (`OwnNamespaces::processes`).
Result<void> mount_own_processes();

/// Lets nothing be changed but what is below these paths: Landlock alone lets a program change
/// modes, times and attributes of files that are on no list. Errors:  server_failed: a path is
/// missing, or the kernel does not let it. Threads: in the first process of namespaces of its own
/// (`OwnNamespaces::processes`). Source:  mount_setattr(2); landlock(7), "Current limitations".
Result<void> keep_from_changing(const std::vector<std::string>& all_but);

/// Gives this process a root of its own: a file system in memory that has the listed files and
/// folders at their places, the names of links that stand in the machine's root (such as `/bin`), a
/// `/dev` with the devices that hold nothing, its own `/proc`, and an empty `/tmp` of 64 MiB.
/// What may only be read is mounted so; what may be written is not executed.
///
/// Errors:  server_failed: a path is missing, or the kernel does not let it.
/// Threads: in the first process of namespaces of its own (`OwnNamespaces::processes`).
/// Source:  pivot_root(2), mount_setattr(2).
Result<void> enter_own_root(const FileLists& lists);

}  // namespace bartizan
