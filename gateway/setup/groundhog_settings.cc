#include "gateway/setup/groundhog_settings.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/parse_units.h"
#include "gateway/review/secret_heuristics.h"
#include "gateway/setup/groundhog_sink.h"
#include "policy/learn/toml_text.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr auto kKeys = std::to_array<KnownKey>({
    {"", "mcp"},
    {"mcp", "protocol"},
    {"mcp.protocol", "version"},
    {"mcp.protocol", "transport"},
    {"mcp.protocol", "security"},
    {"mcp.protocol", "rate_limits"},
    {"mcp.protocol", "audit"},
    {"mcp.protocol.transport", "type"},
    {"mcp.protocol.transport", "host"},
    {"mcp.protocol.transport", "port"},
    {"mcp.protocol.transport", "path"},
    {"mcp.protocol.transport", "tls"},
    {"mcp.protocol.transport.tls", "enabled"},
    {"mcp.protocol.transport.tls", "cert_file"},
    {"mcp.protocol.transport.tls", "key_file"},
    {"mcp.protocol.transport.tls", "ca_file"},
    {"mcp.protocol.security", "require_authentication"},
    {"mcp.protocol.security", "authentication_timeout"},
    {"mcp.protocol.security", "session_timeout"},
    {"mcp.protocol.security", "max_concurrent_sessions"},
    {"mcp.protocol.rate_limits", "global_requests_per_second"},
    {"mcp.protocol.rate_limits", "global_requests_per_minute"},
    {"mcp.protocol.rate_limits", "user_requests_per_second"},
    {"mcp.protocol.rate_limits", "user_requests_per_minute"},
    {"mcp.protocol.rate_limits", "tool_requests_per_second"},
    {"mcp.protocol.rate_limits", "tool_requests_per_minute"},
    {"mcp.protocol.audit", "enabled"},
    {"mcp.protocol.audit", "log_tool_invocations"},
    {"mcp.protocol.audit", "log_security_events"},
    {"mcp.protocol.audit", "log_performance_events"},
    {"mcp.protocol.audit", "log_protocol_errors"},
    {"mcp.protocol.audit", "retention_days"},
    {"mcp.protocol.audit", "sinks"},
    {"mcp.protocol.audit.sinks", "file_sink"},
    {"mcp.protocol.audit.sinks", "file_path"},
    {"mcp.protocol.audit.sinks", "database_sink"},
    {"mcp.protocol.audit.sinks", "database_url"},
    {"mcp.protocol.audit.sinks", "remote_sink"},
    {"mcp.protocol.audit.sinks", "remote_endpoint"},
});

/// A logging switch, and the place of its data in the record.
struct LogSwitch {
  std::string_view key;
  std::string_view in_record;
};
constexpr std::array<LogSwitch, 4> kLogSwitches{
    {{"log_tool_invocations", "the record has the decision and the outcome of each call"},
     {"log_security_events", "the record has each refusal with its reason"},
     {"log_performance_events",
      "the record has how long each call took; \"slow\" of a server adds warnings"},
     {"log_protocol_errors", "the record has what was refused because it is not a valid message"}}};

/// Whether a text has a password. The text need not be a URL; other texts may name what they have.
bool holds_password(std::string_view target) {
  return may_be_secret(target) || !find_secret_parameter(target).empty() ||
         in_capitals(target).contains("PASSWORD");
}

bool is_every_address(std::string_view host) {
  return host == "0.0.0.0" || host == "::";
}

/// A name is not an address to listen on.
bool is_name(std::string_view host) {
  return !host.contains(':') && host.find_first_not_of("0123456789.") != host.npos;
}

/// The spelling of `address` and `allowed_hosts`.
std::string in_brackets(const std::string& host) {
  return host.contains(':') ? fmt::format("[{}]", host) : host;
}

std::string setting(std::string_view table, std::string_view key, std::string_view value) {
  return fmt::format("[{}] {} = {}", table, key, value);
}

class GroundhogReader {
 public:
  GroundhogReader(const std::vector<std::string>& hosts, ConversionReport& report)
      : hosts_(hosts), report_(report) {}

  GroundhogSettings read(TableReader& root) && {
    auto mcp = root.table("mcp");
    auto protocol = mcp.has_value() ? mcp->table("protocol") : std::nullopt;
    if (protocol.has_value()) {
      read_protocol(*protocol);
    } else if (!mcp.has_value() || !mcp->has("protocol")) {
      root.problems().error({.file = root.where().file},
                            "there is no [mcp.protocol]: this is not a Groundhog configuration",
                            "bartizan init FILE makes a configuration of a client's settings");
    }
    if (mcp.has_value()) mcp->finish();
    root.finish();
    return std::move(settings_);
  }

 private:
  void add(const TableReader& table, std::string_view key, std::string became) {
    report_.add(table.where(key), std::move(became));
  }

  /// Reports a missing key: Groundhog's document does not give its default.
  static void need(TableReader& table, std::string_view key, std::string instead) {
    if (table.has(key)) return;
    table.problems().error(table.where(), fmt::format("needs {}", quote(key)), std::move(instead));
  }

  void read_protocol(TableReader& table) {
    static constexpr std::array<std::pair<std::string_view, bool>, 1> kVersions{{{"1.0.0", true}}};
    need(table, "version", "write version = \"1.0.0\"");
    if (table.choice<bool>("version", kVersions)) {
      add(table, "version", "[endpoint.groundhog] protocol = \"groundhog\"");
    }
    need(table, "transport", "write [mcp.protocol.transport]");
    need(table, "audit", "write [mcp.protocol.audit.sinks] with file_sink = true and file_path");
    if (auto transport = table.table("transport")) read_transport(*transport);
    if (auto security = table.table("security")) read_security(*security);
    if (auto limits = table.table("rate_limits")) read_limits(*limits);
    if (auto audit = table.table("audit")) read_audit(*audit);
    table.finish();
  }

  void read_transport(TableReader& table) {
    read_type(table);
    if (auto tls = table.table("tls")) read_tls(*tls);
    read_address(table);
    need(table, "path", "write path = \"/mcp\"");
    if (auto path = load_mcp_path(table)) {
      settings_.path = *std::move(path);
      add(table, "path", setting("endpoint.groundhog", "path", toml_string(settings_.path)));
    }
    table.finish();
  }

  void read_type(TableReader& table) {
    need(table, "type", "write type = \"websocket\"");
    static constexpr std::array<std::pair<std::string_view, bool>, 3> kTypes{
        {{"websocket", true}, {"http", false}, {"tcp", false}}};
    const auto is_web_socket = table.choice<bool>("type", kTypes);
    if (!is_web_socket.has_value()) return;
    if (*is_web_socket) return add(table, "type", setting("listen", "web_socket", "true"));
    table.problems().error(table.where("type"),
                           "Groundhog's document describes its messages over WebSocket only",
                           "write type = \"websocket\"; clients that speak MCP itself come over "
                           "HTTP or TCP without this file");
  }

  void read_tls(TableReader& table) {
    need(table, "enabled", "write enabled = true or enabled = false");
    // If the key is wrong or missing, only that is reported.
    const bool is_enabled = table.boolean("enabled").value_or(true);
    const auto cert = table.path("cert_file");
    const auto key = table.path("key_file");
    const auto client_ca = table.path("ca_file");
    table.finish();
    if (!is_enabled) {
      for (const std::string_view unused : {"enabled", "cert_file", "key_file", "ca_file"})
        add(table, unused, "nothing: TLS is off");
      return;
    }
    need(table, "cert_file", "write the certificate's file, PEM");
    need(table, "key_file", "write the file of the certificate's key, PEM");
    add(table, "enabled", "[listen.tls]");
    settings_.tls = GroundhogTls{.cert = cert.value_or(""),
                                 .key = "file:" + key.value_or(""),
                                 .client_ca = client_ca.value_or("")};
    const auto add_file = [&](std::string_view from, std::string_view to, std::string_view value) {
      add(table, from,
          fmt::format("[listen.tls] {} = {}; bartizan check reads the file", to,
                      toml_string(value)));
    };
    if (cert.has_value()) add_file("cert_file", "cert", settings_.tls->cert);
    if (key.has_value()) add_file("key_file", "key", settings_.tls->key);
    if (client_ca.has_value()) add_file("ca_file", "client_ca", settings_.tls->client_ca);
  }

  void read_address(TableReader& table) {
    need(table, "host", "write host = \"127.0.0.1\"");
    need(table, "port", "write port = 8080");
    const auto written = table.text("host");
    const auto port = table.integer("port", {.min = 1, .max = 65'535});
    if (port.has_value()) add(table, "port", "the port of [listen] address");
    if (!written.has_value()) return;
    const std::string host = *written == "localhost" ? "127.0.0.1" : *written;
    const std::string address = fmt::format("{}:{}", in_brackets(host), port.value_or(1));
    if (const auto fault = find_fault(host, address)) {
      return table.problems().error(table.where("host"), fault->message, fault->instead);
    }
    settings_.address = address;
    if (!is_loopback(host) && !is_every_address(host)) {
      settings_.allowed_hosts.push_back(in_brackets(host));
    }
    for (const std::string& name : hosts_) {
      if (name != in_brackets(host)) settings_.allowed_hosts.push_back(name);
    }
    add(table, "host", setting("listen", "address", toml_string(address)));
  }

  struct Fault {
    std::string message;
    std::string instead;
  };
  /// Why the gateway would refuse to listen there.
  std::optional<Fault> find_fault(std::string_view host, std::string_view address) const {
    if (!parse_host_port(address).has_value() || is_name(host)) {
      return Fault{.message = "\"host\" must be an address of this machine, or \"localhost\"",
                   .instead =
                       "write the address, such as \"192.0.2.7\"; --allowed-host NAME gives the "
                       "name that clients use"};
    }
    if (is_loopback(host)) return std::nullopt;
    if (!settings_.tls.has_value()) {
      return Fault{.message = "\"host\" is not a loopback address, and there is no TLS",
                   .instead =
                       "write enabled = true in [mcp.protocol.transport.tls], or host = "
                       "\"127.0.0.1\""};
    }
    if (!is_every_address(host) || !hosts_.empty()) return std::nullopt;
    return Fault{.message = "\"host\" is every address of this machine: clients use another one",
                 .instead = "give it with --allowed-host NAME, a name or an address"};
  }

  void read_security(TableReader& table) {
    if (const auto is_required = table.boolean("require_authentication")) {
      if (*is_required) {
        add(table, "require_authentication", setting("auth", "mode", "\"required\""));
      } else {
        table.problems().error(
            table.where("require_authentication"),
            "callers must be identified: each call is judged and recorded for a principal",
            "write require_authentication = true");
      }
    }
    constexpr std::int64_t kDay = 86'400;
    settings_.authentication_timeout =
        read_seconds(table, "authentication_timeout", kDay, {"authentication_timeout"});
    settings_.session_timeout =
        read_seconds(table, "session_timeout", 365 * kDay, {"session_timeout", "idle"});
    settings_.sessions_max = table.integer("max_concurrent_sessions", {.min = 1, .max = 1'000'000});
    if (settings_.sessions_max.has_value()) {
      add(table, "max_concurrent_sessions",
          setting("session", "max_concurrent_sessions", std::to_string(*settings_.sessions_max)));
    }
    table.finish();
  }

  /// `names` are the equivalent keys of `[session]`.
  std::optional<std::chrono::seconds> read_seconds(TableReader& table, std::string_view key,
                                                   std::int64_t max,
                                                   std::initializer_list<std::string_view> names) {
    const auto count = table.integer(key, {.min = 1, .max = max});
    if (!count.has_value()) return std::nullopt;
    const std::chrono::seconds seconds{*count};
    std::string became;
    for (const std::string_view name : names) {
      became += became.empty() ? "[session] " : ", ";
      became += fmt::format("{} = {}", name, toml_string(duration_text(seconds)));
    }
    add(table, key, std::move(became));
    return seconds;
  }

  void read_limits(TableReader& table) {
    GroundhogRates& rates = settings_.rates;
    const std::array<std::tuple<std::string_view, std::string_view, std::vector<std::string>*>, 3>
        groups{{{"global", "everyone", &rates.everyone},
                {"user", "user", &rates.user},
                {"tool", "tool", &rates.tool}}};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWindows{
        {{"second", "s"}, {"minute", "min"}}};
    for (const auto& [group, limit, found] : groups) {
      for (const auto& [window, unit] : kWindows) {
        const std::string key = fmt::format("{}_requests_per_{}", group, window);
        const auto count = table.integer(key, {.min = 1, .max = 1'000'000'000});
        if (!count.has_value()) continue;
        found->push_back(fmt::format("{}/{}", *count, unit));
        add(table, key, fmt::format("[limit.{}] rate has {}", limit, toml_string(found->back())));
      }
    }
    table.finish();
  }

  void read_audit(TableReader& table) {
    if (const auto is_enabled = table.boolean("enabled")) {
      if (*is_enabled) {
        add(table, "enabled", "[audit]: without a record no call passes");
      } else {
        table.problems().error(table.where("enabled"),
                               "the record cannot be switched off: without it no call passes",
                               "write enabled = true");
      }
    }
    if (const auto days = table.integer("retention_days", {.min = 1, .max = 3650})) {
      settings_.retention = std::chrono::days(*days);
      add(table, "retention_days",
          setting("audit", "retention", toml_string(duration_text(*settings_.retention))));
    }
    need(table, "sinks", "write [mcp.protocol.audit.sinks] with file_sink = true and file_path");
    if (auto sinks = table.table("sinks")) read_sinks(*sinks);
    for (const LogSwitch& one : kLogSwitches)
      read_switch(table, one);
    table.finish();
  }

  /// For the sinks beside the file: the record itself leaves nothing out.
  void read_switch(TableReader& table, const LogSwitch& one) {
    const auto is_on = table.boolean(one.key);
    if (!is_on.has_value()) return;
    if (*is_on) return add(table, one.key, fmt::format("nothing: {}", one.in_record));
    if (one.key == "log_security_events") {
      return table.problems().error(table.where(one.key),
                                    "security events reach the record and every export",
                                    fmt::format("write {} = true", one.key));
    }
    if (settings_.exports.empty()) {
      return add(table, one.key,
                 "nothing: the record leaves nothing out, and there is no other sink");
    }
    std::string became;
    for (GroundhogExport& sink : settings_.exports) {
      sink.left_out.emplace_back(one.key);
      if (!became.empty()) became += ", ";
      became += setting("export." + sink.name, one.key, "false");
    }
    add(table, one.key, std::move(became));
  }

  void read_sinks(TableReader& table) {
    need(table, "file_sink", "write file_sink = true");
    const bool has_file = table.boolean("file_sink").value_or(true);
    const auto file = table.path("file_path");
    if (has_file) {
      need(table, "file_path", "write the path of the record's file");
      add(table, "file_sink", "[audit]");
      settings_.record = file.value_or("");
      add(table, "file_path", setting("audit", "file", toml_string(settings_.record)));
    } else {
      table.problems().error(table.where("file_sink"),
                             "the record is a file: without it no call passes",
                             "write file_sink = true and file_path = \"PATH\"");
      add(table, "file_path", "nothing: file_sink is false");
    }
    for (const GroundhogSink& sink : kGroundhogSinks)
      read_other_sink(table, sink);
    table.finish();
  }

  /// The target is never shown or copied, because it may have a password.
  void read_other_sink(TableReader& table, const GroundhogSink& sink) {
    const auto is_on = table.boolean(sink.enabled);
    const TomlEntry* target = table.find(sink.target, Type::text);
    const bool is_secret = target != nullptr && holds_password(target->value.text);
    if (!is_on.has_value()) {
      if (target == nullptr || table.has(sink.enabled)) return;
      return table.problems().error(
          target->value.where, fmt::format("nothing says whether {} is used", quote(sink.target)),
          fmt::format("write {} = false", sink.enabled));
    }
    if (!*is_on) {
      add(table, sink.enabled, "nothing: it is off");
      add(table, sink.target,
          fmt::format("nothing: {} is false{}", sink.enabled,
                      is_secret ? "; it holds a password, which is left out" : ""));
      return;
    }
    if (target == nullptr) {
      return table.problems().error(
          table.where(sink.enabled),
          fmt::format("{} needs {}", quote(sink.enabled), quote(sink.target)),
          fmt::format("write {} = \"{}\"", sink.target, sink.example));
    }
    add(table, sink.enabled, fmt::format("[export.{}]", sink.name));
    if (is_secret) {
      return table.problems().error(
          target->value.where,
          fmt::format("{} holds a password, and a configuration only names secrets",
                      quote(sink.target)),
          fmt::format("take it out, convert, and write password = "
                      "\"file:/etc/bartizan/secrets/export\" into [export.{}]; the file has mode "
                      "0600",
                      sink.name));
    }
    const auto made = export_of(sink, target->value.text);
    if (!made.has_value()) {
      return table.problems().error(
          target->value.where, fmt::format("{} cannot receive records", quote(sink.target)),
          fmt::format("write {} = \"{}\"; only this machine is reached without TLS", sink.target,
                      sink.example));
    }
    add(table, sink.target,
        setting("export." + made->name, "url", toml_string(made->url)) +
            (made->user.empty() ? "" : fmt::format(", user = {}", toml_string(made->user))));
    settings_.exports.push_back(*made);
  }

  const std::vector<std::string>& hosts_;
  ConversionReport& report_;
  GroundhogSettings settings_;
};

}  // namespace

std::span<const KnownKey> groundhog_keys() {
  return kKeys;
}

GroundhogSettings read_groundhog(TableReader& root, const std::vector<std::string>& hosts,
                                 ConversionReport& report) {
  return GroundhogReader(hosts, report).read(root);
}

}  // namespace bartizan
