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

/// A pattern for the arguments of a program.
struct ArgumentPattern {
  CompiledPattern pattern;
  bool takes_options = false;  ///< The pattern itself begins with a dash.
};

/// A compiled `[command.NAME]`. Anything that it does not name is refused.
struct CommandRules {
  std::vector<std::string> programs = {};  ///< Sorted.
  std::map<std::string, std::vector<ArgumentPattern>, std::less<>> arguments = {};
  std::vector<std::string> environment = {};
  ShellSyntax syntax = {};  ///< The allowed syntax.
  bool allow_sudo = false;
  std::string arguments_of = {};
};

/// Never fails: the loader has checked the patterns. A pattern that does not compile matches
/// nothing.
CommandRules compile_command_rules(const CommandForm& form);

/// The reasons for a refusal. If there are several, the last one in this list is reported.
enum class CommandRefusal : std::uint8_t {
  costly,       ///< Matching its arguments takes too many steps.
  argument,     ///< No pattern of its program matches, or only a wide one matches an option.
  program,      ///< Not an allowed program, or unknown from the text.
  environment,  ///< It sets a variable that is not allowed.
  syntax,       ///< Shell syntax that is not allowed.
  account,      ///< It runs a program under another account.
  malformed,    ///< It cannot be parsed, or shells parse it differently.
  blocked,      ///< See `is_blocked`; or it defines a function, as in a fork bomb.
};

/// Judges a text for a shell. Returns nothing if it is allowed. Every command in it is judged:
/// those in substitutions and groups, those that other programs run, and those in texts for `sh
/// -c`. With `arguments_of`, the text is one argument of that program.
///
/// Cost:   linear in the text, and the steps of the patterns, which are taken from `steps`; no
///         memory for ordinary commands.
/// Source: CWE-77, CWE-78, CWE-88.
std::optional<CommandRefusal> judge_command(std::string_view text, const CommandRules& rules,
                                            StepBudget& steps);

/// Judges a program and its arguments, which run without a shell. The first word is the program.
/// With `arguments_of`, all words are arguments of that program.
std::optional<CommandRefusal> judge_command(std::span<const std::string_view> words,
                                            const CommandRules& rules, StepBudget& steps);

/// The stable code: `command_program`.
std::string_view text(CommandRefusal refusal);

}  // namespace bartizan
