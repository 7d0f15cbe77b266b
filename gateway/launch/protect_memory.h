#pragma once

namespace bartizan {

/// Closes this process to others of its account. They cannot read its memory, its environment or
/// its open files in /proc, or trace it, without CAP_SYS_PTRACE. It leaves no core file. Debuggers
/// of that account cannot attach either.
///
/// Source: prctl(2), PR_SET_DUMPABLE; CWE-528, CWE-214.
void protect_memory();

}  // namespace bartizan
