#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/position.h"
#include "config/risk.h"
#include "config/secret_reference.h"

namespace bartizan {

/// `[export.NAME]`: a receiver of the record, in addition to its file.
struct ExportConfig {
  std::string name = {};
  enum class Type : std::uint8_t {
    json_lines,  ///< HTTP POST, one record per line.
    splunk,      ///< Splunk's HTTP Event Collector.
    elastic,     ///< The bulk API of Elasticsearch and OpenSearch.
    otlp,        ///< OpenTelemetry logs over HTTP, as JSON.
    syslog,      ///< RFC 5424 over TLS, TCP, UDP or a Unix socket.
    postgresql
  } type = Type::json_lines;
  /// `https://` or `http://`. For syslog `tls://`, `tcp://`, `udp://` or `unix:`; for PostgreSQL
  /// `postgresql://HOST:PORT/DATABASE`.
  std::string url = {};
  /// The content of a syslog message.
  enum class Format : std::uint8_t { json, cef } format = Format::json;
  std::string ca_file = {};       ///< `tls_ca`: PEM roots; system roots if empty.
  bool plaintext = false;         ///< Whether records may leave the machine without TLS.
  SecretReference token = {};     ///< For HTTP the bearer token; for Splunk the collector's.
  std::string user = {};          ///< For PostgreSQL, and for the Basic scheme of HTTP.
  SecretReference password = {};  ///< Of that user.
  std::string index = {};         ///< For Elastic, required; for Splunk, the index.
  /// The categories to send. Security events, and the first and last records, are always sent.
  bool log_tool_invocations = true;
  bool log_performance_events = true;
  bool log_protocol_errors = true;
  /// How long a closed file past its retention waits for this receiver; an hour to a year.
  std::chrono::milliseconds hold = std::chrono::hours(24 * 7);
  Position where = {};
};

/// `[alert.NAME]`: a receiver of immediate alerts about severe events.
struct AlertConfig {
  std::string name = {};
  std::string url = {};  ///< Of a webhook. Either `url` or `command` is set.
  /// Program and arguments, without a shell. Gets JSON on its standard input.
  std::vector<std::string> command = {};
  SecretReference secret = {};  ///< HMAC key that signs the webhook's messages.
  std::string ca_file = {};     ///< `tls_ca`: PEM roots; system roots if empty.
  Risk at_least = Risk::critical;
  /// Similar events within this time are sent as one, with their count.
  std::chrono::milliseconds group{60'000};
  Position where = {};
};

using ExportConfigs = std::map<std::string, ExportConfig, std::less<>>;
using AlertConfigs = std::map<std::string, AlertConfig, std::less<>>;

}  // namespace bartizan
