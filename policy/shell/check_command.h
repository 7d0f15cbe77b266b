#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/shell/shell_line.h"
#include "schemas/json/json_equal.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// One pattern of a program's arguments.
struct ArgumentPattern {
  CompiledPattern pattern;
  bool takes_options = false;  ///< It begins with a dash itself.
};

/// `[command.NAME]`, compiled. What is not named is refused.
struct CommandRules {
  std::vector<std::string> programs = {};  ///< Sorted.
  std::map<std::string, std::vector<ArgumentPattern>, std::less<>> arguments = {};
  std::vector<std::string> environment = {};
  ShellSyntax syntax = {};  ///< What may be there.
  bool allow_sudo = false;
  std::string arguments_of = {};
};

/// The loader has compiled the patterns before; one that fails now lets nothing pass.
CommandRules compile_command_rules(const CommandForm& form);

/// Why a command is refused; of several causes in one command, the last of these is told.
enum class CommandRefusal : std::uint8_t {
  costly,       ///< To hold its arguments against their patterns.
  argument,     ///< None of its program's patterns, or an option that only a wide one would take.
  program,      ///< Not one of the rules', or not known from the text.
  environment,  ///< A variable for the program that may not be set.
  syntax,       ///< What a shell does with it, and the rules do not name.
  account,      ///< It runs something as somebody else.
  malformed,    ///< Not to be read, or not by all shells alike.
  blocked,      ///< See `is_blocked`; a function that is defined, as in a fork bomb.
};

/// Whether a shell may be given a text: nothing where it may. Every command in it is judged, those
/// within substitutions and groups, of programs that run programs, and in texts for `sh -c` too.
/// With `arguments_of`, the text is one argument of that program.
///
/// Cost:   linear in the text, and the patterns' steps, which are taken from `steps`; no memory for
///         ordinary commands.
/// Source: CWE-77, CWE-78, CWE-88.
std::optional<CommandRefusal> judge_command(std::string_view text, const CommandRules& rules,
                                            StepBudget& steps);

/// Whether a program may be run with those words, the first of them, without a shell between.
/// With `arguments_of`, all words are arguments of that program.
std::optional<CommandRefusal> judge_command(std::span<const std::string_view> words,
                                            const CommandRules& rules, StepBudget& steps);

/// The stable code: `command_program`.
std::string_view text(CommandRefusal refusal);

}  // namespace bartizan
