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

/// `[export.NAME]`: where the record is sent beside its file.
struct ExportConfig {
  std::string name = {};
  enum class Type : std::uint8_t {
    json_lines,  ///< HTTP POST, a record a line.
    splunk,      ///< Splunk's HTTP Event Collector.
    elastic,     ///< The bulk API of Elasticsearch and OpenSearch.
    otlp,        ///< OpenTelemetry logs over HTTP, as JSON.
    syslog,      ///< RFC 5424 over TLS, TCP, UDP or a Unix socket.
    postgresql
  } type = Type::json_lines;
  /// `https://`, `http://`; of syslog `tls://`, `tcp://`, `udp://` and `unix:`; of PostgreSQL
  /// `postgresql://HOST:PORT/DATABASE`.
  std::string url = {};
  /// What a message of syslog holds.
  enum class Format : std::uint8_t { json, cef } format = Format::json;
  std::string ca_file = {};       ///< `tls_ca`: PEM roots; system roots if empty.
  bool plaintext = false;         ///< Whether it may leave the machine without TLS.
  SecretReference token = {};     ///< Of HTTP: the bearer token; of Splunk, the collector's.
  std::string user = {};          ///< Of PostgreSQL, and of HTTP the Basic scheme.
  SecretReference password = {};  ///< Of that user.
  std::string index = {};         ///< Of Elastic, required; of Splunk, the index.
  /// What is sent. Security events always are, and so is what begins and ends the record.
  bool log_tool_invocations = true;
  bool log_performance_events = true;
  bool log_protocol_errors = true;
  /// How long a closed file that is past its retention waits for this sink; an hour to a year.
  std::chrono::milliseconds hold = std::chrono::hours(24 * 7);
  Position where = {};
};

/// `[alert.NAME]`: who is told at once of what is grave.
struct AlertConfig {
  std::string name = {};
  std::string url = {};                   ///< Of a webhook; exactly one of the two is set.
  std::vector<std::string> command = {};  ///< Program and arguments; no shell. JSON on its input.
  SecretReference secret = {};            ///< Of the HMAC that signs what a webhook gets.
  std::string ca_file = {};               ///< `tls_ca`: PEM roots; system roots if empty.
  Risk at_least = Risk::critical;
  /// Alike events within this time are sent as one, with their number.
  std::chrono::milliseconds group{60'000};
  Position where = {};
};

using ExportConfigs = std::map<std::string, ExportConfig, std::less<>>;
using AlertConfigs = std::map<std::string, AlertConfig, std::less<>>;

}  // namespace bartizan
