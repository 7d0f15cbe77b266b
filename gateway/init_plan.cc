#include "gateway/init_plan.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "gateway/wrap_config.h"
#include "schemas/json_text.h"

namespace bartizan {
namespace {

/// Random text of fewer characters is no secret worth the name.
constexpr std::size_t kRandomMin = 20;

/// Parts of variables' names, in capitals, and how such names end.
constexpr std::array<std::string_view, 10> kSecretNames{
    "TOKEN",      "SECRET", "PASSWORD", "PASSWD",  "PASSPHRASE",
    "CREDENTIAL", "APIKEY", "API_KEY",  "PRIVATE", "CONNECTION_STRING"};
constexpr std::array<std::string_view, 4> kSecretEndings{"_KEY", "_PAT", "_AUTH", "_DSN"};

/// What issued keys begin with.
constexpr std::array<std::string_view, 16> kSecretPrefixes{
    "ghp_",  "gho_", "ghs_", "github_pat_", "glpat-", "sk-",  "xoxb-", "xoxp-",
    "xapp-", "AKIA", "AIza", "eyJ",         "hf_",    "npm_", "btz_",  "-----BEGIN"};

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

/// `scheme://user:password@host`
bool has_url_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = value.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  return at != std::string_view::npos && authority.substr(0, at).contains(':');
}

/// Long, of letters and digits mixed, and no path, name or sentence.
bool looks_random(std::string_view value) {
  // Base64 may end with these; elsewhere they are part of something that is spelled out.
  while (value.ends_with('='))
    value.remove_suffix(1);
  if (value.size() < kRandomMin || value.starts_with('-')) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const bool is_dense = std::ranges::all_of(value, [&](char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '+';
  });
  return is_dense && std::ranges::count_if(value, is_digit) >= 4 &&
         std::ranges::any_of(value, is_letter);
}

/// The token of `Bearer TOKEN`, or nothing.
std::string_view bearer_token(std::string_view header) {
  constexpr std::string_view scheme = "BEARER ";
  if (!in_capitals(header.substr(0, scheme.size())).starts_with(scheme)) return {};
  return header.substr(scheme.size());
}

std::string distinct_name(const std::string& wanted, std::set<std::string>& taken) {
  const std::string base = wanted.empty() ? "server" : wanted;
  std::string name = base;
  for (unsigned number = 2; !taken.insert(name).second; ++number) {
    const std::string ending = "-" + std::to_string(number);
    name = base.substr(0, kServerNameMax - ending.size()) + ending;
  }
  return name;
}

/// A file's name from a variable's, which can hold anything but `=`.
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

void move_variables(PlannedServer& server, std::string_view folder) {
  auto& env = server.entry.env;
  std::set<std::string> files;
  for (auto it = env.begin(); it != env.end();) {
    const auto& [name, value] = *it;
    if (value.empty() || !looks_secret(name, value)) {
      ++it;
      continue;
    }
    std::string file = std::string(folder) + "/" + file_name(server.name, name);
    while (!files.insert(file).second)
      file += '-';
    server.secrets.push_back({.file = std::move(file),
                              .value = value,
                              .variable = name,
                              .pointer = pointer_below(server.entry.pointer + "/env", name)});
    it = env.erase(it);
  }
}

/// The gateway proves itself to a URL with a bearer token, and with nothing else.
void move_headers(PlannedServer& server, std::string_view folder, std::vector<ClientNote>& notes) {
  for (const auto& [name, value] : std::exchange(server.entry.headers, {})) {
    const std::string pointer = pointer_below(server.entry.pointer + "/headers", name);
    const std::string_view token = bearer_token(value);
    if (in_capitals(name) != "AUTHORIZATION" || token.empty()) {
      notes.push_back({pointer, "only \"Authorization: Bearer\" can be sent to a URL: left out"});
      continue;
    }
    server.secrets.push_back({.file = std::string(folder) + "/" + server.name + ".bearer",
                              .value = std::string(token),
                              .variable = {},
                              .pointer = pointer});
  }
}

void note_arguments(const PlannedServer& server, std::vector<ClientNote>& notes) {
  for (std::size_t i = 1; i < server.entry.command.size(); ++i) {
    if (!is_secret_argument(server.entry.command[i - 1], server.entry.command[i])) continue;
    notes.push_back({server.entry.pointer + "/args/" + std::to_string(i - 1),
                     "looks like a secret, and every process can read command lines: give it to "
                     "the server in a variable, if it takes one"});
  }
}

}  // namespace

bool looks_secret(std::string_view value) {
  const auto begins = [value](std::string_view prefix) { return value.starts_with(prefix); };
  return std::ranges::any_of(kSecretPrefixes, begins) || has_url_password(value) ||
         looks_random(value);
}

bool looks_secret(std::string_view name, std::string_view value) {
  std::string capitals = in_capitals(name);
  std::ranges::replace(capitals, '-', '_');  // As options are spelled.
  const auto is_in_name = [&](std::string_view part) { return capitals.contains(part); };
  const auto ends_name = [&](std::string_view part) { return capitals.ends_with(part); };
  return std::ranges::any_of(kSecretNames, is_in_name) ||
         std::ranges::any_of(kSecretEndings, ends_name) || capitals == "KEY" || looks_secret(value);
}

bool is_secret_argument(std::string_view before, std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (argument.starts_with('-') && equals != std::string_view::npos) {
    const std::string_view value = argument.substr(equals + 1);
    return !value.empty() && looks_secret(argument.substr(0, equals), value);
  }
  if (argument.starts_with('-')) return false;
  if (looks_secret(argument) || in_capitals(argument).contains("BEARER ")) return true;
  return before.starts_with('-') && !before.contains('=') && looks_secret(before, argument);
}

InitPlan plan_init(ClientFile file, std::string_view secrets_folder) {
  InitPlan plan{.notes = std::move(file.notes)};
  std::set<std::string> taken;
  for (ClientEntry& entry : file.entries) {
    PlannedServer server{.name = distinct_name(reduce_to_server_name(entry.name), taken),
                         .entry = std::move(entry)};
    move_variables(server, secrets_folder);
    move_headers(server, secrets_folder, plan.notes);
    note_arguments(server, plan.notes);
    plan.servers.push_back(std::move(server));
  }
  return plan;
}

}  // namespace bartizan
