#pragma once

#include <string>
#include <string_view>

#include "policy/verdict/gathered_facts.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Finds the place on this host's disk to which a path below a root leads now.
///
/// The kernel walks the path from the root and lets no step leave it: neither `..`, nor a link,
/// even an absolute one, nor a process's magic links. The opened file is then asked for its path
/// again, so a tree that changes meanwhile never shows an outside file as inside. For a missing
/// file, the nearest existing folder above must be below the root. Mount points are crossed, since
/// whoever may mount may also move the root.
///
/// Input:   `root` absolute; `name` without a leading slash, `..` allowed.
/// Threads: any. May block as long as the file system does: never on a worker.
/// Cost:    some system calls, and one more for each missing folder; nothing is opened for reading.
/// Source:  openat2(2), RESOLVE_BENEATH, RESOLVE_NO_MAGICLINKS; CWE-59.
Finding find_place(const std::string& root, const std::string& name);

/// The SHA-256 of a regular file below a root, of at most `limits::digested_file_bytes_max`. It
/// opens what `find_place` would find. Nothing but regular files is opened for reading, so no
/// device or pipe is touched.
///
/// Threads: any; may block. Cost: reads the file.
Finding digest_file(const std::string& root, const std::string& name);

/// Whether a file below a root begins like text: its first `limits::text_window_bytes` are valid
/// UTF-8 without NUL. A character that the end of the window cuts is allowed, and so is an empty
/// file. It opens what `find_place` would find, and reads that same descriptor if it is a regular
/// file. So no device, pipe or socket is touched; for these the answer is unknown.
///
/// Threads: any; may block. Cost: reads the window.
Finding find_text(const std::string& root, const std::string& name);

/// Checks that places below a root can be found here: the kernel has openat2, nothing forbids it,
/// the root is an accessible folder, and /proc is there.
/// Errors: config_invalid, with a sentence that says which condition fails.
Result<void> probe_root(const std::string& root);

}  // namespace bartizan
