#pragma once

#include <span>
#include <string_view>

#include "policy/shell/shell_line.h"

namespace bartizan {

/// The program's own name: `rm` of `/bin/../bin/rm`.
std::string_view program_name(std::string_view program);

/// Whether a command does away with a machine or stops it, whoever may run its program: removing or
/// opening up the root, a home or a directory of the system with all below it, making file systems,
/// writing to disks, shutting down, ending every process. Judged by what the words are, however
/// they were spelled; a word that begins with what is not known can be anything.
///
/// Input: the program, which is known, and its words.
bool is_blocked(std::span<const ShellWord> words);

/// Whether a path is a disk or a part of one, the memory, what bash makes a connection of,
/// or what stops the machine when it is written to.
bool is_device(std::string_view path);

}  // namespace bartizan
