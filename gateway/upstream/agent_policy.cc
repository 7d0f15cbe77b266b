#include "gateway/upstream/agent_policy.h"

#include <algorithm>
#include <memory_resource>
#include <utility>

#include "policy/shell/shell_line.h"

namespace bartizan {
namespace {

using Words = std::vector<std::string>;

/// The words of a command without `sudo`, and without the folders in front of its program.
Words plain_words(Words words) {
  const auto cut = [](std::string& program) {
    const std::size_t slash = program.rfind('/');
    if (slash != program.npos) program.erase(0, slash + 1);
  };
  if (words.empty()) return words;
  cut(words.front());
  if (words.size() > 1 && words.front() == "sudo") {
    words.erase(words.begin());
    cut(words.front());
  }
  return words;
}

bool begins_with(const Words& command, const Words& blocked) {
  return !blocked.empty() && command.size() >= blocked.size() &&
         std::equal(blocked.begin(), blocked.end(), command.begin());
}

/// A text, or the words of an array, as what would be run. Empty where it cannot be read.
std::vector<Words> read_command(JsonValue command) {
  if (!command.is(JsonType::array)) return read_commands(command.text());
  Words words;
  for (const JsonValue word : command) {
    if (!word.is(JsonType::string)) return {};
    words.emplace_back(word.text());
  }
  return {plain_words(std::move(words))};
}

/// Whether the agent's policy blocks what `arguments` would run.
bool is_blocked(const AgentIdentity& identity, JsonValue arguments) {
  const JsonValue command = arguments.find("command");
  if (!command) return false;
  const std::vector<Words> commands = read_command(command);
  if (commands.empty()) return true;
  return std::ranges::any_of(identity.blocked_commands, [&](const AgentIdentity::Blocked& entry) {
    if (entry.commands.empty()) return command.text().contains(entry.text);
    return std::ranges::any_of(entry.commands, [&commands](const Words& blocked) {
      return std::ranges::any_of(
          commands, [&blocked](const Words& words) { return begins_with(words, blocked); });
    });
  });
}

}  // namespace

std::vector<std::vector<std::string>> read_commands(std::string_view line) {
  std::pmr::monotonic_buffer_resource memory;
  const auto read = read_shell_line(line, memory);
  std::vector<Words> commands;
  if (!read.has_value()) return commands;
  for (const ShellCommand& command : read->commands) {
    Words words;
    for (const ShellWord& word : command.words)
      words.emplace_back(word.text);
    commands.push_back(plain_words(std::move(words)));
  }
  return commands;
}

AgentTool split_tool(const AgentConfig& agent, std::string_view name) {
  for (const std::string& server : agent.mcp_servers) {
    const bool is_of_server =
        name.size() > server.size() && name.starts_with(server) && name[server.size()] == '.';
    if (!is_of_server) continue;
    return {.server = name.substr(0, server.size()), .tool = name.substr(server.size() + 1)};
  }
  return {.server = {}, .tool = name};
}

AgentObjection find_objection(const AgentIdentity& identity, const PolicedCall& call) {
  const auto is_this = [&call](const std::string& tool) {
    return tool == call.tool || tool == call.own_tool;
  };
  const bool needs_approval = identity.asks_people && !call.is_approved &&
                              std::ranges::any_of(identity.requires_approval_for, is_this);
  if (needs_approval) return AgentObjection::approval;
  const bool is_refused =
      !identity.blocked_commands.empty() && is_blocked(identity, call.arguments);
  return is_refused ? AgentObjection::command : AgentObjection::none;
}

}  // namespace bartizan
