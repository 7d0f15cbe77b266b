#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// An option as written: `--record`, `-n`.
struct OptionName {
  std::string name;
  enum class Value : std::uint8_t { none, one } value = Value::none;
};

/// A command with its options and subcommands.
struct CommandNames {
  std::string name;
  std::vector<OptionName> options = {};
  std::vector<CommandNames> commands = {};
};

/// The command line with `--` inserted before a server's program, if it is missing. `wrap npx -y
/// NAME` becomes `wrap -- npx -y NAME`, so that the program's options are not parsed as the
/// command's. Unchanged if there is a `--`, or the command starts no program.
/// Input: as `find_mistake`.
std::vector<std::string> divide_program(std::vector<std::string> arguments,
                                        const CommandNames& program);

/// A mistake that the parser library would report misleadingly. It may be an unknown command or
/// option, for which the library blames the next word, or a server's program without `--` before
/// it. Nothing if the library's own message is right.
///
/// Input: `arguments` without the program's name, which `program` has.
std::optional<std::string> find_mistake(const std::vector<std::string>& arguments,
                                        const CommandNames& program);

}  // namespace bartizan
