#include "gateway/command_line_mistake.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "config/problems.h"

namespace bartizan {
namespace {

using Arguments = std::span<const std::string>;

/// `verify` alone is meant as `audit verify`.
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
  std::vector<std::string_view> names;
  for (const CommandNames& command : commands)
    names.push_back(command.name);
  std::string hint = find_nested(word, commands);
  if (hint.empty()) hint = hint_near(word, names);
  if (hint.empty()) hint = fmt::format("there are {}", listed(names));
  return fmt::format("there is no command {}; {}", quote(fmt::format("{}{}", before, word)), hint);
}

std::optional<std::string> find_wrap_mistake(Arguments arguments) {
  const auto divider = std::ranges::find(arguments, "--");
  for (auto word = arguments.begin(); word != divider; ++word) {
    if (word->starts_with('-')) {
      // Every option of `wrap` but help takes one value.
      const bool is_alone = word->contains('=') || *word == "--help" || *word == "-h";
      if (!is_alone && word + 1 != divider) ++word;
      continue;
    }
    if (divider != arguments.end()) {
      return fmt::format(
          "{} stands before --; an option takes one value, and is given again for "
          "another: --env A --env B",
          quote(*word));
    }
    const auto option = std::find_if(
        word, divider, [](const std::string& argument) { return argument.starts_with('-'); });
    if (option == divider) return std::nullopt;
    return fmt::format("put -- before the server's program: bartizan wrap [OPTIONS] -- {} {}",
                       *word, *(word + 1));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_mistake(const std::vector<std::string>& arguments,
                                        const std::vector<CommandNames>& commands) {
  if (arguments.empty() || arguments.front().starts_with('-')) return std::nullopt;
  const std::string& word = arguments.front();
  const auto command = std::ranges::find(commands, word, &CommandNames::name);
  if (command == commands.end()) return unknown_command("", word, commands);
  const Arguments rest = Arguments(arguments).subspan(1);
  if (word == "wrap") return find_wrap_mistake(rest);
  if (command->commands.empty() || rest.empty() || rest.front().starts_with('-')) {
    return std::nullopt;
  }
  const bool is_known = std::ranges::find(command->commands, rest.front(), &CommandNames::name) !=
                        command->commands.end();
  if (is_known) return std::nullopt;
  return unknown_command(word + " ", rest.front(), command->commands);
}

}  // namespace bartizan
