#include "gateway/setup/init_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "config/server_header.h"
#include "gateway/process/package_runner_env.h"
#include "gateway/review/secret_heuristics.h"
#include "gateway/setup/wrap_config.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The token of `Bearer TOKEN`, or nothing.
std::string_view bearer_token(std::string_view header) {
  constexpr std::string_view scheme = "BEARER ";
  if (!in_capitals(header.substr(0, scheme.size())).starts_with(scheme)) return {};
  return header.substr(scheme.size());
}

void note_name(const PlannedServer& server, std::vector<ClientNote>& notes) {
  if (server.name == server.entry.name) return;
  notes.push_back({server.entry.pointer, "is \"" + server.name +
                                             "\" here: in rules, in records, and in front of its "
                                             "tools' names"});
}

/// A file name from a variable's name, which can have any byte except `=`.
std::string file_name(std::string_view server, std::string_view variable) {
  std::string name(server);
  name += '.';
  for (const char c : variable) {
    const bool is_plain =
        (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-';
    name += is_plain ? c : '-';
  }
  return name;
}

/// Whether a value is a word that people replace, as examples have it: `<YOUR_KEY>`.
bool is_unreplaced(std::string_view value) {
  return value.size() > 2 && value.starts_with('<') && value.ends_with('>');
}

void move_variables(PlannedServer& server, std::string_view folder,
                    std::vector<ClientNote>& notes) {
  auto& env = server.entry.env;
  std::set<std::string> files;
  for (auto it = env.begin(); it != env.end();) {
    const auto& [name, value] = *it;
    const std::string pointer = pointer_below(server.entry.pointer + "/env", name);
    const bool is_open = is_unreplaced(value);
    if (is_open && !may_be_secret(name, value)) {
      notes.push_back({pointer, "is still a word to be replaced: write the value of " + name +
                                    " into env of [server." + server.name + "]"});
    }
    if (value.empty() || !may_be_secret(name, value)) {
      ++it;
      continue;
    }
    std::string file = std::string(folder) + "/" + file_name(server.name, name);
    while (!files.insert(file).second)
      file += '-';
    if (is_open) {
      notes.push_back({pointer, "is still a word to be replaced: write the value of " + name +
                                    " into the file " + file});
    }
    server.secrets.push_back(
        {.file = std::move(file), .value = value, .variable = name, .pointer = pointer});
    it = env.erase(it);
  }
}

/// Whether the configuration cannot have the value verbatim: it is a secret, or looks like a
/// reference to one.
bool belongs_in_a_file(std::string_view name, std::string_view value) {
  return is_secret_header(name, value) || value.starts_with("file:") || value.starts_with("env:");
}

/// Makes a bearer token the server's credentials. Moves secrets of other headers to files.
void move_headers(PlannedServer& server, std::string_view folder, std::vector<ClientNote>& notes) {
  for (auto& [name, value] : std::exchange(server.entry.headers, {})) {
    std::string pointer = pointer_below(server.entry.pointer + "/headers", name);
    const std::string_view token = bearer_token(value);
    const bool is_bearer = in_capitals(name) == "AUTHORIZATION" && !token.empty();
    const std::string_view fault = find_header_fault(name);
    if (!fault.empty()) {
      notes.push_back({std::move(pointer), std::string(fault) + ": left out"});
    } else if (!is_header_value(value)) {
      notes.push_back({std::move(pointer), "is not a value that a header can have: left out"});
    } else if (is_bearer || belongs_in_a_file(name, value)) {
      server.secrets.push_back(
          {.file = std::string(folder) + "/" + file_name(server.name, is_bearer ? "bearer" : name),
           .value = std::string(is_bearer ? token : value),
           .variable = is_bearer ? std::string() : name,
           .pointer = std::move(pointer)});
    } else {
      server.entry.headers.emplace(name, value);
    }
  }
}

void note_arguments(const PlannedServer& server, std::vector<ClientNote>& notes) {
  for (std::size_t i = 1; i < server.entry.command.size(); ++i) {
    if (!is_secret_argument(server.entry.command[i - 1], server.entry.command[i])) continue;
    notes.push_back({server.entry.pointer + "/args/" + std::to_string(i - 1),
                     "looks like a secret, and every process can read command lines: give it to "
                     "the server in a variable, if it takes one; in place of mcp-remote write url "
                     "and credentials"});
  }
}

void note_url(const PlannedServer& server, std::vector<ClientNote>& notes) {
  if (server.entry.url.empty()) return;
  const std::string parameter = find_secret_parameter(server.entry.url);
  if (!parameter.empty()) {
    notes.push_back(
        {server.entry.pointer + "/url",
         "\"" + parameter +
             "\" looks like a secret and stays in the configuration: "
             "write credentials = { bearer = \"file:PATH\" }, if the server takes it so"});
  }
  notes.push_back({server.entry.pointer,
                   "a URL has no program to wrap: keep its entry, or use one of the others"});
}

/// Passes on, and notes, the variables of this environment that programs such as npx need.
void allow_variables(PlannedServer& server, const std::vector<std::string>& variables,
                     std::vector<ClientNote>& notes) {
  server.env_allow =
      withheld_variables({.command = server.entry.command, .env = server.entry.env}, variables);
  for (const MovedSecret& secret : server.secrets)
    std::erase(server.env_allow, secret.variable);
  for (const auto& [name, value] : server.entry.filled_env)
    std::erase(server.env_allow, name);
  if (server.env_allow.empty()) return;
  std::string names;
  for (const std::string& name : server.env_allow)
    names += (names.empty() ? "" : ", ") + name;
  notes.push_back({server.entry.pointer + "/command",
                   "fetches packages, so it is given " + names +
                       ": the client, too, has to have it in its environment"});
}

/// What the client fills in reaches the server by the environment of the gateway, which one entry
/// of the client gives it. Two servers cannot have different values of one name there.
void pass_filled_variables(PlannedServer& server, InitPlan& plan) {
  for (const auto& [name, value] : server.entry.filled_env) {
    const std::string pointer = pointer_below(server.entry.pointer + "/env", name);
    const auto [filled, is_new] = plan.filled_env.try_emplace(name, value);
    if (!is_new && filled->second != value) {
      plan.notes.push_back(
          {pointer, "holds a placeholder that only the client fills in, and " + name +
                        " of another server holds another one: the entry of wrap keeps it; for "
                        "the others, write the value into env of [server." +
                        server.name + "]"});
      continue;
    }
    if (std::ranges::find(server.env_allow, name) == server.env_allow.end()) {
      server.env_allow.push_back(name);
    }
    plan.notes.push_back({pointer,
                          "holds a placeholder that only the client fills in: the entries "
                          "of wrap and run --stdio keep it; for a gateway that runs by "
                          "itself, set " +
                              name + " in its environment"});
  }
}

}  // namespace

InitPlan plan_init(ClientFile file, std::string_view secrets_folder,
                   const std::vector<std::string>& variables) {
  InitPlan plan{.member = std::move(file.member), .notes = std::move(file.notes)};
  std::set<std::string> taken;
  for (ClientEntry& entry : file.entries) {
    PlannedServer server{.name = distinct_server_name(entry.name, taken),
                         .entry = std::move(entry)};
    note_name(server, plan.notes);
    move_variables(server, secrets_folder, plan.notes);
    move_headers(server, secrets_folder, plan.notes);
    note_arguments(server, plan.notes);
    note_url(server, plan.notes);
    allow_variables(server, variables, plan.notes);
    pass_filled_variables(server, plan);
    plan.servers.push_back(std::move(server));
  }
  return plan;
}

}  // namespace bartizan
