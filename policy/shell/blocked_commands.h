#pragma once

#include <span>
#include <string_view>

#include "policy/shell/shell_line.h"

namespace bartizan {

/// The base name of a program: `rm` for `/bin/../bin/rm`.
std::string_view program_name(std::string_view program);

/// Whether a command destroys or stops a machine. Such commands remove the root, a home or a system
/// directory, or open them to everybody, recursively. Others make file systems, write to disks,
/// shut down, or kill every process. The decoded words are judged, whatever their spelling. A word
/// with an unknown beginning may be anything.
///
/// Input: the program, which is known, and its words.
bool is_blocked(std::span<const ShellWord> words);

/// Whether a path is a disk or a part of one, the memory, a network path of bash, or a file that
/// stops the machine when it is written.
bool is_device(std::string_view path);

}  // namespace bartizan
