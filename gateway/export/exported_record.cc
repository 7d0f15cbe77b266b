#include "gateway/export/exported_record.h"

#include <array>
#include <charconv>
#include <chrono>

#include "audit/encode_record.h"
#include "audit/record_class.h"
#include "gateway/runtime/version.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> room;
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number);
  out.append(room.data(), end.ptr);
}

/// Appends the derived members, before the record's own.
void append_derived(std::string& out, const RecordOrigin& origin, const Record& record) {
  out += R"("instance":)";
  out += json_string(origin.instance);
  out += R"(,"chain_id":")";
  out += origin.chain;
  out += R"(","class":")";
  out += text(class_of(record));
  out += R"(","severity":")";
  out += text(severity_of(record));
  out += '"';
  if (const std::string_view technique = atlas_technique(record.reason); !technique.empty()) {
    out += R"(,"technique":")";
    out += technique;
    out += '"';
  }
}

// --- CEF ----------------------------------------------------------------------------------------

/// Source: CEF, "Character encoding": `|` and `\` in the header, `=`, `\` and line ends in values.
void append_cef_escaped(std::string& out, std::string_view value, char special) {
  for (const char letter : value) {
    if (letter == '\\' || letter == special) {
      out += '\\';
      out += letter;
    } else if (letter == '\n') {
      out += R"(\n)";
    } else if (letter == '\r') {
      out += R"(\r)";
    } else {
      out += letter;
    }
  }
}

void append_extension(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != '|') out += ' ';
  out += key;
  out += '=';
  append_cef_escaped(out, value, '=');
}

void append_labelled(std::string& out, std::string_view key, std::string_view label,
                     std::string_view value) {
  if (value.empty()) return;
  append_extension(out, std::string(key) + "Label", label);
  append_extension(out, key, value);
}

std::string_view cef_severity(Risk risk) {
  switch (risk) {
    case Risk::low:
      return "2";
    case Risk::medium:
      return "5";
    case Risk::high:
      return "8";
    case Risk::critical:
      return "10";
  }
  return "5";
}

std::string joined(const std::vector<std::string_view>& texts) {
  std::string all;
  for (const std::string_view text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

/// Appends the values for which CEF has no field, as its six custom strings.
void append_cef_texts(std::string& out, const RecordOrigin& origin, const ExportedRecord& event) {
  const Record& record = *event.record;
  append_labelled(out, "cs1", "rule", record.rule);
  append_labelled(out, "cs2", "decisionId", record.decision_id);
  append_labelled(out, "cs3", "policy", record.policy);
  append_labelled(out, "cs4", "recordId", record_id(origin, event.sequence));
  append_labelled(out, "cs5", "recordHash", event.hash);
  const std::string redacted = joined(record.redacted);
  const std::string arguments = joined(record.arguments);
  if (!arguments.empty()) return append_labelled(out, "cs6", "arguments", arguments);
  append_labelled(out, "cs6", "redacted", redacted);
}

/// `127.0.0.1` and `51234` of `127.0.0.1:51234`, `[::1]:51234` and `127.0.0.1`.
std::pair<std::string_view, std::string_view> split_source(std::string_view source) {
  const std::size_t colon = source.rfind(':');
  const bool has_port =
      colon != source.npos && (source.find(':') == colon || source[colon - 1] == ']');
  std::string_view host = has_port ? source.substr(0, colon) : source;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, has_port ? source.substr(colon + 1) : std::string_view()};
}

bool is_address(std::string_view source) {
  return !source.empty() && source != "stdio" && !source.starts_with("uid:") &&
         (source.front() == '[' || (source.front() >= '0' && source.front() <= '9'));
}

/// The event in a word or two: the reason of a refusal, or how a call ended.
std::string_view event_of(const Record& record) {
  if (!record.reason.empty()) return record.reason;
  if (record.kind == RecordKind::outcome) return text(record.outcome);
  if (record.kind == RecordKind::approval) return record.approval;
  return record.decision.empty() ? text(record.kind) : record.decision;
}

// --- OTLP ---------------------------------------------------------------------------------------

/// Source: OpenTelemetry, "Logs Data Model", SeverityNumber.
std::pair<int, std::string_view> otlp_severity(Risk risk) {
  switch (risk) {
    case Risk::low:
      return {9, "INFO"};
    case Risk::medium:
      return {13, "WARN"};
    case Risk::high:
      return {17, "ERROR"};
    case Risk::critical:
      return {21, "FATAL"};
  }
  return {9, "INFO"};
}

class Attributes {
 public:
  explicit Attributes(std::string& out) : out_(out) { out_ += R"("attributes":[)"; }
  ~Attributes() { out_ += ']'; }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    out_ += R"({"stringValue":)";
    out_ += json_string(value);
    out_ += "}}";
  }
  /// 64-bit integers are strings in this encoding.
  void add(std::string_view key, std::int64_t value) {
    if (value == 0) return;
    begin(key);
    out_ += R"({"intValue":")";
    append_number(out_, value);
    out_ += R"("}})";
  }

 private:
  void begin(std::string_view key) {
    if (out_.back() != '[') out_ += ',';
    out_ += R"({"key":")";
    out_ += key;
    out_ += R"(","value":)";
  }
  std::string& out_;
};

/// `00-TRACE-SPAN-FLAGS`. Source: W3C Trace Context §3.2.2.
void append_trace(std::string& out, std::string_view correlation) {
  constexpr std::size_t kTrace = 32;
  constexpr std::size_t kSpan = 16;
  constexpr std::size_t kWhole = 3 + kTrace + 1 + kSpan + 3;
  if (correlation.size() != kWhole || !correlation.starts_with("00-")) return;
  out += R"(,"traceId":")";
  out += correlation.substr(3, kTrace);
  out += R"(","spanId":")";
  out += correlation.substr(3 + kTrace + 1, kSpan);
  out += '"';
}

void append_otlp_record(std::string& out, const RecordOrigin& origin, const ExportedRecord& event) {
  const Record& record = *event.record;
  const auto since =
      std::chrono::duration_cast<std::chrono::nanoseconds>(record.time.time_since_epoch());
  out += R"({"timeUnixNano":")";
  append_number(out, since.count());
  const auto [number, name] = otlp_severity(severity_of(record));
  out += R"(","severityNumber":)";
  append_number(out, number);
  out += R"(,"severityText":")";
  out += name;
  out += R"(","body":{"stringValue":)";
  out += json_string(event.line);
  out += "},";
  {
    Attributes attributes(out);
    attributes.add("event.name", "bartizan." + std::string(text(record.kind)));
    attributes.add("bartizan.class", text(class_of(record)));
    attributes.add("bartizan.record.id", record_id(origin, event.sequence));
    attributes.add("bartizan.record.seq", static_cast<std::int64_t>(event.sequence));
    attributes.add("bartizan.record.hash", event.hash);
    attributes.add("bartizan.decision_id", record.decision_id);
    attributes.add("bartizan.decision", record.decision);
    attributes.add("bartizan.reason", record.reason);
    attributes.add("bartizan.rule", record.rule);
    attributes.add("bartizan.server", record.server);
    attributes.add("bartizan.policy", record.policy);
    attributes.add("bartizan.technique", atlas_technique(record.reason));
    attributes.add("enduser.id", record.principal);
    attributes.add("client.address", split_source(record.source).first);
    attributes.add("mcp.method.name", record.method);
    attributes.add("mcp.protocol.version", record.protocol);
    if (record.method == "tools/call") attributes.add("gen_ai.tool.name", record.target);
    if (record.outcome != Outcome::none) attributes.add("bartizan.outcome", text(record.outcome));
    attributes.add("rpc.response.status_code",
                   record.rpc_code == 0 ? "" : std::to_string(record.rpc_code));
    attributes.add("bartizan.duration_us", static_cast<std::int64_t>(record.duration_us));
  }
  append_trace(out, record.correlation_id);
  out += '}';
}

}  // namespace

void append_json_record(std::string& out, const RecordOrigin& origin,
                        const ExportedRecord& record) {
  out += '{';
  append_derived(out, origin, *record.record);
  out += ',';
  out += record.line.substr(1);
}

std::string record_id(const RecordOrigin& origin, std::uint64_t sequence) {
  constexpr std::size_t kDigits = 16;
  std::string id = origin.instance + '-';
  id += std::string_view(origin.chain).substr(0, kDigits);
  id += '-';
  append_number(id, static_cast<std::int64_t>(sequence));
  return id;
}

void append_cef(std::string& out, const RecordOrigin& origin, const ExportedRecord& event) {
  const Record& record = *event.record;
  out += "CEF:0|Bartizan|bartizan|";
  append_cef_escaped(out, kVersion, '|');
  out += '|';
  append_cef_escaped(out, text(record.kind), '|');
  out += '|';
  append_cef_escaped(out, event_of(record), '|');
  out += '|';
  out += cef_severity(severity_of(record));
  out += '|';
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(record.time.time_since_epoch());
  append_extension(out, "rt", std::to_string(since.count()));
  append_extension(out, "dvchost", origin.instance);
  append_extension(out, "cat", text(class_of(record)));
  if (is_address(record.source)) {
    const auto [host, port] = split_source(record.source);
    append_extension(out, "src", host);
    append_extension(out, "spt", port);
  }
  append_extension(out, "suser", record.principal);
  append_extension(out, "spriv", joined(record.roles));
  append_extension(out, "app", record.transport);
  append_extension(out, "requestMethod", record.method);
  append_extension(out, "destinationServiceName", record.server);
  append_extension(out, "fname", record.target);
  append_extension(out, "act", record.decision);
  append_extension(out, "outcome", text(record.outcome) == "none" ? "" : text(record.outcome));
  append_extension(out, "reason", record.reason);
  if (record.bytes_in > 0) append_extension(out, "in", std::to_string(record.bytes_in));
  if (record.bytes_out > 0) append_extension(out, "out", std::to_string(record.bytes_out));
  append_extension(out, "msg", record.detail);
  append_extension(out, "externalId", record_id(origin, event.sequence));
  append_cef_texts(out, origin, event);
  append_labelled(out, "flexString1", "mitreAtlas", atlas_technique(record.reason));
}

void append_syslog_head(std::string& out, const RecordOrigin& origin, const ExportedRecord& event,
                        std::string_view host, std::uint32_t process) {
  constexpr int kAudit = 13 * 8;
  const auto severity = [&] {
    switch (severity_of(*event.record)) {
      case Risk::low:
        return 6;
      case Risk::medium:
        return 4;
      case Risk::high:
        return 3;
      case Risk::critical:
        return 2;
    }
    return 6;
  }();
  out += '<';
  append_number(out, kAudit + severity);
  out += ">1 ";
  out += event.time;
  out += ' ';
  out += host.empty() ? "-" : host;
  out += " bartizan ";
  append_number(out, process);
  out += ' ';
  out += text(event.record->kind);
  // The private enterprise number reserved for documentation. Source: RFC 5612.
  out += R"( [bartizan@32473 instance=")";
  for (const char letter : origin.instance) {
    if (letter == '"' || letter == '\\' || letter == ']') out += '\\';
    out += letter;
  }
  out += R"(" chain=")";
  out += origin.chain;
  out += R"(" seq=")";
  append_number(out, static_cast<std::int64_t>(event.sequence));
  out += R"(" hash=")";
  out += event.hash;
  out += R"("] )";
}

std::string otlp_logs(const RecordOrigin& origin, std::span<const ExportedRecord> records) {
  std::string out = R"({"resourceLogs":[{"resource":{)";
  {
    Attributes attributes(out);
    attributes.add("service.name", "bartizan");
    attributes.add("service.version", kVersion);
    attributes.add("service.instance.id", origin.instance);
    attributes.add("bartizan.chain", origin.chain);
  }
  out += R"(},"scopeLogs":[{"scope":{"name":"bartizan.record"},"logRecords":[)";
  bool is_first = true;
  for (const ExportedRecord& record : records) {
    if (!is_first) out += ',';
    is_first = false;
    append_otlp_record(out, origin, record);
  }
  out += "]}]}]}";
  return out;
}

std::string elastic_bulk(const RecordOrigin& origin, std::string_view index,
                         std::span<const ExportedRecord> records) {
  std::string out;
  const std::string quoted = json_string(index);
  for (const ExportedRecord& record : records) {
    out += R"({"create":{"_index":)";
    out += quoted;
    out += R"(,"_id":)";
    out += json_string(record_id(origin, record.sequence));
    out += "}}\n{\"@timestamp\":\"";
    out += record.time;
    out += "\",";
    append_derived(out, origin, *record.record);
    out += ',';
    out += record.line.substr(1);
    out += '\n';
  }
  return out;
}

std::string splunk_events(const RecordOrigin& origin, std::string_view index,
                          std::span<const ExportedRecord> records) {
  std::string out;
  for (const ExportedRecord& record : records) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
        record.record->time.time_since_epoch());
    out += R"({"time":)";
    append_number(out, since.count() / 1000);
    out += '.';
    const std::string millis = std::to_string(1000 + since.count() % 1000);
    out += std::string_view(millis).substr(1);
    out += R"(,"host":)";
    out += json_string(origin.instance);
    out += R"(,"source":"bartizan","sourcetype":"bartizan:record")";
    if (!index.empty()) {
      out += R"(,"index":)";
      out += json_string(index);
    }
    out += R"(,"event":)";
    append_json_record(out, origin, record);
    out += "}\n";
  }
  return out;
}

std::string json_lines_of(const RecordOrigin& origin, std::span<const ExportedRecord> records) {
  std::string out;
  for (const ExportedRecord& record : records) {
    append_json_record(out, origin, record);
    out += '\n';
  }
  return out;
}

}  // namespace bartizan
