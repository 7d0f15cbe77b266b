#include "gateway/setup/wrap_config.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "audit/digest.h"
#include "config/parse_units.h"
#include "gateway/setup/server_name.h"
#include "gateway/setup/wrap_access.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

constexpr std::size_t kPrincipalMax = 64;
/// It stops a runaway model, but not a user of several agents: the bucket has the calls of a whole
/// minute.
constexpr std::string_view kUsualRate = "60000/min";
/// Clients have their own timeouts. This one only ends calls that nobody waits for any more.
constexpr std::chrono::minutes kUsualTimeout{10};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::config_invalid, Fault::client, std::move(detail));
}

bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string absolute(std::string_view path, std::string_view folder) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

/// `env:NAME` or `file:PATH`. Any other text may be the secret itself, so it is not repeated.
Result<SecretReference> read_reference(std::string_view text, std::string_view option,
                                       std::string_view folder) {
  using Kind = SecretReference::Kind;
  const auto rest = text.substr(std::min(text.find(':') + 1, text.size()));
  if (text.starts_with("env:") && !rest.empty() && !rest.contains('=')) {
    return SecretReference{.kind = Kind::environment, .name = std::string(rest)};
  }
  if (text.starts_with("file:") && !rest.empty()) {
    return SecretReference{.kind = Kind::file, .name = absolute(rest, folder)};
  }
  return refuse(std::string(option) + " requires file:PATH or env:NAME, never the secret itself");
}

Result<std::vector<ClientFeature>> read_features(const std::vector<std::string>& names) {
  // The server has only one user, so its logs and instructions may reach that user.
  std::vector<ClientFeature> features{ClientFeature::logging, ClientFeature::instructions};
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kClientFeatureNames, name,
                                                &std::pair<std::string_view, ClientFeature>::first);
    if (found == kClientFeatureNames.end() || allows(features, found->second))
      return refuse("--allow requires sampling, elicitation, roots or tasks");
    features.push_back(found->second);
  }
  return features;
}

Result<LimitConfig> read_limit(const std::vector<std::string>& rates) {
  LimitConfig limit{.name = "local-user"};
  for (const std::string& text : rates) {
    const auto rate = parse_rate(text);
    if (!rate.has_value()) return refuse("--rate requires calls in a window, such as 100/s");
    limit.rates.push_back(*rate);
  }
  if (rates.empty()) limit.rates.push_back(*parse_rate(kUsualRate));
  return limit;
}

Result<ServerConfig> read_server(const WrapOptions& options, std::string_view folder) {
  ServerConfig server{.name = options.name};
  if (server.name.empty()) server.name = reduce_to_server_name(name_in_command(options.command));
  if (server.name.empty() || reduce_to_server_name(server.name) != server.name) {
    return refuse("--name is 1 to 32 of a-z, 0-9 and single dashes");
  }
  server.command = options.command;
  if (!options.cwd.empty()) server.cwd = absolute(options.cwd, folder);
  server.prefix = ServerConfig::Prefix::never;
  server.timeout = kUsualTimeout;
  for (const std::string& name : options.env) {
    if (name.empty() || name.contains('=')) {
      return refuse("--env requires the name of a variable; its value is in the environment");
    }
    server.env_allow.push_back(name);
  }
  for (const std::string& secret : options.secrets) {
    const std::size_t equals = secret.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse("--secret requires NAME=file:PATH");
    auto reference =
        read_reference(std::string_view(secret).substr(equals + 1), "--secret", folder);
    if (!reference.has_value()) return std::unexpected(reference.error());
    server.env_secrets[secret.substr(0, equals)] = std::move(*reference);
  }
  if (!options.timeout.empty()) {
    const auto timeout = parse_duration(options.timeout);
    if (!timeout.has_value() || timeout->count() == 0) {
      return refuse("--timeout requires a duration, such as 30s");
    }
    server.timeout = *timeout;
  }
  auto features = read_features(options.allow);
  if (!features.has_value()) return std::unexpected(features.error());
  server.client_features = std::move(*features);
  return server;
}

/// Approvals by a person who saw in the log why a tool was withheld: the tool's own name, and the
/// fingerprint of exactly that definition.
Result<PinnedServer> read_approvals(const std::vector<std::string>& approvals) {
  constexpr std::size_t kDigits = 64;
  PinnedServer approved;
  for (const std::string& text : approvals) {
    const std::size_t equals = text.find('=');
    const std::string tool = text.substr(0, equals);
    const std::string digits = equals == std::string::npos ? "" : text.substr(equals + 1);
    const bool is_fingerprint =
        digits.size() == kDigits && digits.find_first_not_of("0123456789abcdef") == digits.npos;
    if (!is_tool_name(tool) || !is_fingerprint) {
      return refuse(
          "--approve requires TOOL=FINGERPRINT, the 64 digits of lower-case hex that the log "
          "shows");
    }
    PinnedTool pinned{
        .fingerprint = digits, .hints = {}, .is_approved = true, .hints_as_listed = true};
    if (!approved.emplace(tool, std::move(pinned)).second) {
      return refuse("--approve names one tool twice");
    }
  }
  return approved;
}

/// A profile for all tools of the server, if the user accepts tools without such patterns.
Result<std::vector<ToolProfile>> read_patterns(const WrapOptions& options,
                                               const std::string& server) {
  const std::string& wanted = options.untranslatable_patterns;
  if (wanted.empty() || wanted == "quarantine") return std::vector<ToolProfile>();
  if (wanted != "accept") return refuse("--untranslatable-patterns requires accept or quarantine");
  ToolProfile profile;
  profile.pattern = server + "/**";
  profile.untranslatable_patterns = ToolProfile::UntranslatablePatterns::accept;
  return std::vector{std::move(profile)};
}

/// The log level. Clients write the log to a file that is read only after a failure.
Result<LogConfig::Level> read_log(const std::string& text) {
  using Level = LogConfig::Level;
  for (const auto& [name, level] :
       {std::pair("debug", Level::debug), std::pair("info", Level::info),
        std::pair("warning", Level::warning), std::pair("error", Level::error)}) {
    if (text == name) return level;
  }
  if (text.empty()) return Level::warning;
  return refuse("--log requires debug, info, warning or error");
}

/// Names the policy in records: the digest of the options. The program's arguments are left out:
/// one may be a secret, which could be guessed from the digest.
std::string digest_of(const WrapOptions& options, const ServerConfig& server,
                      std::string_view user) {
  std::string text = "bartizan wrap";
  const auto add = [&text](std::string_view part) {
    text += ' ';
    append_json_string(text, part);
  };
  for (const std::string_view part :
       {std::string_view(server.name), user, std::string_view(options.command.front()),
        std::string_view(server.cwd), std::string_view(options.timeout),
        std::string_view(options.untranslatable_patterns), std::string_view(options.root),
        std::string_view(options.read_only ? "read-only" : "")})
    add(part);
  for (const auto* list : {&options.env, &options.secrets, &options.allow, &options.rates,
                           &options.approve, &options.tools, &options.deny}) {
    text += '\n';
    for (const std::string& part : *list)
      add(part);
  }
  const auto hex = hex_text(Digester().sha256(text));
  return {hex.data(), hex.size()};
}

}  // namespace

Result<Config> wrap_config(const WrapOptions& options, std::string_view user,
                           std::string_view folder) {
  if (options.command.empty() || options.command.front().empty()) {
    return refuse("there is no program to wrap");
  }
  auto server = read_server(options, folder);
  if (!server.has_value()) return std::unexpected(server.error());
  auto limit = read_limit(options.rates);
  if (!limit.has_value()) return std::unexpected(limit.error());

  auto approved = read_approvals(options.approve);
  if (!approved.has_value()) return std::unexpected(approved.error());

  auto tools = read_patterns(options, server->name);
  if (!tools.has_value()) return std::unexpected(tools.error());
  const auto level = read_log(options.log);
  if (!level.has_value()) return std::unexpected(level.error());

  Config config;
  config.files = {"bartizan wrap"};
  config.client.answers_only = options.answers_only;
  config.client.shows_server_identity = true;
  config.log.level = *level;
  config.tools = *std::move(tools);
  if (!options.digest_key.empty()) {
    auto key = read_reference(options.digest_key, "--digest-key", folder);
    if (!key.has_value()) return std::unexpected(key.error());
    config.audit.digest_key = std::move(*key);
  }
  if (!options.record.empty()) config.audit.file = absolute(options.record, folder);
  const std::string principal = reduce_to_principal(user);
  config.auth.stdio_principal = principal;
  config.principals[principal] = {.id = principal, .roles = {std::string(kWrapRole)}};
  config.roles[std::string(kWrapRole)] = {.name = std::string(kWrapRole), .trust = Trust::system};
  const std::string& name = server->name;
  std::string root;
  if (!options.root.empty()) root = absolute(options.root, folder);
  if (root.size() > 1 && root.ends_with('/')) root.pop_back();
  const auto narrowed = add_wrap_access(config, options, name, root);
  if (!narrowed.has_value()) return std::unexpected(narrowed.error());
  config.limits = {{limit->name, std::move(*limit)}};
  config.digest = digest_of(options, *server, principal);
  if (!approved->empty()) config.pins.tools.emplace(name, *std::move(approved));
  config.servers.emplace(name, std::move(*server));
  return config;
}

std::string reduce_to_server_name(std::string_view text) {
  while (text.ends_with('/'))
    text.remove_suffix(1);
  text = text.substr(text.rfind('/') + 1);
  std::string name;
  for (const char c : text) {
    if (is_lower_alphanumeric(to_lower(c))) {
      name += to_lower(c);
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kServerNameMax));
  while (name.ends_with('-'))
    name.pop_back();
  return name;
}

std::string distinct_server_name(std::string_view text, std::set<std::string>& taken) {
  std::string base = reduce_to_server_name(text);
  if (base.empty()) base = "server";
  std::string name = base;
  for (unsigned number = 2; !taken.insert(name).second; ++number) {
    const std::string ending = "-" + std::to_string(number);
    name = base.substr(0, kServerNameMax - ending.size()) + ending;
  }
  return name;
}

std::string reduce_to_principal(std::string_view user) {
  std::string name;
  for (const char c : user.substr(0, kPrincipalMax)) {
    const bool is_kept = is_lower_alphanumeric(to_lower(c)) || c == '.' || c == '_' || c == '-';
    name += is_kept ? c : '-';
  }
  // The gateway's own traffic is recorded under the name `gateway`.
  return name.empty() || name == "gateway" ? "local-user" : name;
}

std::string default_record(std::string_view state_folder, std::string_view name, unsigned number) {
  std::string path(state_folder);
  path += "/bartizan/";
  path += name;
  if (number > 1) path += "-" + std::to_string(number);
  return path + ".jsonl";
}

}  // namespace bartizan
