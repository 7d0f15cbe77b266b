#include "policy/shell/run_programs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "policy/shell/blocked_commands.h"

namespace bartizan {
namespace {

using Words = std::span<const ShellWord>;
using Kind = InnerCommand::Kind;

/// A program with operands of its own, followed by a command.
struct Wrapper {
  std::string_view name;
  std::string_view flags = {};         ///< Letters of options without a value.
  std::string_view valued = {};        ///< Letters of options with a value.
  std::string_view names = {};         ///< Long names without a value, between blanks.
  std::string_view valued_names = {};  ///< Long names with a value.
  std::string_view joined_names = {};  ///< Long names with a value only after `=`.
  std::size_t operands = 0;
  bool takes_variables = false;
};

constexpr auto kWrappers = std::to_array<Wrapper>({
    {.name = "builtin"},
    {.name = "busybox"},
    {.name = "command", .flags = "pvV"},
    {.name = "doas", .flags = "n", .valued = "u"},
    {.name = "env",
     .flags = "i0v",
     .valued = "uC",
     .names = " ignore-environment null debug ",
     .valued_names = " unset chdir ",
     .takes_variables = true},
    {.name = "exec", .flags = "cl"},
    {.name = "ionice", .flags = "t", .valued = "cn"},
    {.name = "nice", .flags = "0123456789", .valued = "n", .valued_names = " adjustment "},
    {.name = "nohup"},
    {.name = "setsid", .flags = "cfw"},
    {.name = "stdbuf", .valued = "ioe", .valued_names = " input output error "},
    {.name = "sudo",
     .flags = "nEHkbBP",
     .valued = "ugpCD",
     .names = " non-interactive preserve-env set-home reset-timestamp background bell ",
     .valued_names = " user group prompt close-from chdir ",
     .takes_variables = true},
    {.name = "time", .flags = "pv"},
    {.name = "timeout",
     .flags = "v",
     .valued = "ks",
     .names = " foreground preserve-status verbose ",
     .valued_names = " kill-after signal ",
     .operands = 1},
    {.name = "toybox"},
    {.name = "xargs",
     .flags = "0rtx",
     .valued = "nLPdIsEa",
     .names = " null no-run-if-empty verbose exit ",
     .valued_names = " max-args max-procs delimiter max-chars arg-file ",
     .joined_names = " max-lines replace eof "},
});

/// Programs that run a script from a word after `-c`, or from somewhere else.
constexpr auto kShells = std::to_array<std::string_view>({"ash", "bash", "dash", "rbash", "sh"});

/// Programs that read the same text differently: in another language, or with arithmetic subscripts
/// in every number, which `ksh` and `zsh` run.
constexpr auto kOtherShells =
    std::to_array<std::string_view>({"csh", "fish", "ksh", "mksh", "tcsh", "zsh"});

bool names(std::string_view list, std::string_view name) {
  for (std::size_t at = list.find(name); at != std::string_view::npos;
       at = list.find(name, at + 1)) {
    if (at > 0 && list[at - 1] == ' ' && list.substr(at + name.size()).starts_with(' '))
      return true;
  }
  return false;
}

/// The number of words of `--name`, `--name=value` or `--name value`.
std::optional<std::size_t> size_of_long(const Wrapper& wrapper, std::string_view option) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(2, equals - 2);
  if (name.empty() || name.contains(' ')) return std::nullopt;
  if (names(wrapper.valued_names, name)) return equals == std::string_view::npos ? 2 : 1;
  if (names(wrapper.joined_names, name)) return 1;
  if (names(wrapper.names, name) && equals == std::string_view::npos) return 1;
  return std::nullopt;
}

/// The number of words of a bundle of letters.
std::optional<std::size_t> size_of_short(const Wrapper& wrapper, std::string_view option) {
  for (std::size_t at = 1; at < option.size(); ++at) {
    if (wrapper.flags.contains(option[at])) continue;
    if (!wrapper.valued.contains(option[at])) return std::nullopt;
    return at + 1 == option.size() ? 2 : 1;
  }
  return 1;
}

/// Whether `xargs` replaces something other than `{}`, which would be read as plain words.
bool replaces_other_mark(Words option) {
  const std::string_view text = option.front().text;
  constexpr std::string_view kLong = "--replace=";
  if (text.starts_with("--")) return text.starts_with(kLong) && text != "--replace={}";
  const std::size_t letter = text.find_first_of("nLPdIsEa");
  if (letter == std::string_view::npos || text[letter] != 'I') return false;
  return (option.size() == 2 ? option.back().text : text.substr(letter + 1)) != "{}";
}

/// Whether an option and its value are certain. Words with expansions could become several.
bool is_certain(const Wrapper& wrapper, Words option) {
  return std::ranges::all_of(option, &ShellWord::is_known) &&
         (wrapper.name != "xargs" || !replaces_other_mark(option));
}

/// The place after the options; nothing if one is unknown.
std::optional<std::size_t> end_of_options(const Wrapper& wrapper, Words words) {
  std::size_t at = 1;
  while (at < words.size()) {
    if (!words[at].is_known) return std::nullopt;
    const std::string_view text = words[at].text;
    if (text == "--") return at + 1;
    if (!text.starts_with('-')) return at;
    if (text == "-") {
      if (wrapper.name != "env") return at;
      ++at;
      continue;
    }
    const auto size =
        text.starts_with("--") ? size_of_long(wrapper, text) : size_of_short(wrapper, text);
    if (!size || *size > words.size() - at) return std::nullopt;
    if (!is_certain(wrapper, words.subspan(at, *size))) return std::nullopt;
    at += *size;
  }
  return at;
}

InnerCommand inner_of(const Wrapper& wrapper, Words words) {
  const auto options = end_of_options(wrapper, words);
  const std::size_t end = options.value_or(words.size() + 1);
  if (end > words.size()) return {.kind = Kind::unknown};
  InnerCommand inner{.begin = end, .variables = end};
  const auto is_variable = [](const ShellWord& word) {
    return word.text.find('=', 1) != std::string_view::npos;
  };
  while (wrapper.takes_variables && inner.begin < words.size() && is_variable(words[inner.begin]))
    ++inner.begin;
  if (wrapper.operands > 0) {
    inner.begin += wrapper.operands;
    inner.variables = inner.begin;
  }
  if (inner.begin > words.size()) return {.kind = Kind::unknown};
  // Expansions there could become several words.
  const Words own = words.subspan(end, inner.begin - end);
  if (!std::ranges::all_of(own, &ShellWord::is_known)) return {.kind = Kind::unknown};
  if (inner.begin == words.size()) return inner;
  inner.kind = wrapper.name == "xargs" ? Kind::words_and_more : Kind::words;
  return inner;
}

/// `-c` in any bundle, with its text after all options.
InnerCommand inner_of_shell(Words words) {
  constexpr std::string_view kFlags = "aefhlmnuvxBCEPc";
  constexpr auto kNames =
      std::to_array<std::string_view>({"--login", "--noprofile", "--norc", "--posix"});
  bool has_text = false;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (!words[at].is_known) return {.kind = Kind::unknown};
    if (std::ranges::find(kNames, text) != kNames.end()) continue;
    if (!text.starts_with('-')) break;
    const std::string_view letters = text.substr(1);
    const bool is_known = !letters.empty() &&
                          std::ranges::all_of(letters, [&](char c) { return kFlags.contains(c); });
    if (!is_known) return {.kind = Kind::unknown};
    has_text = has_text || letters.contains('c');
  }
  if (!has_text || at >= words.size()) return {.kind = Kind::unknown};
  return {.kind = Kind::text, .begin = at, .variables = at};
}

bool is_execution(const ShellWord& word) {
  constexpr auto kWords = std::to_array<std::string_view>({"-exec", "-execdir", "-ok", "-okdir"});
  return std::ranges::find(kWords, word.text) != kWords.end();
}

/// `;`, or `+` after `{}`; without an end, the end of all words.
Words::iterator end_of_execution(Words words, Words::iterator at) {
  const auto begin = at;
  for (; at != words.end(); ++at) {
    if (at->text == ";" || (at->text == "+" && at != begin && (at - 1)->text == "{}")) return at;
  }
  return at;
}

}  // namespace

InnerCommand inner_command(Words words) {
  const std::string_view name = program_name(words.front().text);
  if (std::ranges::find(kShells, name) != kShells.end()) return inner_of_shell(words);
  if (std::ranges::find(kOtherShells, name) != kOtherShells.end()) return {.kind = Kind::unknown};
  if (name == "eval") return {.kind = Kind::texts, .begin = 1, .variables = 1};
  if (name == "." || name == "source" || name == "trap") return {.kind = Kind::unknown};
  const auto* const wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
  if (wrapper != kWrappers.end()) return inner_of(*wrapper, words);
  return {.kind = changes_account(name) ? Kind::unknown : Kind::none};
}

bool evaluates_words(Words words) {
  // Numbers and names in their words may have subscripts, or they change what a name runs.
  constexpr auto kNames = std::to_array<std::string_view>(
      {".",      "alias",    "bind",      "compgen", "complete", "declare", "enable",
       "export", "fc",       "getopts",   "hash",    "let",      "local",   "mapfile",
       "read",   "readonly", "readarray", "source",  "typeset",  "unset",   "wait"});
  const std::string_view name = program_name(words.front().text);
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  if (name != "printf" && name != "test" && name != "[") return false;
  return std::ranges::any_of(words.subspan(1), [](const ShellWord& word) {
    return !word.is_known || word.text.starts_with("-v");
  });
}

bool is_sudo(std::string_view program) {
  constexpr auto kPrograms = std::to_array<std::string_view>(
      {"sudo", "doas", "/usr/bin/sudo", "/usr/bin/doas", "/bin/sudo", "/bin/doas"});
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

bool changes_account(std::string_view program_name) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"doas", "pkexec", "run0", "su", "sudo", "sudoedit"});
  return std::ranges::find(kNames, program_name) != kNames.end();
}

Words next_executed(Words words) {
  const auto begin = std::ranges::find_if(words, is_execution);
  if (begin == words.end()) return {};
  return {begin + 1, end_of_execution(words, begin + 1)};
}

std::pmr::vector<ShellWord> with_unknown_words(std::span<const ShellWord> words,
                                               std::pmr::memory_resource& memory) {
  std::pmr::vector<ShellWord> all(words.begin(), words.end(), &memory);
  for (ShellWord& word : all) {
    const std::size_t mark = word.text.find("{}");
    if (mark == std::string_view::npos) continue;
    word = {.text = word.text.substr(0, mark), .is_known = false};
  }
  all.push_back({.is_known = false});
  return all;
}

bool has_open_execution(Words words) {
  auto at = std::ranges::find_if(words, is_execution);
  while (at != words.end()) {
    const auto end = end_of_execution(words, at + 1);
    if (end == words.end() || end == at + 1) return true;
    at = std::find_if(end, words.end(), is_execution);
  }
  return false;
}

}  // namespace bartizan
