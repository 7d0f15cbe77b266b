#pragma once

#include <cstdint>
#include <expected>
#include <memory_resource>
#include <string_view>
#include <vector>

namespace bartizan {

/// A word of a command, as the program gets it.
struct ShellWord {
  /// Without quotes and backslashes. For an unknown word, the text before the first expansion.
  std::string_view text = {};
  bool is_known = true;  ///< It has no expansion: no variable, substitution, glob, brace, tilde.
  bool is_plain = true;  ///< Nothing in it is quoted, so it may be syntax: `{`, `2`.
  /// For `NAME=value` the length of the name, otherwise 0.
  std::uint32_t name_size = 0;
};

/// `2>file`, `<<<word`, `<<END`.
struct ShellRedirection {
  ShellWord target = {};  ///< A file, a stream's number, a text, or a delimiter.
  bool is_file = false;
};

/// A program with its words, variables and redirections.
struct ShellCommand {
  explicit ShellCommand(std::pmr::memory_resource* memory)
      : assignments(memory), words(memory), redirections(memory) {}

  std::pmr::vector<ShellWord> assignments;
  std::pmr::vector<ShellWord> words;
  std::pmr::vector<ShellRedirection> redirections;
};

/// The syntax in a line beyond words and quotes.
struct ShellSyntax {
  bool pipes = false;
  bool sequences = false;  ///< `;`, `&`, `&&`, `||`, a further line, `( … )`, `{ …; }`
  bool redirections = false;
  bool substitution = false;  ///< `$( … )`, backquotes, `<( … )`
  bool variables = false;     ///< `$NAME`, `${…}`, `$((…))`
  bool globs = false;         ///< `*`, `?`, `[`, `{a,b}`, `~`
  bool comments = false;
  /// `$'…'` and `$"…"`, which bash decodes and `dash` does not.
  bool dialect = false;
};

/// All commands of a line, including those in substitutions and groups.
struct ShellLine {
  explicit ShellLine(std::pmr::memory_resource* memory) : commands(memory) {}

  std::pmr::vector<ShellCommand> commands;
  ShellSyntax syntax = {};
};

/// Why a line cannot be parsed.
enum class ShellFault : std::uint8_t {
  too_long,
  too_deep,  ///< Nested substitutions.
  bytes,     ///< NUL, a control character other than tab and line feed, invalid UTF-8.
  unclosed,  ///< A quote, parenthesis or here-document without an end; an operator without an
             ///< operand.
  function,  ///< It defines a function.
  unknown,   ///< Unknown syntax, or syntax that shells read differently.
};

/// Parses the commands that a shell would run. A text is refused if `sh`, `dash` and `bash` would
/// run different commands. Control structures (`if`, `for`, `case`), functions, arrays and
/// arithmetic commands are refused, as they cannot be judged. A backslash before the end of a line
/// joins operators into others (`<<` and `-EOF`), so it is refused outside of `'…'`.
///
/// Memory:   all from `memory`, about twice the text and 100 bytes for each word.
/// Lifetime: the words are in `memory`, which must not be released before.
/// Cost:     linear in the text, times the depth of backquotes.
/// Source:   POSIX.1-2024 XCU §2; the bash manual §3.
std::expected<ShellLine, ShellFault> read_shell_line(std::string_view text,
                                                     std::pmr::memory_resource& memory);

}  // namespace bartizan
