#include "config/load/load_export.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "config/check_name.h"
#include "config/export_place.h"
#include "config/load/load_issuer.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"

namespace bartizan {
namespace {

using enum ExportConfig::Type;
using Wire = ExportPlace::Wire;

constexpr std::array<std::pair<std::string_view, ExportConfig::Type>, 6> kTypes{
    {{"json_lines", json_lines},
     {"splunk", splunk},
     {"elastic", elastic},
     {"otlp", otlp},
     {"syslog", syslog},
     {"postgresql", postgresql}}};
constexpr std::array<std::pair<std::string_view, ExportConfig::Format>, 2> kFormats{
    {{"json", ExportConfig::Format::json}, {"cef", ExportConfig::Format::cef}}};
constexpr std::array<std::pair<std::string_view, bool>, 1> kPlaintext{{{"trusted-network", true}}};

constexpr std::int64_t kHourMs = 3'600'000;
constexpr Range kHold{.min = kHourMs, .max = std::int64_t{365} * 24 * kHourMs};
constexpr Range kGroup{.min = 1'000, .max = kHourMs};
constexpr Range kEvery{.min = 1'000, .max = 24 * kHourMs};

bool is_http(ExportConfig::Type type) {
  return type != syslog && type != postgresql;
}

std::string_view how_to_write_url(ExportConfig::Type type) {
  switch (type) {
    case syslog:
      return "write url = \"tls://siem.example.com:6514\"; tcp://, udp:// and unix:/PATH are "
             "taken, "
             "too";
    case postgresql:
      return "write url = \"postgresql://db.example.com/audit\", and \"user\" and \"password\" by "
             "themselves";
    default:
      return "write url = \"https://siem.example.com/path\", without user name and fragment";
  }
}

/// Whether nobody on the network can read or change the data. Nothing if the URL does not fit the
/// type.
std::optional<bool> is_safe_place(const ExportConfig& sink) {
  if (is_http(sink.type)) {
    const UrlKind kind = parse_url_kind(sink.url);
    if (kind != UrlKind::http && kind != UrlKind::https) return std::nullopt;
    return is_safe_url(sink.url);
  }
  const auto place = parse_export_place(sink.url);
  if (!place || (place->wire == Wire::postgresql) != (sink.type == postgresql)) return std::nullopt;
  return place->wire == Wire::tls || place->wire == Wire::postgresql || place->is_local();
}

void check_place(TableReader& table, const ExportConfig& sink) {
  if (sink.url.empty()) {
    if (!table.has("url")) {
      table.problems().error(sink.where, "an export needs \"url\"",
                             std::string(how_to_write_url(sink.type)));
    }
    return;
  }
  const auto is_safe = is_safe_place(sink);
  // An invalid URL may have a password, so it is not printed.
  if (!is_safe) {
    table.problems().error(table.where("url"), "\"url\" is not a URL of this type of export",
                           std::string(how_to_write_url(sink.type)));
  } else if (!*is_safe && !sink.plaintext) {
    table.problems().error(
        table.where("url"), "the record would leave this machine without TLS",
        "use TLS, or write plaintext = \"trusted-network\" if others protect the network");
  }
}

/// Reports a key that has no meaning for this type of export.
void check_key_fits(TableReader& table, std::string_view key, bool fits, std::string_view whose) {
  if (fits || !table.has(key)) return;
  table.problems().error(table.where(key), fmt::format("{} is for {}", quote(key), whose));
}

void check_credentials(TableReader& table, const ExportConfig& sink) {
  check_key_fits(table, "token", is_http(sink.type), "exports over HTTP");
  check_key_fits(table, "user", sink.type != syslog, "exports over HTTP and to PostgreSQL");
  check_key_fits(table, "password", table.has("user"), "an export with \"user\"");
  check_key_fits(table, "user", !table.has("token"), "an export without \"token\"");
  check_key_fits(table, "index", sink.type == elastic || sink.type == splunk,
                 "the types \"elastic\" and \"splunk\"");
  const auto need = [&](std::string_view key, bool is_needed) {
    if (!is_needed || table.has(key)) return;
    table.problems().error(sink.where, fmt::format("this type of export needs {}", quote(key)));
  };
  need("index", sink.type == elastic);
  need("token", sink.type == splunk);
  need("user", sink.type == postgresql);
}

void load_filter(TableReader& table, ExportConfig& sink) {
  const auto read = [&table](std::string_view key, bool& value) {
    value = table.boolean(key).value_or(value);
  };
  read("log_tool_invocations", sink.log_tool_invocations);
  read("log_performance_events", sink.log_performance_events);
  read("log_protocol_errors", sink.log_protocol_errors);
  if (table.boolean("log_security_events").value_or(true)) return;
  table.problems().error(table.where("log_security_events"),
                         "security events reach every export: \"log_security_events\" cannot be "
                         "false",
                         "leave it out");
}

ExportConfig load_export(const Text& name, TableReader& table) {
  check_name(name, "export", table.problems());
  ExportConfig sink{.name = name.value, .where = name.where};
  const auto type = table.choice<ExportConfig::Type>("type", kTypes);
  if (!table.has("type")) {
    table.problems().error(name.where, "an export needs \"type\"",
                           "one of json_lines, splunk, elastic, otlp, syslog and postgresql");
  }
  sink.type = type.value_or(sink.type);
  sink.url = table.text("url").value_or("");
  sink.ca_file = table.path("tls_ca").value_or("");
  sink.plaintext = table.choice<bool>("plaintext", kPlaintext).value_or(false);
  sink.format = table.choice<ExportConfig::Format>("format", kFormats).value_or(sink.format);
  sink.token = table.secret("token");
  sink.user = table.text("user").value_or("");
  sink.password = table.secret("password");
  sink.index = table.text("index").value_or("");
  load_filter(table, sink);
  sink.hold = table.duration("hold", kHold).value_or(sink.hold);
  // The accepted keys depend on the type.
  if (type) {
    check_place(table, sink);
    check_credentials(table, sink);
    check_key_fits(table, "format", sink.type == syslog, "the type \"syslog\"");
  }
  table.finish();
  return sink;
}

/// A program with an absolute path, so that PATH cannot change it.
std::vector<std::string> load_absolute_program(TableReader& table) {
  std::vector<std::string> command = load_program(table);
  if (command.empty() || command.front().starts_with('/')) return command;
  table.problems().error(table.where("command"),
                         "\"command\" must begin with the absolute path of a program");
  return {};
}

AlertConfig load_alert(const Text& name, TableReader& table) {
  check_name(name, "alert", table.problems());
  AlertConfig alert{.name = name.value, .where = name.where};
  alert.url = load_url(table, "url");
  alert.command = load_absolute_program(table);
  alert.secret = table.secret("secret");
  alert.ca_file = table.path("tls_ca").value_or("");
  alert.at_least = table.choice<Risk>("at_least", kRiskNames).value_or(alert.at_least);
  alert.group = table.duration("group", kGroup).value_or(alert.group);
  if (table.has("url") == table.has("command")) {
    table.problems().error(name.where, "an alert needs either \"url\" or \"command\"");
  }
  if (table.has("url") && !table.has("secret")) {
    table.problems().error(name.where, "an alert with \"url\" needs \"secret\"",
                           "it signs what is sent: secret = \"file:PATH\"");
  }
  check_key_fits(table, "secret", table.has("url"), "an alert with \"url\"");
  check_key_fits(table, "tls_ca", table.has("url"), "an alert with \"url\"");
  table.finish();
  return alert;
}

}  // namespace

ExportConfigs load_exports(TableReader& root) {
  ExportConfigs exports;
  for (auto& [name, table] : root.named_tables("export"))
    exports.emplace(name.value, load_export(name, table));
  return exports;
}

AlertConfigs load_alerts(TableReader& root) {
  AlertConfigs alerts;
  for (auto& [name, table] : root.named_tables("alert"))
    alerts.emplace(name.value, load_alert(name, table));
  return alerts;
}

std::optional<SignedHeadConfig> load_signed_heads(TableReader& audit,
                                                  const ExportConfigs& exports) {
  auto table = audit.table("heads");
  if (!table) return std::nullopt;
  SignedHeadConfig heads{.where = table->where()};
  heads.key = table->secret("key");
  if (!table->has("key")) {
    table->problems().error(heads.where, "heads need \"key\"",
                            "an Ed25519 private key in PEM: key = \"file:PATH\"");
  }
  heads.every = table->duration("every", kEvery).value_or(heads.every);
  heads.file = table->path("file").value_or("");
  heads.command = load_absolute_program(*table);
  const std::vector<Text> names = table->texts("exports");
  for (const Text& name : names)
    check_reference(name, "export", exports, table->problems());
  heads.exports = values(names);
  if (heads.file.empty() && heads.command.empty() && names.empty()) {
    table->problems().error(heads.where,
                            "heads need \"file\", \"command\" or \"exports\", to be kept there");
  }
  table->finish();
  return heads;
}

}  // namespace bartizan
