#include "gateway/upstream/server_definition.h"

#include <openssl/sha.h>

#include <map>
#include <tuple>
#include <utility>

#include "config/load/load_config.h"
#include "config/load/lock_file.h"
#include "config/parse_host_port.h"
#include "gateway/process/read_file.h"
#include "gateway/upstream/agent_messages.h"
#include "gateway/upstream/own_headers.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

auto secret_name(const SecretReference& secret) {
  return std::tie(secret.kind, secret.name);
}

auto secret_names(const std::map<std::string, SecretReference>& secrets) {
  std::map<std::string, std::pair<SecretReference::Kind, std::string>> names;
  for (const auto& [variable, secret] : secrets)
    names.emplace(variable, std::pair(secret.kind, secret.name));
  return names;
}

auto header_names(const std::vector<ServerHeader>& headers) {
  std::vector<std::tuple<std::string, std::string, SecretReference::Kind, std::string>> names;
  names.reserve(headers.size());
  for (const ServerHeader& header : headers)
    names.emplace_back(header.name, header.value, header.secret.kind, header.secret.name);
  return names;
}

/// Everything that an instance is made from, as one value to compare. The binding names every
/// field, so that a new one cannot be forgotten here.
auto instance_parts(const ServerConfig& config) {
  const auto& [name, command, url, agent, protocol, cwd, env, env_allow, env_secrets, instances,
               instance_count, max_in_flight, timeout, slow, high_memory, breaker, client_features,
               elicitation_urls, sandbox, executables, bearer, user, password, headers, ca_file,
               prefix, shown, resource_uris, output_schema, errors, folded_names, trust, labels,
               where] = config;
  static_cast<void>(timeout);
  static_cast<void>(slow);
  static_cast<void>(high_memory);
  static_cast<void>(breaker);
  static_cast<void>(prefix);
  static_cast<void>(shown);
  static_cast<void>(resource_uris);
  static_cast<void>(output_schema);
  static_cast<void>(errors);
  static_cast<void>(folded_names);
  static_cast<void>(trust);
  static_cast<void>(labels);
  static_cast<void>(where);
  return std::tuple_cat(
      std::tie(name, command, url, agent, protocol, cwd, env, env_allow, instances, instance_count,
               max_in_flight, client_features, elicitation_urls, sandbox, executables, ca_file),
      secret_name(bearer), std::tie(user), secret_name(password),
      std::make_tuple(secret_names(env_secrets), header_names(headers)));
}

/// A definition without its TLS context, which costs milliseconds and is often not needed.
struct ReadDefinition {
  ServerDefinition definition;
  std::optional<Error> unreadable;  ///< Of a secret that only its child needs.
};

/// Adds one part with its length, so that different series of parts never look alike.
void add(std::string& all, std::string_view one) {
  all += std::to_string(one.size()) + ':';
  all += one;
}

std::string program_of(const ServerConfig& config, std::string_view agent_tools,
                       const std::vector<std::string>& volatile_members) {
  std::string all;
  add(all, config.url);
  if (config.agent.has_value()) {
    add(all, "agent");
    add(all, config.agent->id);
    // An operator's change of its tools needs no new approval.
    add(all, agent_tools);
  }
  if (config.protocol == ServerConfig::Protocol::sse) add(all, "sse");
  add(all, std::to_string(config.command.size()));
  for (const std::string& word : config.command)
    add(all, word);
  for (const auto& [path, digest] : config.executables) {
    add(all, path);
    add(all, digest);
  }
  for (const std::string& pointer : volatile_members)
    add(all, pointer);
  return sha256_hex(all);
}

Result<ReadDefinition> read_files(const ServerConfig& config, const Config& whole,
                                  std::uint64_t generation) {
  const PinsConfig& pins = whole.pins;
  const std::string certificate_key = pinned_certificate_key(pins, config.name);
  ReadDefinition read{.definition = {.config = config, .generation = generation}, .unreadable = {}};
  ServerDefinition& definition = read.definition;
  if (config.agent.has_value()) definition.agent_tools = write_agent_tools(whole, config);
  definition.program = program_of(config, definition.agent_tools, pins.volatile_members);
  definition.volatile_members = pins.volatile_members;
  Result<std::vector<OwnHeader>> headers = read_own_headers(config);
  if (!headers.has_value()) return std::unexpected(headers.error());
  definition.headers = std::move(*headers);
  if (!config.url.empty() && config.protocol != ServerConfig::Protocol::unix_socket) {
    Result<ServerUrl> url = parse_server_url(as_http_url(config.url));
    if (!url.has_value()) return std::unexpected(url.error());
    definition.url = std::move(*url);
    if (!certificate_key.empty() && !definition.url->tls) {
      return fail(ErrorCode::config_invalid, Fault::gateway,
                  "the lock file has the key of its certificate, and its url is not https");
    }
    definition.url->certificate_key = certificate_key;
  }
  std::string all;
  for (const OwnHeader& header : definition.headers) {
    add(all, header.name);
    add(all, header.value.view());
  }
  for (const auto& [variable, reference] : config.env_secrets) {
    Result<SecretText> secret = read_secret(reference);
    add(all, variable);
    add(all, secret.has_value() ? "read" : "unreadable");
    add(all, secret.value_or(SecretText()).view());
    if (!secret.has_value()) read.unreadable = std::move(secret.error());
  }
  add(all, certificate_key);
  for (const std::string& pointer : pins.volatile_members)
    add(all, pointer);
  if (!config.ca_file.empty()) add(all, read_file(config.ca_file).value_or(""));
  add(all, definition.agent_tools);
  SHA256(reinterpret_cast<const unsigned char*>(all.data()), all.size(), definition.files.data());
  wipe(all.data(), all.size());
  return read;
}

/// The contexts of one reading of the configuration. Those of the system's authorities take 30 ms
/// and a megabyte to read, and many servers share them.
class Authorities {
 public:
  /// Errors: those of `make_client_tls`.
  Result<std::shared_ptr<asio::ssl::context>> context(const std::string& ca_file) {
    const auto known = contexts_.find(ca_file);
    if (known != contexts_.end()) return known->second;
    auto made = make_client_tls(ca_file);
    if (made.has_value()) contexts_.emplace(ca_file, *made);
    return made;
  }

 private:
  std::map<std::string, std::shared_ptr<asio::ssl::context>> contexts_;
};

}  // namespace

bool has_same_instances(const ServerConfig& one, const ServerConfig& other) {
  return instance_parts(one) == instance_parts(other);
}

Result<ServerDefinitions> define_servers(const Config& config, const ServerDefinitions* present,
                                         std::uint64_t generation) {
  ServerDefinitions definitions;
  Authorities authorities;
  for (const auto& [name, server] : config.servers) {
    const auto refuse = [&its_name = name](const Error& error) {
      return fail(error.code, error.fault, "server \"" + its_name + "\": " + error.detail);
    };
    Result<ReadDefinition> read = read_files(server, config, generation);
    if (!read.has_value()) return refuse(read.error());
    ServerDefinition& definition = read->definition;
    if (present != nullptr) {
      const auto known = present->find(name);
      if (known != present->end() && known->second->files == definition.files &&
          has_same_instances(known->second->config, server)) {
        definitions.emplace(name, known->second);
        continue;
      }
      if (read->unreadable.has_value()) return refuse(*read->unreadable);
    }
    if (definition.url.has_value() && definition.url->tls) {
      auto tls = authorities.context(server.ca_file);
      if (!tls.has_value()) return refuse(tls.error());
      definition.tls = std::move(*tls);
    }
    definitions.emplace(name, std::make_shared<const ServerDefinition>(std::move(definition)));
  }
  return definitions;
}

}  // namespace bartizan
