#include "gateway/setup/write_plan.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "gateway/review/secret_heuristics.h"
#include "policy/learn/toml_text.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The bridge from clients that only start programs to a gateway at a URL.
constexpr std::string_view kBridge = "mcp-remote@0.15.1";

/// `{ "NAME" = VALUE, … }` from pairs that are already quoted.
std::string inline_table(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out = "{ ";
  for (const auto& [name, value] : pairs) {
    if (out.size() > 2) out += ", ";
    out += toml_string(name) + " = " + toml_string(value);
  }
  return out + " }";
}

void append_program(std::string& out, const PlannedServer& server) {
  out += "command = " + toml_array(server.entry.command) + "\n";
  if (!server.entry.cwd.empty()) out += "cwd = " + toml_string(server.entry.cwd) + "\n";
  if (!server.entry.env.empty()) {
    out += "env = " + inline_table({server.entry.env.begin(), server.entry.env.end()}) + "\n";
  }
  if (!server.env_allow.empty()) out += "env_allow = " + toml_array(server.env_allow) + "\n";
  if (server.secrets.empty()) return;
  std::vector<std::pair<std::string, std::string>> references;
  references.reserve(server.secrets.size());
  for (const MovedSecret& secret : server.secrets)
    references.emplace_back(secret.variable, "file:" + secret.file);
  out += "env_secret = " + inline_table(references) + "\n";
}

void append_url(std::string& out, const PlannedServer& server) {
  out += "url = " + toml_string(server.entry.url) + "\n";
  if (server.entry.is_sse) out += "transport = \"sse\"\n";
  std::vector<std::pair<std::string, std::string>> headers{server.entry.headers.begin(),
                                                           server.entry.headers.end()};
  for (const MovedSecret& secret : server.secrets) {
    const std::string reference = "file:" + secret.file;
    if (secret.variable.empty()) {
      out += "credentials = { bearer = " + toml_string(reference) + " }\n";
    } else {
      headers.emplace_back(secret.variable, reference);
    }
  }
  if (!headers.empty()) out += "headers = " + inline_table(headers) + "\n";
}

void append_server(std::string& out, const PlannedServer& server) {
  const std::string& name = server.name;
  out += "\n[server." + name + "]\n";
  server.entry.url.empty() ? append_program(out, server) : append_url(out, server);
  out += "client_features = [\"logging\", \"instructions\"]\n";
  out += "\n[rule.use-" + name + "]\neffect = \"permit\"\nroles = [\"desktop\"]\n";
  out += "# Narrow this to what is needed, such as [\"" + name + "/read_*\"].\n";
  out += "tools = [\"" + name + "/*\"]\n";
}

/// Rules for all servers.
void append_shared_rules(std::string& out, const InitPlan& plan) {
  std::vector<std::string> resources;
  std::vector<std::string> prompts;
  for (const PlannedServer& server : plan.servers) {
    resources.push_back(server.name + ":**");
    prompts.push_back(server.name + "/*");
  }
  const std::string head = "effect = \"permit\"\nroles = [\"desktop\"]\n";
  out += "\n[rule.read-resources]\n" + head + "resources = " + toml_array(resources) + "\n";
  out += "\n[rule.use-prompts]\n" + head + "prompts = " + toml_array(prompts) + "\n";
  out += "\n[rule.set-log-levels]\n" + head + "methods = [\"logging/setLevel\"]\n";
}

/// One JSON object, indented as is usual in these files.
class Entry {
 public:
  void add(std::string_view name, std::string_view value_json) {
    if (!members_.empty()) members_ += ",";
    members_ += "\n      ";
    append_json_string(members_, name);
    members_ += ": ";
    members_ += value_json;
  }
  std::string text() const { return "{" + members_ + "\n    }"; }

 private:
  std::string members_;
};

std::string json_map(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out = "{ ";
  for (const auto& [name, value] : pairs) {
    if (out.size() > 2) out += ", ";
    out += json_string(name) + ": " + json_string(value);
  }
  return out + " }";
}

std::vector<std::string> wrap_arguments(const PlannedServer& server) {
  std::vector<std::string> arguments{"wrap", "--name", server.name};
  const auto add = [&arguments](std::string option, std::string value) {
    arguments.push_back(std::move(option));
    arguments.push_back(std::move(value));
  };
  if (!server.entry.cwd.empty()) add("--cwd", server.entry.cwd);
  for (const auto& [name, value] : server.entry.env)
    add("--env", name);
  for (const auto& [name, value] : server.entry.filled_env)
    add("--env", name);
  for (const std::string& name : server.env_allow) {
    if (!server.entry.filled_env.contains(name)) add("--env", name);
  }
  for (const MovedSecret& secret : server.secrets)
    add("--secret", secret.variable + "=file:" + secret.file);
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), server.entry.command.begin(), server.entry.command.end());
  return arguments;
}

bool has_secret_argument(const PlannedServer& server) {
  const std::vector<std::string>& command = server.entry.command;
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (is_secret_argument(command[i - 1], command[i])) return true;
  }
  return false;
}

/// Whether an entry can be printed completely: a URL has no program, and secrets are never printed.
bool is_wrapped(const PlannedServer& server) {
  return server.entry.url.empty() && !has_secret_argument(server);
}

std::string servers_object(const InitPlan& plan,
                           const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "{\n  " + json_string(plan.member) + ": {";
  for (const auto& [name, json] : entries) {
    if (&name != &entries.front().first) out += ",";
    out += "\n    " + json_string(name) + ": " + json;
  }
  return out + "\n  }\n}\n";
}

}  // namespace

std::string write_gateway_config(const InitPlan& plan) {
  std::string out =
      "# Written by `bartizan init`. `bartizan check FILE` says all that is wrong\n"
      "# or doubtful here; without a rule that permits it, nothing passes.\n"
      "version = 1\n";
  const std::string principal = toml_string(plan.principal);
  out += "\n[auth.api_key." + toml_string(plan.key_name) +
         "]   # of the client's entry\nprincipal = " + principal +
         "\nsha256 = " + toml_string(plan.key_sha256) + "\n";
  out += "\n[auth.stdio]   # for `bartizan run --stdio`\nprincipal = " + principal + "\n";
  out += "\n[principal." + principal + "]\nroles = [\"desktop\"]\n";
  out += "\n[role.desktop]\ntrust = \"system\"   # refusals tell everything\n";
  for (const PlannedServer& server : plan.servers)
    append_server(out, server);
  if (!plan.servers.empty()) append_shared_rules(out, plan);
  out += "\n[audit]\nfile = " + toml_string(plan.record) + "\n";
  return out;
}

std::string write_wrap_entries(const InitPlan& plan, const std::string& program) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const PlannedServer& server : plan.servers) {
    if (!is_wrapped(server)) continue;
    Entry entry;
    entry.add("command", json_string(program));
    entry.add("args", toml_array(wrap_arguments(server)));
    std::vector<std::pair<std::string, std::string>> env{server.entry.env.begin(),
                                                         server.entry.env.end()};
    env.insert(env.end(), server.entry.filled_env.begin(), server.entry.filled_env.end());
    if (!env.empty()) entry.add("env", json_map(env));
    entries.emplace_back(server.entry.name, entry.text());
  }
  return servers_object(plan, entries);
}

bool has_wrap_entries(const InitPlan& plan) {
  return std::ranges::any_of(plan.servers, is_wrapped);
}

std::vector<ClientNote> note_unprinted_entries(const InitPlan& plan, const std::string& program) {
  std::vector<ClientNote> notes;
  for (const PlannedServer& server : plan.servers) {
    if (!has_secret_argument(server)) continue;
    std::vector<std::string> front = wrap_arguments(server);
    front.resize(front.size() - server.entry.command.size() + 1);
    const std::string in_front = toml_array(front);
    notes.push_back({server.entry.pointer,
                     "is not among the wrapped programs, since secrets are not printed; to wrap "
                     "it, write \"command\": " +
                         toml_string(program) + " in its entry, and in front of its args " +
                         in_front.substr(1, in_front.size() - 2)});
  }
  return notes;
}

std::string write_stdio_entry(const InitPlan& plan, const std::string& program,
                              const std::string& config) {
  Entry entry;
  entry.add("command", json_string(program));
  entry.add("args", toml_array({"run", "--stdio", config}));
  if (!plan.filled_env.empty()) {
    entry.add("env", json_map({plan.filled_env.begin(), plan.filled_env.end()}));
  }
  return servers_object(plan, {{"bartizan", entry.text()}});
}

std::string write_gateway_entry(const InitPlan& plan, const std::string& url,
                                const std::string& key) {
  Entry entry;
  entry.add("command", json_string("npx"));
  // Arguments without spaces, because some clients split at them. No secrets, because other
  // processes can read command lines.
  entry.add("args", toml_array({"-y", std::string(kBridge), url, "--allow-http", "--transport",
                                "http-only", "--header", "Authorization:${BARTIZAN_KEY}"}));
  entry.add("env", json_map({{"BARTIZAN_KEY", "Bearer " + key}}));
  return servers_object(plan, {{"bartizan", entry.text()}});
}

}  // namespace bartizan
