#include "policy/shell/check_command.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include "policy/shell/blocked_commands.h"
#include "policy/shell/run_programs.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

using Words = std::span<const ShellWord>;

/// Whether programs read a character only as itself. Fullwidth and similar forms become ASCII in
/// another encoding.
bool is_plain_character(UChar32 character) {
  constexpr std::string_view kPlain = "+-._/@:=,";
  if (character < 0x80) {
    const char c = static_cast<char>(character);
    return is_letter(c) || is_digit(c) || kPlain.contains(c);
  }
  constexpr std::uint32_t kLettersAndNumbers = U_GC_L_MASK | U_GC_N_MASK;
  const int form = u_getIntPropertyValue(character, UCHAR_DECOMPOSITION_TYPE);
  return (U_GET_GC_MASK(character) & kLettersAndNumbers) != 0 &&
         (form == U_DT_NONE || form == U_DT_CANONICAL);
}

/// Whether a text has no meaning for shells, and is neither an option nor empty for programs.
bool is_identifier(std::string_view text) {
  if (text.empty() || text.starts_with('-')) return false;
  const auto size = static_cast<std::int32_t>(text.size());
  std::int32_t at = 0;
  while (at < size) {
    UChar32 character = 0;
    U8_NEXT(text.data(), at, size, character);
    if (!is_plain_character(character)) return false;
  }
  return true;
}

/// Judges one value with its commands and their inner commands.
class CommandJudge {
 public:
  CommandJudge(const CommandRules& rules, StepBudget& steps) : rules_(rules), steps_(steps) {}

  std::optional<CommandRefusal> judge_line(std::string_view text) {
    read_line(text);
    return worst_;
  }
  std::optional<CommandRefusal> judge_words(std::span<const std::string_view> texts) {
    std::pmr::vector<ShellWord> words(&memory_);
    words.reserve(texts.size() + 1);
    if (!rules_.arguments_of.empty()) words.push_back({.text = rules_.arguments_of});
    for (const std::string_view text : texts)
      words.push_back({.text = text});
    for (const ShellWord& word : words) {
      if (!is_sendable(word.text)) refuse(CommandRefusal::malformed);
    }
    if (words.empty()) refuse(CommandRefusal::malformed);
    if (!worst_) judge_command_words(words);
    return worst_;
  }

 private:
  void refuse(CommandRefusal refusal) { worst_ = std::max(worst_.value_or(refusal), refusal); }

  static bool is_sendable(std::string_view text) {
    return is_valid_utf8(text) && std::ranges::none_of(text, [](char c) {
             const auto byte = static_cast<unsigned char>(c);
             return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
           });
  }

  /// Judges a text for a shell, at any depth.
  void read_line(std::string_view text) {
    if (depth_ == limits::shell_depth_max) return refuse(CommandRefusal::malformed);
    auto line = read_shell_line(text, memory_);
    if (!line) {
      return refuse(line.error() == ShellFault::function ? CommandRefusal::blocked
                                                         : CommandRefusal::malformed);
    }
    if (line->commands.empty()) return refuse(CommandRefusal::malformed);
    judge_syntax(line->syntax);
    ++depth_;
    for (const ShellCommand& command : line->commands)
      judge_shell_command(command);
    --depth_;
  }

  void judge_syntax(const ShellSyntax& used) {
    const ShellSyntax& allowed = rules_.syntax;
    const bool is_allowed =
        (!used.pipes || allowed.pipes) && (!used.sequences || allowed.sequences) &&
        (!used.redirections || allowed.redirections) &&
        (!used.substitution || allowed.substitution) && (!used.variables || allowed.variables) &&
        (!used.globs || allowed.globs) && !used.comments;
    if (!is_allowed) refuse(CommandRefusal::syntax);
    if (used.dialect) refuse(CommandRefusal::malformed);
  }

  void judge_shell_command(const ShellCommand& command) {
    for (const ShellWord& variable : command.assignments)
      judge_variable(variable.text.substr(0, variable.name_size));
    for (const ShellRedirection& redirection : command.redirections) {
      if (!redirection.is_file) continue;
      if (!redirection.target.is_known) refuse(CommandRefusal::syntax);
      if (is_device(redirection.target.text)) refuse(CommandRefusal::blocked);
    }
    if (!command.words.empty()) judge_command_words(command.words);
  }

  void judge_variable(std::string_view name) {
    const bool is_listed = std::ranges::find(rules_.environment, name) != rules_.environment.end();
    if (!is_listed) refuse(CommandRefusal::environment);
  }

  /// Judges a program and its words. Everything is examined, so that the worst refusal is reported.
  void judge_command_words(Words words) {
    if (!words.front().is_known) return refuse(CommandRefusal::program);
    if (depth_ == limits::shell_depth_max) return refuse(CommandRefusal::malformed);
    if (is_blocked(words)) refuse(CommandRefusal::blocked);
    const std::string_view program = words.front().text;
    const std::string_view name = program_name(program);
    if (changes_account(name) && !rules_.allow_sudo) refuse(CommandRefusal::account);
    if (!is_sudo(program) && !std::ranges::binary_search(rules_.programs, program)) {
      refuse(CommandRefusal::program);
    }
    if (evaluates_words(words)) refuse(CommandRefusal::program);
    ++depth_;
    const Words own = name == "find" ? judge_executed(words) : judge_inner(words);
    --depth_;
    judge_arguments(program, own.subspan(1));
  }

  /// Judges the commands that `find` runs. Returns its words, which are all its own.
  Words judge_executed(Words words) {
    if (has_open_execution(words)) refuse(CommandRefusal::malformed);
    // `{-exec,id}` would not be recognised as an action.
    if (!std::ranges::all_of(words, &ShellWord::is_known)) refuse(CommandRefusal::program);
    Words rest = words;
    for (Words run = next_executed(rest); !run.empty(); run = next_executed(rest)) {
      judge_with_more(run);
      rest = words.subspan(static_cast<std::size_t>(run.data() - words.data()) + run.size());
    }
    return words;
  }

  /// Judges the command that a program runs. Returns the program's own words.
  Words judge_inner(Words words) {
    using Kind = InnerCommand::Kind;
    const InnerCommand inner = inner_command(words);
    for (const ShellWord& variable : words.subspan(inner.variables, inner.begin - inner.variables))
      judge_variable(variable.text.substr(0, variable.text.find('=')));
    switch (inner.kind) {
      case Kind::none:
        return words;
      case Kind::words:
        judge_command_words(words.subspan(inner.begin));
        break;
      case Kind::words_and_more:
        judge_with_more(words.subspan(inner.begin));
        break;
      case Kind::text:
        judge_text(words[inner.begin]);
        break;
      case Kind::texts:
        judge_texts(words.subspan(inner.begin));
        break;
      case Kind::unknown:
        refuse(changes_account(program_name(words.front().text)) ? CommandRefusal::account
                                                                 : CommandRefusal::program);
        return words;
    }
    return words.first(inner.begin);
  }

  /// Judges a command with additional unknown words.
  void judge_with_more(Words words) { judge_command_words(with_unknown_words(words, memory_)); }

  void judge_text(const ShellWord& word) {
    if (!word.is_known) return refuse(CommandRefusal::program);
    read_line(word.text);
  }

  void judge_texts(Words words) {
    std::pmr::string joined(&memory_);
    for (const ShellWord& word : words) {
      if (!word.is_known) return refuse(CommandRefusal::program);
      if (!joined.empty()) joined += ' ';
      joined += word.text;
    }
    // Its words refer to the text until the value is judged.
    char* text = static_cast<char*>(memory_.allocate(joined.size() + 1, 1));
    std::ranges::copy(joined, text);
    read_line({text, joined.size()});
  }

  void judge_arguments(std::string_view program, Words arguments) {
    const auto found = rules_.arguments.find(program);
    for (const ShellWord& argument : arguments) {
      if (found != rules_.arguments.end()) {
        judge_argument(argument, found->second);
      } else if (!rules_.arguments_of.empty() && !is_identifier(argument.text)) {
        refuse(CommandRefusal::argument);
      }
    }
  }

  void judge_argument(const ShellWord& argument, const std::vector<ArgumentPattern>& patterns) {
    if (!argument.is_known) return refuse(CommandRefusal::argument);
    const bool is_option = argument.text.starts_with('-');
    for (const ArgumentPattern& pattern : patterns) {
      if (is_option && !pattern.takes_options) continue;
      if (!steps_.take(match_steps(pattern.pattern, argument.text.size()))) {
        return refuse(CommandRefusal::costly);
      }
      if (is_match(pattern.pattern, argument.text)) return;
    }
    refuse(CommandRefusal::argument);
  }

  const CommandRules& rules_;
  StepBudget& steps_;
  std::size_t depth_ = 0;
  std::optional<CommandRefusal> worst_ = {};
  /// Enough for ordinary commands without heap memory.
  std::array<std::byte, 8192> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
};

}  // namespace

CommandRules compile_command_rules(const CommandForm& form) {
  CommandRules rules{.programs = form.programs,
                     .environment = form.environment,
                     .syntax = {.pipes = form.allow_pipes,
                                .sequences = form.allow_sequences,
                                .redirections = form.allow_redirections,
                                .substitution = form.allow_substitution,
                                .variables = form.allow_variables,
                                .globs = form.allow_globs},
                     .allow_sudo = form.allow_sudo,
                     .arguments_of = form.arguments_of};
  std::ranges::sort(rules.programs);
  for (const auto& [program, patterns] : form.arguments) {
    std::vector<ArgumentPattern>& compiled = rules.arguments[program];
    for (const std::string& pattern : patterns) {
      auto ready = compile_re2_pattern(pattern, limits::schema_pattern_bytes_max);
      if (!ready.has_value()) continue;
      compiled.push_back({.pattern = std::move(*ready), .takes_options = pattern.starts_with('-')});
    }
  }
  return rules;
}

std::optional<CommandRefusal> judge_command(std::string_view text, const CommandRules& rules,
                                            StepBudget& steps) {
  CommandJudge judge(rules, steps);
  if (rules.arguments_of.empty()) return judge.judge_line(text);
  return judge.judge_words(std::span(&text, 1));
}

std::optional<CommandRefusal> judge_command(std::span<const std::string_view> words,
                                            const CommandRules& rules, StepBudget& steps) {
  if (words.size() > limits::command_words_max) return CommandRefusal::malformed;
  return CommandJudge(rules, steps).judge_words(words);
}

std::string_view text(CommandRefusal refusal) {
  constexpr auto kCodes = std::to_array<std::string_view>(
      {"command_costly", "command_argument", "command_program", "command_environment",
       "command_syntax", "command_account", "command_malformed", "command_blocked"});
  return kCodes[static_cast<std::size_t>(refusal)];
}

}  // namespace bartizan
