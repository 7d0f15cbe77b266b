#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "policy/shell/shell_line.h"

namespace bartizan {

/// A command that another command runs.
struct InnerCommand {
  enum class Kind : std::uint8_t {
    none,
    words,           ///< The words from `begin` on, as for `nice`.
    words_and_more,  ///< The words from `begin` on, and unknown ones: `xargs`.
    text,            ///< The word at `begin`, a text for a shell.
    texts,           ///< All words from `begin` on, which `eval` joins.
    unknown,         ///< It runs something, but its words do not show what.
  } kind = Kind::none;
  std::size_t begin = 0;
  std::size_t variables = 0;  ///< The start of the `NAME=value` words for it; they end at `begin`.
};

/// Returns the command that a program runs: `env`, `nice`, `timeout`, `xargs`, `sh -c`, `sudo` and
/// similar programs. An unknown option may or may not take the next word, so the start of the inner
/// command is then unknown. `find` is handled by `next_executed`.
InnerCommand inner_command(std::span<const ShellWord> words);

/// Whether the program is a bash builtin that evaluates subscripts (`printf -v 'x[$(id)]'`), or
/// whether expansions may make it one.
bool evaluates_words(std::span<const ShellWord> words);

/// Whether a program, as it is spelled, is `sudo` or `doas` of the system. `./sudo` is not.
bool is_sudo(std::string_view program);

/// Whether a program runs another one under another account.
bool changes_account(std::string_view program_name);

/// Returns the words of the next command after `-exec` or a similar action of `find`. Empty if no
/// further one follows. The files that `find` adds are not included.
std::span<const ShellWord> next_executed(std::span<const ShellWord> words);

/// Returns the words of a command that gets unknown words, at each `{}` and at its end.
/// Lifetime: refers to the words; allocated from `memory`.
std::pmr::vector<ShellWord> with_unknown_words(std::span<const ShellWord> words,
                                               std::pmr::memory_resource& memory);

/// Whether an `-exec` of `find` has no end or no command.
bool has_open_execution(std::span<const ShellWord> words);

}  // namespace bartizan
