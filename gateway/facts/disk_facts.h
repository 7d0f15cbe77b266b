#pragma once

#include <string>
#include <string_view>

#include "policy/verdict/gathered_facts.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Where a path below a root leads on this machine's disk, now.
///
/// The kernel walks it from the root on and lets no step out: neither `..` nor a link, be it
/// absolute, nor what it links for processes itself. What it opened is asked for its own place
/// once more, so that a tree that changes meanwhile never shows what is outside as inside. Of what
/// is not there, the nearest folder above must be below the root. Mount points are passed: who may
/// mount may also move the root.
///
/// Input:   `root` absolute; `name` without a slash in front, `..` allowed.
/// Threads: any. May block as long as the file system does: never on a worker.
/// Cost:    some system calls, for each missing folder one more; nothing is opened for reading.
/// Source:  openat2(2), RESOLVE_BENEATH, RESOLVE_NO_MAGICLINKS; CWE-59.
Finding find_place(const std::string& root, const std::string& name);

/// The SHA-256 of a file below a root: of a regular one of at most
/// `limits::digested_file_bytes_max`, opened as what `find_place` would find; nothing else is ever
/// opened for reading, so that no device and no pipe is touched.
///
/// Threads: any; may block. Cost: reads the file.
Finding digest_file(const std::string& root, const std::string& name);

/// Whether a file below a root begins as text does: its first `limits::text_window_bytes` are valid
/// UTF-8 without NUL; a character that the end of the window cuts is fine, as is an empty file.
/// What `find_place` would find is opened, and read by that very descriptor, where it is a regular
/// file: no device, pipe or socket is touched. Of anything else nobody can tell.
///
/// Threads: any; may block. Cost: reads the window.
Finding find_text(const std::string& root, const std::string& name);

/// Whether places below a root can be found here: the kernel has openat2, nothing forbids it, the
/// root is a folder that can be entered, and /proc is there.
/// Errors: config_invalid, as a sentence that says which it is.
Result<void> probe_root(const std::string& root);

}  // namespace bartizan
