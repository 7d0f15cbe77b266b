#include "gateway/approval/recorded_approvals.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/record_lines.h"

namespace bartizan {
namespace {

/// Quotes inside a text are escaped, so these bytes are only ever the member itself.
constexpr std::string_view kStart = R"({"v":1,"kind":"approval",)";

std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

bool contains_person(const std::vector<ApprovalAnswer>& answers, std::string_view person) {
  return std::ranges::find(answers, person, &ApprovalAnswer::person) != answers.end();
}

void take(std::map<std::string, Approvals::Recorded>& all, const Record& record,
          const Persons& persons) {
  const auto state = parse_approval_state(record.approval);
  if (!state.has_value() || record.decision_id.empty()) return;
  Approvals::Recorded& recorded = all[std::string(record.decision_id)];
  recorded.state = *state;
  recorded.at = seconds_of(record.time);
  recorded.digest = record.argument_digest;
  if (record.decision.empty()) return;
  // Two principals that answered may now be one person; an answer may be recorded twice.
  const std::string_view person = persons.person_of(record.principal);
  if (contains_person(recorded.answers, person)) return;
  recorded.answers.push_back({.request = std::string(record.decision_id),
                              .approver = std::string(record.principal),
                              .roles = {record.roles.begin(), record.roles.end()},
                              .proved = std::string(record.proof),
                              .person = std::string(person),
                              .approves = record.decision == "permit",
                              .proof = std::string(record.jws),
                              .at = recorded.at});
}

}  // namespace

Result<std::map<std::string, Approvals::Recorded>> read_recorded_approvals(const std::string& path,
                                                                           std::int64_t since,
                                                                           const Persons& persons) {
  const Result<std::vector<ChainFile>> files = find_chain(path);
  if (!files.has_value()) return std::unexpected(files.error());
  std::map<std::string, Approvals::Recorded> all;
  RecordReader reader;
  bool is_reading = false;
  for (const ChainFile& file : *files) {
    // All files after the first matching one are read: a clock may have been set back.
    is_reading = is_reading || file.path == path || seconds_of(file.ended) >= since;
    if (!is_reading) continue;
    Result<RecordLines> lines = RecordLines::open(file.path);
    if (!lines.has_value()) return std::unexpected(lines.error());
    while (true) {
      const Result<RecordLines::Line> line = lines->next();
      if (!line.has_value()) return std::unexpected(line.error());
      if (line->number == 0) break;
      if (line->too_long || !line->text.starts_with(kStart)) continue;
      const auto parts = split_chain_line(line->text);
      if (!parts.has_value()) continue;
      const Result<const Record*> record = reader.read(parts->body);
      if (record.has_value()) take(all, **record, persons);
    }
  }
  return all;
}

}  // namespace bartizan
