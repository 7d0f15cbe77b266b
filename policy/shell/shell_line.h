#pragma once

#include <cstdint>
#include <expected>
#include <memory_resource>
#include <string_view>
#include <vector>

namespace bartizan {

/// One word of a command, as the program gets it.
struct ShellWord {
  /// Without its quotes and backslashes; of a word that is not known, what stands in front of the
  /// first expansion.
  std::string_view text = {};
  bool is_known = true;  ///< Nothing expands in it: no variable, substitution, glob, brace, tilde.
  bool is_plain = true;  ///< Nothing is quoted in it, so that it can be more than a word: `{`, `2`.
  /// Of `NAME=value` the bytes of the name, else 0.
  std::uint32_t name_size = 0;
};

/// `2>file`, `<<<word`, `<<END`.
struct ShellRedirection {
  ShellWord target = {};  ///< A file, a stream's number, a text, or what ends a here-document.
  bool is_file = false;
};

/// One program with its words, its variables and its redirections.
struct ShellCommand {
  explicit ShellCommand(std::pmr::memory_resource* memory)
      : assignments(memory), words(memory), redirections(memory) {}

  std::pmr::vector<ShellWord> assignments;
  std::pmr::vector<ShellWord> words;
  std::pmr::vector<ShellRedirection> redirections;
};

/// What a line has beside words and quotes.
struct ShellSyntax {
  bool pipes = false;
  bool sequences = false;  ///< `;`, `&`, `&&`, `||`, another line, `( … )`, `{ …; }`
  bool redirections = false;
  bool substitution = false;  ///< `$( … )`, backquotes, `<( … )`
  bool variables = false;     ///< `$NAME`, `${…}`, `$((…))`
  bool globs = false;         ///< `*`, `?`, `[`, `{a,b}`, `~`
  bool comments = false;
  /// `$'…'` and `$"…"`, which bash takes off and `dash` does not.
  bool dialect = false;
};

/// All commands of a line, those within substitutions and groups too.
struct ShellLine {
  explicit ShellLine(std::pmr::memory_resource* memory) : commands(memory) {}

  std::pmr::vector<ShellCommand> commands;
  ShellSyntax syntax = {};
};

/// Why a line cannot be read.
enum class ShellFault : std::uint8_t {
  too_long,
  too_deep,  ///< Substitutions in substitutions.
  bytes,     ///< NUL, a control character other than tab and line feed, no UTF-8.
  unclosed,  ///< A quote, parenthesis or here-document without its end; an operator without more.
  function,  ///< A function is defined.
  unknown,   ///< What is not understood here, or what shells read in different ways.
};

/// Reads what a shell would run. Where `sh`, `dash` and `bash` take a text for different commands,
/// it is refused, and so is all that decides (`if`, `for`, `case`), functions, arrays and
/// arithmetic commands: what is not understood cannot be judged. A backslash before a line's end
/// joins operators to other ones (`<<` and `-EOF`), so that it is refused outside of `'…'`.
///
/// Memory:   all of it is taken from `memory`, about twice the text and 100 bytes a word.
/// Lifetime: the words live in `memory`, which may take none of it back before.
/// Cost:     linear in the text, times the depth of backquotes.
/// Source:   POSIX.1-2024 XCU §2; the bash manual §3.
std::expected<ShellLine, ShellFault> read_shell_line(std::string_view text,
                                                     std::pmr::memory_resource& memory);

}  // namespace bartizan
