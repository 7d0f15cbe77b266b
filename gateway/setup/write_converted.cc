#include "gateway/setup/write_converted.h"

#include <string_view>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "policy/learn/toml_text.h"

namespace bartizan {
namespace {

void append(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format("{} = {}\n", key, value);
}

void append_listen(std::string& out, const GroundhogSettings& settings) {
  out += "\n[listen]\n";
  append(out, "address", toml_string(settings.address));
  append(out, "web_socket", "true");
  if (!settings.allowed_hosts.empty()) {
    append(out, "allowed_hosts", toml_array(settings.allowed_hosts));
  }
  if (settings.tls.has_value()) {
    out += "\n[listen.tls]\n";
    append(out, "cert", toml_string(settings.tls->cert));
    append(out, "key", toml_string(settings.tls->key));
    if (!settings.tls->client_ca.empty()) {
      append(out, "client_ca", toml_string(settings.tls->client_ca));
    }
  }
  out += "\n[endpoint.groundhog]\n";
  append(out, "path", toml_string(settings.path));
  append(out, "protocol", "\"groundhog\"");
}

void append_session(std::string& out, const GroundhogSettings& settings) {
  std::string keys;
  if (settings.authentication_timeout.has_value()) {
    append(keys, "authentication_timeout",
           toml_string(duration_text(*settings.authentication_timeout)));
  }
  if (settings.session_timeout.has_value()) {
    // A Groundhog session does not end by idleness alone.
    const std::string timeout = toml_string(duration_text(*settings.session_timeout));
    append(keys, "session_timeout", timeout);
    append(keys, "idle", timeout);
  }
  if (settings.sessions_max.has_value()) {
    append(keys, "max_concurrent_sessions", std::to_string(*settings.sessions_max));
  }
  if (!keys.empty()) out += "\n[session]\n" + keys;
}

void append_limit(std::string& out, std::string_view name, std::string_view per,
                  const std::vector<std::string>& rates) {
  if (rates.empty()) return;
  out += fmt::format("\n[limit.{}]\n", name);
  append(out, "per", per);
  append(out, "rate", toml_array(rates));
}

/// Settings that no Groundhog configuration has.
constexpr std::string_view kToBeWritten = R"(
# --- still to be written: take the # away, and change what stands behind it ---------------------
# Whose keys prove which principal. A line of each comes from: bartizan key new NAME --principal P
# [auth.api_key.ann-laptop]
# principal = "ann"
# sha256 = "0000000000000000000000000000000000000000000000000000000000000000"

# [principal.ann]
# roles = ["user"]

# [role.user]
# trust = "verified"

# The servers whose tools are called, and who may call them.
# [server.files]
# command = ["mcp-server-filesystem", "/srv/data"]

# [rule.users-read-files]
# effect = "permit"
# roles = ["user"]
# tools = ["files/read_*"]
)";

void append_export(std::string& out, const GroundhogExport& sink) {
  out += fmt::format("\n[export.{}]\n", sink.name);
  append(out, "type", toml_string(sink.type));
  append(out, "url", toml_string(sink.url));
  if (!sink.user.empty()) append(out, "user", toml_string(sink.user));
  for (const std::string& key : sink.left_out)
    append(out, key, "false");
}

}  // namespace

std::string write_converted(const GroundhogSettings& settings) {
  std::string out =
      "# Written by `bartizan convert` from the configuration of a Groundhog system. `bartizan "
      "check\n"
      "# FILE` says what is wrong or doubtful here. Nobody can come in until there is a key.\n"
      "version = 1\n";
  append_listen(out, settings);
  out += "\n[auth]\nmode = \"required\"\n";
  append_session(out, settings);
  append_limit(out, "everyone", "[]", settings.rates.everyone);
  append_limit(out, "user", "[\"principal\"]", settings.rates.user);
  append_limit(out, "tool", "[\"tool\"]", settings.rates.tool);
  out += "\n[audit]\n";
  append(out, "file", toml_string(settings.record));
  if (settings.retention.has_value()) {
    append(out, "retention", toml_string(duration_text(*settings.retention)));
  }
  for (const GroundhogExport& sink : settings.exports)
    append_export(out, sink);
  out += kToBeWritten;
  return out;
}

std::vector<std::string> conversion_notes(const GroundhogSettings& settings) {
  std::vector<std::string> notes{
      "nobody can come in yet: `bartizan key new NAME --principal P` makes a key and its table",
      "Groundhog's file names no servers and no permissions: write [server.NAME], [role.NAME], "
      "[principal.NAME] and [rule.NAME]; the end of the new file has an example",
      "`bartizan check` says whether this machine has the files and folders that are named"};
  for (const GroundhogExport& sink : settings.exports) {
    if (sink.type != "postgresql") continue;
    notes.push_back(fmt::format(
        "[export.{}] names no password: write password = \"file:PATH\", mode 0600", sink.name));
  }
  std::vector<std::string> defaults;
  if (settings.rates.everyone.empty()) defaults.emplace_back("everyone");
  if (settings.rates.user.empty()) defaults.emplace_back("user");
  if (settings.rates.tool.empty()) defaults.emplace_back("tool");
  for (const std::string& name : defaults)
    notes.push_back(
        fmt::format("the limit \"{}\" has its default: `bartizan check` shows it", name));
  return notes;
}

}  // namespace bartizan
