#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/shell/check_command.h"

namespace bartizan {

/// The programs that a command runs, as `judge_command` takes them, for whoever is asked about it:
/// one on each line, what it runs itself below it and further in. Words stand in quotes as JSON has
/// them; `…` follows one in which something expands, and stands for words that nobody knows.
/// Variables stand before the program, files that are read or written behind it.
///
/// Cost: linear in the text, times `limits::shell_depth_max`.
std::string describe_command(std::string_view text, const CommandRules& rules);
/// The programs that a command runs which is an array of its words, in the same form.
std::string describe_command(std::span<const std::string_view> words, const CommandRules& rules);

}  // namespace bartizan
