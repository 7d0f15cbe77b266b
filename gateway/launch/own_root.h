#pragma once

#include <string>
#include <vector>

#include "gateway/launch/file_access.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Mounts a `/proc` with this process's own namespace instead of the machine's.
/// Errors:  server_failed: the kernel refuses, such as in a container that hides a part of its own
///          `/proc`.
/// Threads: in the first process of its own namespaces (`OwnNamespaces::processes`).
Result<void> mount_own_processes();

/// Makes everything but these paths read-only. Landlock alone lets a program change modes, times
/// and attributes of files that are on no list.
/// Errors:  server_failed: a path is missing, or the kernel refuses.
/// Threads: in the first process of its own namespaces (`OwnNamespaces::processes`).
/// Source:  mount_setattr(2); landlock(7), "Current limitations".
Result<void> keep_from_changing(const std::vector<std::string>& all_but);

/// Gives this process its own root, a file system in memory. It has the listed files and folders at
/// their places, and the names of links in the machine's root (such as `/bin`). It has a `/dev`
/// with the devices without content, its own `/proc`, and an empty `/tmp` of 64 MiB. Read-only
/// paths are mounted read-only. Writable paths are mounted without execution.
///
/// Errors:  server_failed: a path is missing, or the kernel refuses.
/// Threads: in the first process of its own namespaces (`OwnNamespaces::processes`).
/// Source:  pivot_root(2), mount_setattr(2).
Result<void> enter_own_root(const FileLists& lists);

}  // namespace bartizan
