#include "gateway/setup/edit_client_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "gateway/process/package_runner_env.h"
#include "gateway/setup/wrap_config.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// A part of the file, and its replacement.
struct Replacement {
  ByteRange range;
  std::string text;
};

std::string replace_all(std::string_view text, std::vector<Replacement> replacements) {
  std::ranges::sort(replacements, {}, [](const Replacement& one) { return one.range.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Replacement& one : replacements) {
    out += text.substr(at, one.range.begin - at);
    out += one.text;
    at = one.range.end;
  }
  return out += text.substr(at);
}

/// `["wrap", "--name", …]`, with a space after each comma, as is usual in these files.
std::string json_array(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += json_string(text);
  }
  return out + "]";
}

/// Why an entry stays unchanged; nothing if it can be wrapped.
std::optional<std::string> find_obstacle(JsonValue entry) {
  if (!entry.is(JsonType::object)) return "it is not an object";
  if (is_wrapped_entry(entry)) return "it is wrapped already";
  if (entry.find("url") || entry.find("serverUrl")) {
    return "it has a URL and no program: `bartizan init FILE` shows how to put a gateway before it";
  }
  const JsonValue type = entry.find("type");
  if (type && type.text() != "stdio") return "its type is not \"stdio\"";
  if (entry.find("envFile")) {
    return "the variables of its envFile are not known here: wrap it by hand, with --env NAME for "
           "each";
  }
  const JsonValue command = entry.find("command");
  if (!command.is(JsonType::string) || command.text().empty()) {
    return "\"command\" is not the name of a program";
  }
  if (command.text() == "bartizan" || command.text().ends_with("/bartizan")) {
    return "it starts bartizan already";
  }
  const JsonValue args = entry.find("args");
  if (args && !args.is(JsonType::array)) return "\"args\" is not an array of texts";
  for (const JsonValue argument : args) {
    if (!argument.is(JsonType::string)) return "\"args\" is not an array of texts";
  }
  const JsonValue env = entry.find("env");
  if (env && !env.is(JsonType::object)) return "\"env\" is not an object";
  for (const JsonValue variable : env) {
    if (variable.key().empty() || variable.key().contains('=')) {
      return "\"env\" has a name that no variable can have";
    }
  }
  return std::nullopt;
}

/// The arguments by which `bartizan` starts an entry's program.
std::vector<std::string> wrapped_arguments(JsonValue entry, std::string name,
                                           const std::vector<std::string>& variables,
                                           std::string& passed_on) {
  std::vector<std::string> arguments{"wrap", "--name", std::move(name)};
  ServerConfig server{.command = {std::string(entry.find("command").text())}};
  for (const JsonValue variable : entry.find("env")) {
    server.env.emplace(variable.key(), "");
    arguments.insert(arguments.end(), {"--env", std::string(variable.key())});
  }
  for (const std::string& needed : withheld_variables(server, variables)) {
    arguments.insert(arguments.end(), {"--env", needed});
    passed_on += (passed_on.empty() ? "" : ", ") + needed;
  }
  arguments.push_back(server.command.front());
  for (const JsonValue argument : entry.find("args"))
    arguments.emplace_back(argument.text());
  return arguments;
}

/// `command` and `args` of an entry as a backup spells them. `args` may be absent.
struct Original {
  std::string command, args;
};

std::optional<Original> find_original(std::span<const std::string> backups, std::string_view table,
                                      std::string_view server) {
  for (const std::string& backup : backups) {
    ReadClientTables file;
    if (!file.read(backup).has_value()) continue;
    const auto found = std::ranges::find(file.tables, table, &ClientTable::pointer);
    if (found == file.tables.end()) continue;
    const JsonValue entry = found->servers.find(server);
    if (!entry.find("command").is(JsonType::string) || is_wrapped_entry(entry)) continue;
    const JsonValue args = entry.find("args");
    // Spelled as in the file, with its comments.
    const auto spelled = [&backup](JsonValue value) {
      return backup.substr(value.range().begin, value.range().end - value.range().begin);
    };
    return Original{.command = spelled(entry.find("command")), .args = args ? spelled(args) : "[]"};
  }
  return std::nullopt;
}

}  // namespace

Result<ClientEdit> wrap_entries(std::string_view text, std::string_view program,
                                const std::vector<std::string>& variables) {
  ReadClientTables file;
  const Result<void> read = file.read(text);
  if (!read.has_value()) return std::unexpected(read.error());
  ClientEdit edit;
  std::vector<Replacement> replacements;
  std::set<std::string> taken;
  for (const ClientTable& table : file.tables) {
    for (const JsonValue entry : table.servers) {
      std::string pointer = pointer_below(table.pointer, entry.key());
      if (auto obstacle = find_obstacle(entry)) {
        edit.unchanged.push_back({std::move(pointer), *std::move(obstacle)});
        continue;
      }
      std::string passed_on;
      const std::string arguments = json_array(
          wrapped_arguments(entry, distinct_server_name(entry.key(), taken), variables, passed_on));
      if (!passed_on.empty()) {
        edit.passed_on.push_back(
            {pointer, "fetches packages; these variables are passed to it if they are set: " +
                          std::move(passed_on)});
      }
      const ByteRange command = entry.find("command").range();
      const JsonValue args = entry.find("args");
      std::string first = json_string(program);
      if (args) {
        replacements.push_back({args.range(), arguments});
      } else {
        first += R"(, "args": )" + arguments;
      }
      replacements.push_back({command, std::move(first)});
      edit.changed.push_back(std::move(pointer));
    }
  }
  edit.text = replace_all(text, std::move(replacements));
  return edit;
}

Result<ClientEdit> unwrap_entries(std::string_view text, std::span<const std::string> backups) {
  ReadClientTables file;
  const Result<void> read = file.read(text);
  if (!read.has_value()) return std::unexpected(read.error());
  ClientEdit edit;
  std::vector<Replacement> replacements;
  for (const ClientTable& table : file.tables) {
    for (const JsonValue entry : table.servers) {
      if (!is_wrapped_entry(entry)) continue;
      std::string pointer = pointer_below(table.pointer, entry.key());
      const auto original = find_original(backups, table.pointer, entry.key());
      if (!original.has_value()) {
        edit.unchanged.push_back(
            {std::move(pointer),
             "no backup has it without bartizan; take wrap and its options out of args by hand"});
        continue;
      }
      replacements.push_back({entry.find("command").range(), original->command});
      replacements.push_back({entry.find("args").range(), original->args});
      edit.changed.push_back(std::move(pointer));
    }
  }
  edit.text = replace_all(text, std::move(replacements));
  return edit;
}

}  // namespace bartizan
