#pragma once

namespace bartizan {

/// Closes this process to others of its account: none may read its memory, its environment or its
/// open files in /proc, or trace it, unless it has CAP_SYS_PTRACE. It leaves no core file either.
/// Also of use to no debugger of that account.
///
/// Source: prctl(2), PR_SET_DUMPABLE; CWE-528, CWE-214.
void protect_memory();

}  // namespace bartizan
