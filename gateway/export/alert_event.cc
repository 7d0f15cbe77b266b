#include "gateway/export/alert_event.h"

#include "audit/record_class.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

void append_member(std::string& json, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!json.empty()) json += ',';
  json += '"';
  json += name;
  json += "\":";
  json += json_string(value);
}

}  // namespace

std::string alert_key(const Record& record) {
  std::string key(text(record.kind));
  for (const std::string_view part :
       {record.reason, record.rule, record.principal, record.server, record.target}) {
    key += '\0';
    key += part;
  }
  return key;
}

AlertEvent alert_event(const RecordOrigin& origin, const ExportedRecord& event) {
  const Record& record = *event.record;
  AlertEvent made{
      .id = record_id(origin, event.sequence), .first = {}, .last_time = std::string(event.time)};
  std::string& json = made.first;
  append_member(json, "instance", origin.instance);
  append_member(json, "record", made.id);
  append_member(json, "hash", event.hash);
  append_member(json, "time", event.time);
  append_member(json, "severity", text(severity_of(record)));
  append_member(json, "technique", atlas_technique(record.reason));
  append_member(json, "kind", text(record.kind));
  append_member(json, "reason", record.reason);
  append_member(json, "rule", record.rule);
  append_member(json, "decision", record.decision);
  append_member(json, "decision_id", record.decision_id);
  append_member(json, "principal", record.principal);
  append_member(json, "source", record.source);
  append_member(json, "server", record.server);
  append_member(json, "method", record.method);
  append_member(json, "target", record.target);
  append_member(json, "detail", record.detail);
  return made;
}

std::string alert_json(std::string_view alert, const AlertEvent& event, bool is_repeat) {
  std::string json;
  append_member(json, "alert", alert);
  json = '{' + json + ',' + event.first;
  json += R"(,"count":)" + std::to_string(event.count);
  json += R"(,"last_time":)" + json_string(event.last_time);
  json += is_repeat ? R"(,"repeat":true})" : R"(,"repeat":false})";
  return json;
}

}  // namespace bartizan
