#include "gateway/command/command_line_mistake.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "config/problems.h"

namespace bartizan {
namespace {

using Arguments = std::span<const std::string>;

template <class Named>
std::vector<std::string_view> names_of(const std::vector<Named>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const Named& one : all)
    names.push_back(one.name);
  return names;
}

/// Suggests `audit verify` for `verify` alone.
std::string find_nested(std::string_view word, const std::vector<CommandNames>& commands) {
  for (const CommandNames& command : commands) {
    if (std::ranges::find(command.commands, word, &CommandNames::name) != command.commands.end()) {
      return fmt::format("did you mean \"{} {}\"?", command.name, word);
    }
  }
  return {};
}

std::string unknown_command(std::string_view before, std::string_view word,
                            const std::vector<CommandNames>& commands) {
  const std::vector<std::string_view> names = names_of(commands);
  std::string hint = find_nested(word, commands);
  if (hint.empty()) hint = hint_near(word, names);
  if (hint.empty()) hint = fmt::format("there are {}", listed(names));
  return fmt::format("there is no command {}; {}", quote(fmt::format("{} {}", before, word)), hint);
}

std::string unknown_option(const std::string& command, std::string_view option,
                           const std::vector<OptionName>& options) {
  std::string hint = hint_near(option, names_of(options));
  if (hint.empty()) hint = fmt::format("{} --help lists them", command);
  return fmt::format("{} has no option {}; {}", quote(command), quote(option), hint);
}

/// The option of a word: `--name`, `--name=value`, `-n`, `-n5`. Null if there is none.
const OptionName* find_option(std::string_view word, const std::vector<OptionName>& options) {
  const bool is_long = word.starts_with("--");
  const std::string_view name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
  const auto found = std::ranges::find(options, name, &OptionName::name);
  return found == options.end() ? nullptr : &*found;
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.starts_with('-');
}

/// Moves `word` past options to the next operand. Returns an error for the first unknown option.
std::optional<std::string> pass_options(Arguments::iterator& word, Arguments::iterator end,
                                        const std::string& name,
                                        const std::vector<OptionName>& options) {
  while (word != end && is_option(*word)) {
    const OptionName* option = find_option(*word, options);
    const std::string_view written = std::string_view(*word).substr(0, word->find('='));
    if (option == nullptr) return unknown_option(name, written, options);
    const bool is_alone = option->value == OptionName::Value::none || *word != option->name;
    ++word;
    if (!is_alone && word != end) ++word;
  }
  return std::nullopt;
}

/// Whether the operands of the command are a server's program and its arguments.
bool takes_program(Arguments arguments, const CommandNames& command) {
  const auto divider = std::ranges::find(arguments, "--");
  const auto options = std::ranges::subrange(arguments.begin(), divider);
  return command.name == "wrap" ||
         (command.name == "scan" && std::ranges::find(options, "--run") != options.end());
}

std::optional<std::string> find_program_mistake(Arguments arguments, const std::string& before,
                                                const CommandNames& command) {
  const auto divider = std::ranges::find(arguments, "--");
  auto word = arguments.begin();
  auto mistake = pass_options(word, divider, before, command.options);
  if (mistake.has_value() || word == divider) return mistake;
  if (divider != arguments.end()) {
    return fmt::format(
        "{} is before --; an option takes one value, and is repeated for more: --env A --env B",
        quote(*word));
  }
  return std::nullopt;
}

/// The command of the words, and the position after its name.
const CommandNames* find_command(Arguments::iterator& word, Arguments::iterator end,
                                 const CommandNames& program) {
  const CommandNames* command = &program;
  while (word != end && !command->commands.empty()) {
    if (pass_options(word, end, program.name, command->options).has_value() || word == end) break;
    const auto nested = std::ranges::find(command->commands, *word, &CommandNames::name);
    if (nested == command->commands.end()) break;
    command = &*nested;
    ++word;
  }
  return command;
}

std::optional<std::string> find_unknown_option(Arguments arguments, const std::string& name,
                                               const std::vector<OptionName>& options) {
  const auto end = std::ranges::find(arguments, "--");
  for (auto word = arguments.begin(); word != end; ++word) {
    auto mistake = pass_options(word, end, name, options);
    if (mistake.has_value() || word == end) return mistake;
  }
  return std::nullopt;
}

/// The mistake in `arguments` of the command `before` (`bartizan audit`).
std::optional<std::string> find_below(Arguments arguments, const std::string& before,
                                      const CommandNames& command) {
  if (takes_program(arguments, command)) return find_program_mistake(arguments, before, command);
  if (command.commands.empty()) return find_unknown_option(arguments, before, command.options);
  auto word = arguments.begin();
  auto mistake = pass_options(word, arguments.end(), before, command.options);
  if (mistake.has_value() || word == arguments.end()) return mistake;
  const auto nested = std::ranges::find(command.commands, *word, &CommandNames::name);
  if (nested == command.commands.end()) return unknown_command(before, *word, command.commands);
  return find_below({word + 1, arguments.end()}, before + " " + nested->name, *nested);
}

}  // namespace

std::vector<std::string> divide_program(std::vector<std::string> arguments,
                                        const CommandNames& program) {
  Arguments all(arguments);
  auto word = all.begin();
  const CommandNames* command = find_command(word, all.end(), program);
  const bool is_divided = std::ranges::find(arguments, "--") != arguments.end();
  if (is_divided || !takes_program({word, all.end()}, *command)) return arguments;
  if (pass_options(word, all.end(), command->name, command->options).has_value()) return arguments;
  if (word != all.end()) arguments.insert(arguments.begin() + (word - all.begin()), "--");
  return arguments;
}

std::optional<std::string> find_mistake(const std::vector<std::string>& arguments,
                                        const CommandNames& program) {
  return find_below(arguments, program.name, program);
}

}  // namespace bartizan
