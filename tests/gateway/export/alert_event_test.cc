// What an alert says, and which records it tells as one.
#include "gateway/export/alert_event.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bartizan {
namespace {

Record denied() {
  Record record;
  record.kind = RecordKind::decision;
  record.decision = "deny";
  record.reason = "tool_quarantined";
  record.category = "tool";
  record.rule = "analysts";
  record.principal = "ann";
  record.server = "files";
  record.method = "tools/call";
  record.target = "read";
  record.arguments = {R"(/path "/etc/shadow")"};
  return record;
}

ExportedRecord exported(const Record& record, std::uint64_t sequence) {
  return {.line = "{}",
          .body = "",
          .sequence = sequence,
          .hash = "ab",
          .time = "2026-11-30T12:00:00.000000Z",
          .record = &record};
}

TEST(AlertEvent, NamesTheRecordAndNoArgument) {
  const RecordOrigin origin{.instance = "gw-1", .chain = std::string(64, 'c')};
  const Record record = denied();
  const AlertEvent event = alert_event(origin, exported(record, 7));
  EXPECT_EQ(alert_json("desk", event, false),
            R"({"alert":"desk","instance":"gw-1","record":"gw-1-cccccccccccccccc-7","hash":"ab",)"
            R"("time":"2026-11-30T12:00:00.000000Z","severity":"critical",)"
            R"("technique":"AML.T0110","kind":"decision","reason":"tool_quarantined",)"
            R"("rule":"analysts","decision":"deny","principal":"ann","server":"files",)"
            R"("method":"tools/call","target":"read","count":1,)"
            R"("last_time":"2026-11-30T12:00:00.000000Z","repeat":false})");
}

TEST(AlertKey, IsThatOfAlikeRecordsAlone) {
  const std::string key = alert_key(denied());
  struct Case {
    std::string name;
    void (*change)(Record&);
    bool is_alike;
  };
  const std::vector<Case> cases = {
      {"nothing", [](Record&) {}, true},
      {"another call", [](Record& record) { record.decision_id = "id"; }, true},
      {"another argument", [](Record& record) { record.arguments = {}; }, true},
      {"another address", [](Record& record) { record.source = "10.0.0.1:5"; }, true},
      {"another principal", [](Record& record) { record.principal = "bob"; }, false},
      {"another tool", [](Record& record) { record.target = "write"; }, false},
      {"another reason", [](Record& record) { record.reason = "forbidden"; }, false},
      {"another rule", [](Record& record) { record.rule = "all"; }, false},
      {"another server", [](Record& record) { record.server = "web"; }, false},
      {"another kind", [](Record& record) { record.kind = RecordKind::outcome; }, false},
      {"parts that run together",
       [](Record& record) {
         record.principal = "annfiles";
         record.server = "";
       },
       false},
  };
  for (const Case& each : cases) {
    Record record = denied();
    each.change(record);
    EXPECT_EQ(alert_key(record) == key, each.is_alike) << each.name;
  }
}

}  // namespace
}  // namespace bartizan
