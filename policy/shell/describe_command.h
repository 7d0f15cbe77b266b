#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/shell/check_command.h"

namespace bartizan {

/// Describes the programs that a command runs, as `judge_command` finds them, for an approver. Each
/// program has one line. The programs that it runs follow it with more indentation. Words are in
/// JSON quotes. `…` follows a word with an expansion, and stands for unknown words. Variables come
/// before the program, and files of redirections after it.
///
/// Cost: linear in the text, times `limits::shell_depth_max`.
std::string describe_command(std::string_view text, const CommandRules& rules);
/// Describes a command that is an array of words, in the same form.
std::string describe_command(std::span<const std::string_view> words, const CommandRules& rules);

}  // namespace bartizan
