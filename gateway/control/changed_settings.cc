#include "gateway/control/changed_settings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace bartizan {
namespace {

bool is_same(const HostPort& one, const HostPort& other) {
  return std::tie(one.host, one.port) == std::tie(other.host, other.port);
}

bool is_same(const SecretReference& one, const SecretReference& other) {
  return std::tie(one.kind, one.name) == std::tie(other.kind, other.name);
}

std::string socket_of(const Config& config) {
  return config.admin.has_value() ? config.admin->socket : std::string();
}

std::optional<HostPort> console_of(const Config& config) {
  if (!config.console.has_value()) return std::nullopt;
  return config.console->address;
}

bool is_same(const std::optional<HostPort>& one, const std::optional<HostPort>& other) {
  if (!one.has_value() || !other.has_value()) return one.has_value() == other.has_value();
  return is_same(*one, *other);
}

bool is_same(const ApprovalsConfig& one, const ApprovalsConfig& other) {
  const auto parts = [](const ApprovalsConfig& approvals) {
    std::string keys;
    for (const auto& [name, key] : approvals.keys)
      keys += name + '\n' + key.file + '\n' + key.principal + '\n';
    const ApprovalWebhookConfig hook = approvals.webhook.value_or(ApprovalWebhookConfig());
    return std::tuple(approvals.wait, approvals.expires, approvals.url, keys, hook.url,
                      hook.ca_file, hook.secret.kind, hook.secret.name);
  };
  return parts(one) == parts(other) && is_same(one.signing_key, other.signing_key) &&
         is_same(one.previous_key, other.previous_key);
}

std::string state_of(const Config& config) {
  return config.state.has_value() ? config.state->file : std::string();
}

bool is_same(const std::optional<TlsConfig>& one, const std::optional<TlsConfig>& other) {
  if (!one.has_value() || !other.has_value()) return one.has_value() == other.has_value();
  const auto parts = [](const TlsConfig& tls) {
    return std::tie(tls.cert, tls.is_1_3_only, tls.client_ca, tls.client_crl);
  };
  return parts(*one) == parts(*other) && is_same(one->key, other->key);
}

bool is_same(const std::optional<SignedHeadConfig>& one,
             const std::optional<SignedHeadConfig>& other) {
  if (!one.has_value() || !other.has_value()) return one.has_value() == other.has_value();
  const auto parts = [](const SignedHeadConfig& heads) {
    return std::tie(heads.every, heads.file, heads.command, heads.exports);
  };
  return parts(*one) == parts(*other) && is_same(one->key, other->key);
}

/// The keys of sockets that differ: where they listen, and for whom.
std::vector<std::string> socket_keys(const SocketConfigs& running, const SocketConfigs& wanted) {
  std::vector<std::string> keys;
  for (const auto& [name, socket] : running) {
    const std::string table = "socket." + name;
    const auto found = wanted.find(name);
    if (found == wanted.end()) {
      keys.push_back(table);
      continue;
    }
    const SocketConfig& other = found->second;
    if (socket.path != other.path) keys.push_back(table + ".path");
    if (!is_same(socket.address, other.address)) keys.push_back(table + ".address");
    if (socket.open_to != other.open_to) keys.push_back(table + ".open_to");
    if (socket.tls.has_value() != other.tls.has_value()) keys.push_back(table + ".tls");
  }
  for (const auto& [name, socket] : wanted) {
    if (!running.contains(name)) keys.push_back("socket." + name);
  }
  return keys;
}

/// Collects keys of one table after the other.
class ChangedKeys {
 public:
  void check(std::string key, bool is_kept) {
    if (!is_kept) keys_.push_back(std::move(key));
  }
  std::vector<std::string> take() && { return std::move(keys_); }

 private:
  std::vector<std::string> keys_;
};

void compare_policy(const Config& running, const Config& wanted, ChangedKeys& changed) {
  const auto capture_of = [](const Config& config) {
    const CaptureConfig capture = config.capture.value_or(CaptureConfig());
    return std::tuple(capture.file, capture.max_size, capture.max_age);
  };
  const auto operators_of = [](const Config& config) {
    const ConsoleConfig console = config.console.value_or(ConsoleConfig());
    return std::tuple(console.roles, console.allowed_hosts, console.allowed_origins);
  };
  const PolicySettings& policy = running.policy;
  changed.check("capture", capture_of(running) == capture_of(wanted));
  changed.check("console", operators_of(running) == operators_of(wanted));
  changed.check("approvals", is_same(running.approvals, wanted.approvals));
  changed.check("pins.file", running.pins.file == wanted.pins.file);
  changed.check("pins.mode", running.pins.mode == wanted.pins.mode);
  changed.check("pins.volatile", running.pins.volatile_members == wanted.pins.volatile_members);
  changed.check("policy.mode", policy.mode == wanted.policy.mode);
  changed.check("policy.until", policy.until == wanted.policy.until);
  changed.check("policy.unguarded_arguments",
                policy.allow_unguarded_arguments == wanted.policy.allow_unguarded_arguments);
}

void compare_listen(const ListenConfig& running, const ListenConfig& wanted, ChangedKeys& changed) {
  const ProxyConfig& one = running.proxies;
  const ProxyConfig& other = wanted.proxies;
  changed.check("listen.path", running.path == wanted.path);
  changed.check("listen.allowed_hosts", running.allowed_hosts == wanted.allowed_hosts);
  changed.check("listen.allowed_origins", running.allowed_origins == wanted.allowed_origins);
  changed.check("listen.tls", is_same(running.tls, wanted.tls));
  changed.check("listen.plaintext",
                running.plaintext_on_trusted_network == wanted.plaintext_on_trusted_network);
  changed.check("listen.trusted_proxies", one.networks == other.networks);
  changed.check("listen.proxy_protocol", one.has_protocol_header == other.has_protocol_header);
  changed.check("listen.certificate_header", one.certificate_header == other.certificate_header);
  changed.check("listen.certificate_proxies", one.certificates == other.certificates);
  changed.check("listen.sse", running.sse == wanted.sse);
  changed.check("listen.web_socket", running.web_socket == wanted.web_socket);
}

void compare_sockets(const SocketConfigs& running, const SocketConfigs& wanted,
                     ChangedKeys& changed) {
  const auto parts = [](const SocketConfig& socket) {
    return std::tie(socket.principal, socket.users, socket.endpoint, socket.answers_only);
  };
  for (const auto& [name, socket] : running) {
    const auto found = wanted.find(name);
    if (found == wanted.end()) continue;
    changed.check("socket." + name, parts(socket) == parts(found->second));
    changed.check("socket." + name + ".tls", is_same(socket.tls, found->second.tls));
  }
}

void compare_process(const ProcessConfig& running, const ProcessConfig& wanted,
                     ChangedKeys& changed) {
  changed.check("process.memory_max", running.memory_max == wanted.memory_max);
  changed.check("process.drain", running.drain == wanted.drain);
  changed.check("process.start_wait", running.start_wait == wanted.start_wait);
  changed.check("process.reload", running.reload == wanted.reload);
}

void compare_session(const SessionConfig& running, const SessionConfig& wanted,
                     ChangedKeys& changed) {
  changed.check("session.authentication_timeout",
                running.authentication_timeout == wanted.authentication_timeout);
  changed.check("session.session_timeout", running.session_timeout == wanted.session_timeout);
  changed.check("session.idle", running.idle == wanted.idle);
  changed.check("session.max_concurrent", running.max_concurrent == wanted.max_concurrent);
  changed.check("session.max_concurrent_sessions",
                running.max_concurrent_sessions == wanted.max_concurrent_sessions);
}

void compare_audit(const AuditConfig& running, const AuditConfig& wanted, ChangedKeys& changed) {
  changed.check("audit.durability", running.durability == wanted.durability);
  changed.check("audit.rotate", running.rotate_size == wanted.rotate_size &&
                                    running.rotate_age == wanted.rotate_age);
  changed.check("audit.retention", running.retention == wanted.retention);
  changed.check("audit.instance", running.instance == wanted.instance);
  changed.check("audit.heads", is_same(running.heads, wanted.heads));
}

}  // namespace

bool is_same(const ExportConfig& one, const ExportConfig& other) {
  const auto parts = [](const ExportConfig& it) {
    return std::tie(it.type, it.url, it.format, it.ca_file, it.plaintext, it.user, it.index,
                    it.log_tool_invocations, it.log_performance_events, it.log_protocol_errors,
                    it.hold);
  };
  return parts(one) == parts(other) && is_same(one.token, other.token) &&
         is_same(one.password, other.password);
}

bool is_same(const AlertConfig& one, const AlertConfig& other) {
  const auto parts = [](const AlertConfig& it) {
    return std::tie(it.url, it.command, it.ca_file, it.at_least, it.group);
  };
  return parts(one) == parts(other) && is_same(one.secret, other.secret);
}

std::vector<std::string> changed_settings(const Config& running, const Config& wanted) {
  ChangedKeys changed;
  compare_policy(running, wanted, changed);
  compare_listen(running.listen, wanted.listen, changed);
  compare_sockets(running.sockets, wanted.sockets, changed);
  if (running.console.has_value() && wanted.console.has_value())
    changed.check("console.tls", is_same(running.console->tls, wanted.console->tls));
  changed.check("metrics.allowed_hosts",
                running.metrics.allowed_hosts == wanted.metrics.allowed_hosts);
  compare_process(running.process, wanted.process, changed);
  compare_session(running.session, wanted.session, changed);
  changed.check("client.null_members", running.client.null_members == wanted.client.null_members);
  changed.check("client.handshake",
                running.client.implies_handshake == wanted.client.implies_handshake);
  compare_audit(running.audit, wanted.audit, changed);
  changed.check("log.level", running.log.level == wanted.log.level);
  return std::move(changed).take();
}

/// Where the record goes is among them: one that silently moves elsewhere could hide what was done
/// before. So is the key of its digests: within one chain, equal arguments have equal digests.
std::vector<std::string> restart_keys(const Config& running, const Config& wanted) {
  std::vector<std::string> keys;
  const auto check = [&keys](bool is_kept, const char* key) {
    if (!is_kept) keys.emplace_back(key);
  };
  check(is_same(running.listen.address, wanted.listen.address), "listen.address");
  check(is_same(running.metrics.address, wanted.metrics.address), "metrics.address");
  check(socket_of(running) == socket_of(wanted), "admin.socket");
  check(is_same(console_of(running), console_of(wanted)), "console.address");
  std::ranges::move(socket_keys(running.sockets, wanted.sockets), std::back_inserter(keys));
  check(running.process.workers == wanted.process.workers, "process.workers");
  check(running.audit.file == wanted.audit.file, "audit.file");
  check(state_of(running) == state_of(wanted), "state.file");
  check(running.auth.stdio_principal == wanted.auth.stdio_principal, "auth.stdio.principal");
  check(running.client.answers_only == wanted.client.answers_only, "client.answers_only");
  check(is_same(running.audit.digest_key, wanted.audit.digest_key), "audit.digest_key");
  return keys;
}

}  // namespace bartizan
