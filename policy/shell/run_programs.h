#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "policy/shell/shell_line.h"

namespace bartizan {

/// What a command runs beside its own program.
struct InnerCommand {
  enum class Kind : std::uint8_t {
    none,
    words,           ///< From `begin` on, as `nice` has it.
    words_and_more,  ///< From `begin` on, and further ones that only it knows: `xargs`.
    text,            ///< The word at `begin`, for a shell.
    texts,           ///< All words from `begin` on, which `eval` joins.
    unknown,         ///< Something, and its words do not say what, or not in a way known here.
  } kind = Kind::none;
  std::size_t begin = 0;
  std::size_t variables = 0;  ///< Where `NAME=value` for it begin; they end at `begin`.
};

/// What programs run that are made to run others: `env`, `nice`, `timeout`, `xargs`, `sh -c`,
/// `sudo` and their like. An option that is not known here could take the next word or not, so that
/// nobody knows where the other command begins. `find` is not among them: `next_executed` is for
/// it.
InnerCommand inner_command(std::span<const ShellWord> words);

/// Whether it is a builtin of bash that runs what stands in a subscript (`printf -v 'x[$(id)]'`),
/// or may become one by what its words expand to.
bool evaluates_words(std::span<const ShellWord> words);

/// Whether a program, as it is written, is `sudo` or `doas` of the system, not `./sudo`.
bool is_sudo(std::string_view program);

/// Whether a program gives what it runs the rights of another account.
bool changes_account(std::string_view program_name);

/// Of `find`, from that word on: the words of the next command behind `-exec` and its like. Empty
/// where there is none more. What they are given is not in them.
std::span<const ShellWord> next_executed(std::span<const ShellWord> words);

/// The words of a command that is given more words, which nobody knows: in the places of `{}`, and
/// at its end. Lifetime: views the words; allocated from `memory`.
std::pmr::vector<ShellWord> with_unknown_words(std::span<const ShellWord> words,
                                               std::pmr::memory_resource& memory);

/// Whether `find` runs something whose end is not seen.
bool has_open_execution(std::span<const ShellWord> words);

}  // namespace bartizan
