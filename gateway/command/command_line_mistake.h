#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// An option as it is written: `--record`, `-n`.
struct OptionName {
  std::string name;
  enum class Value : std::uint8_t { none, one } value = Value::none;
};

/// A command, what it takes, and the commands that it has of its own.
struct CommandNames {
  std::string name;
  std::vector<OptionName> options = {};
  std::vector<CommandNames> commands = {};
};

/// The command line with `--` before a server's program, where it has none: `wrap npx -y NAME` is
/// `wrap -- npx -y NAME`, so that options of the program are not taken for options of the command.
/// Nothing changes where a `--` is there, or where no program is started.
/// Input: as `find_mistake`.
std::vector<std::string> divide_program(std::vector<std::string> arguments,
                                        const CommandNames& program);

/// What is wrong with a command line in a way that the library's own sentence would not tell: a
/// command or an option that does not exist, where the library blames the word behind it, or a
/// server's program that does not stand behind `--`. Nothing where the library may speak.
///
/// Input: `arguments` without the program's name, which `program` has.
std::optional<std::string> find_mistake(const std::vector<std::string>& arguments,
                                        const CommandNames& program);

}  // namespace bartizan
