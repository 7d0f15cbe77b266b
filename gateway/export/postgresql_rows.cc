#include "gateway/export/postgresql_rows.h"

#include <array>

#include "audit/record_class.h"

namespace bartizan {
namespace {

/// One value of COPY's text format. An empty text is NULL.
/// Source: PostgreSQL 15, "COPY", File Formats, Text Format.
void append_value(std::string& out, std::string_view value) {
  if (value.empty()) {
    out += "\\N";
    return;
  }
  for (const char letter : value) {
    switch (letter) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\0':
        break;  // A text of PostgreSQL cannot contain it; the record's line has it escaped.
      default:
        out += letter;
    }
  }
}

}  // namespace

std::string_view day_of(const ExportedRecord& record) {
  constexpr std::size_t kDay = 10;
  return record.time.substr(0, kDay);
}

void append_record_row(std::string& out, const RecordOrigin& origin, const ExportedRecord& event) {
  const Record& record = *event.record;
  const std::string sequence = std::to_string(event.sequence);
  const std::string_view severity = text(severity_of(record));
  const std::string_view outcome =
      record.outcome == Outcome::none ? std::string_view() : text(record.outcome);
  const std::array<std::string_view, 19> values{
      day_of(event), origin.instance,   origin.chain,           sequence,        event.hash,
      event.time,    text(record.kind), text(class_of(record)), severity,        record.principal,
      record.server, record.method,     record.target,          record.decision, record.reason,
      record.rule,   outcome,           record.decision_id,     event.line};
  bool is_first = true;
  for (const std::string_view value : values) {
    if (!is_first) out += '\t';
    is_first = false;
    append_value(out, value);
  }
  out += '\n';
}

std::string partition_name(std::string_view day) {
  std::string name = "record_";
  for (const char letter : day) {
    name += letter == '-' ? '_' : letter;
  }
  return name;
}

}  // namespace bartizan
