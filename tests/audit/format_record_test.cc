#include <gtest/gtest.h>

#include "audit/chain.h"
#include "audit/encode_record.h"
#include "audit/verify.h"

namespace bartizan {
namespace {

std::string line_of(const Record& record) {
  std::string line;
  append_chain_line(line,
                    {.body = encode_record(record).body, .sequence = 7, .prev = {}, .hash = {}});
  line.pop_back();
  return line;
}

Record denial() {
  Record record;
  record.decision_id = "0190aa11";
  record.principal = "ann";
  record.roles = {"analyst", "on-call"};
  record.server = "files";
  record.method = "tools/call";
  record.target = "read_text_file";
  record.decision = "deny";
  record.reason = "path_outside_root";
  record.rule = "notes-only";
  return record;
}

TEST(FormatRecord, PutsADecisionInOneLine) {
  EXPECT_EQ(format_record(line_of(denial()), RecordLayout::line),
            "1970-01-01T00:00:00.000000Z  DENY  ann  files  tools/call  read_text_file  "
            "reason path_outside_root  rule notes-only  id 0190aa11");
}

TEST(FormatRecord, SaysInOneLineWhatWasFound) {
  Record outcome;
  outcome.kind = RecordKind::outcome;
  outcome.outcome = Outcome::success;
  outcome.redacted = {"github.token mask 2", "pii.iban hash 1"};
  outcome.sanitised = {"bidi remove 3", "ansi remove 1", "tag remove 9",
                       "html defuse 1", "url x 1",       "a b 1"};
  EXPECT_EQ(format_record(line_of(outcome), RecordLayout::line),
            "1970-01-01T00:00:00.000000Z  success  redacted github.token mask 2, pii.iban hash 1  "
            "sanitised bidi remove 3, ansi remove 1, tag remove 9, html defuse 1 and 2 more");
}

TEST(FormatRecord, LeadsWithWhatHappened) {
  struct Case {
    const char* name;
    Record record;
    std::string begins;
  };
  Record permit;
  permit.decision = "permit";
  Record outcome;
  outcome.kind = RecordKind::outcome;
  outcome.outcome = Outcome::tool_error;
  outcome.duration_us = 1250;
  Record withheld = outcome;
  withheld.reason = "result_invalid";
  Record doubtful = outcome;
  doubtful.outcome = Outcome::success;
  doubtful.would = {"result_invalid"};
  Record observed;
  observed.decision = "permit";
  observed.would = {"no_rule"};
  Record refusal;
  refusal.kind = RecordKind::refusal;
  refusal.source = "10.0.0.1:99";
  Record summary;
  summary.kind = RecordKind::summary;
  summary.count = 12;
  Record truncated = withheld;
  truncated.outcome = Outcome::success;
  truncated.reason = "result_too_large";
  truncated.detail = "truncated: result (max_blocks: at most 2 blocks)";
  const Case cases[] = {
      {"permit", permit, "PERMIT"},
      {"outcome", outcome, "tool_error  1.3 ms"},
      {"withheld", withheld, "WITHHELD  reason result_invalid  1.3 ms"},
      {"truncated", truncated,
       "TRUNCATED  reason result_too_large  1.3 ms  " + std::string(truncated.detail)},
      {"not withheld", doubtful, "success  would be withheld: result_invalid  1.3 ms"},
      {"observed", observed, "PERMIT  would be refused: no_rule"},
      {"refusal", refusal, "refusal  from 10.0.0.1:99"},
      {"summary", summary, "summary  count 12"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(format_record(line_of(each.record), RecordLayout::line),
              "1970-01-01T00:00:00.000000Z  " + each.begins)
        << each.name;
  }
}

TEST(FormatRecord, PutsEveryFieldInItsOwnLine) {
  EXPECT_EQ(format_record(line_of(denial()), RecordLayout::fields),
            "sequence        7\n"
            "kind            decision\n"
            "time            1970-01-01T00:00:00.000000Z\n"
            "decision_id     0190aa11\n"
            "principal       ann\n"
            "roles           analyst, on-call\n"
            "server          files\n"
            "method          tools/call\n"
            "target          read_text_file\n"
            "decision        deny\n"
            "reason          path_outside_root\n"
            "rule            notes-only\n"
            "hash            " +
                std::string(64, '0') + "\n");
}

TEST(FormatRecord, EscapesWhatATerminalOrAnEyeCouldMisread) {
  struct Case {
    const char* name;
    std::string target;
    std::string shown;
  };
  const Case cases[] = {
      {"escape sequence", "a\x1b[2Jb", "a\\u{1b}[2Jb"},
      {"new line", "a\nb", "a\\u{a}b"},
      {"delete", "a\x7f", "a\\u{7f}"},
      {"C1 control", "a\xC2\x9B", "a\\u{9b}"},
      {"right to left",
       "a\xE2\x80\xAE"
       "b",
       "a\\u{202e}b"},
      {"zero width",
       "a\xE2\x80\x8B"
       "b",
       "a\\u{200b}b"},
      {"tag characters", "a\xF3\xA0\x81\x81", "a\\u{e0041}"},
      {"backslash", "a\\u{1b}", "a\\\\u{1b}"},
      {"letters stay", "caf\xC3\xA9", "caf\xC3\xA9"},
  };
  for (const Case& each : cases) {
    Record record;
    record.target = each.target;
    EXPECT_EQ(format_record(line_of(record), RecordLayout::line),
              "1970-01-01T00:00:00.000000Z  decision  " + each.shown)
        << each.name;
  }
}

TEST(FormatRecord, ShowsAForeignLineAsSuch) {
  EXPECT_EQ(format_record("hello\x1b", RecordLayout::line), "not a record: hello\\u{1b}");
  EXPECT_EQ(format_record("a\xFF", RecordLayout::fields), "not a record: a\\u{fffd}");
  EXPECT_EQ(format_record(std::string(500, 'x'), RecordLayout::line),
            "not a record: " + std::string(200, 'x'));
}

}  // namespace
}  // namespace bartizan
