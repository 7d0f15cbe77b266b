#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/shell/check_command.h"
#include "schemas/base/limits.h"

/// Words are no longer than their text and hold nothing that is no text; what passes a list of
/// programs has only these, and no syntax that is not declared.

namespace {

using namespace bartizan;

std::size_t size_of(const ShellCommand& command) {
  std::size_t size = 0;
  for (const ShellWord& word : command.assignments)
    size += word.text.size();
  for (const ShellWord& word : command.words)
    size += word.text.size();
  return size;
}

void check_line(std::string_view input, const ShellLine& line) {
  std::size_t size = 0;
  for (const ShellCommand& command : line.commands) {
    size += size_of(command);
    require(!command.words.empty() || !command.assignments.empty() ||
            !command.redirections.empty());
  }
  // Backquotes are read from a text of their own, within that of others.
  require(size <= limits::shell_depth_max * input.size());
}

CommandRules rules_for(bool is_open) {
  return compile_command_rules({.programs = {"ls", "git", "sh", "env"},
                                .arguments = {{"git", {"log", "-n", R"(\d+)"}}},
                                .environment = {"LANG"},
                                .allow_pipes = is_open,
                                .allow_sequences = is_open,
                                .allow_redirections = is_open,
                                .allow_substitution = is_open,
                                .allow_variables = is_open,
                                .allow_globs = is_open});
}

bool passes(std::string_view text, const CommandRules& rules) {
  StepBudget steps{limits::schema_steps_max};
  return !judge_command(text, rules, steps);
}

/// Nothing that a plain reader could take for more than one command, outside of quotes.
void check_plain(std::string_view input) {
  const bool has_quotes = input.find_first_of("'\"\\") != std::string_view::npos;
  require(has_quotes || input.find_first_of("|&;<>()`*?[") == std::string_view::npos);
}

/// What passes passes no more with a program that is not of the list.
void check_joined(const std::string& input, const CommandRules& open) {
  if (input.size() > limits::command_bytes_max / 2 || input.ends_with('\\')) return;
  require(!passes(input + "\ncat x", open));
  require(!passes("cat x;" + input, open));
  require(!passes(input + "\nrm -rf /", open));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const CommandRules plain = rules_for(false);
  static const CommandRules open = rules_for(true);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::pmr::monotonic_buffer_resource memory;
  const auto line = read_shell_line(input, memory);
  if (line) check_line(input, *line);
  const bool is_plain = passes(input, plain);
  if (is_plain) check_plain(input);
  const bool is_open = passes(input, open);
  require(!is_plain || is_open);
  if (is_open) check_joined(std::string(input), open);
  return 0;
}
