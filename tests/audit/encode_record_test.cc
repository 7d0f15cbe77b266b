#include "audit/encode_record.h"

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "audit/audit_log.h"
#include "audit/chain.h"
#include "audit/decode_record.h"
#include "audit/record_members.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

std::string body_of(const Record& record) {
  return encode_record(record).body;
}

std::string body_with_target(std::string_view target) {
  Record record;
  record.target = target;
  return body_of(record);
}

std::string start() {
  return R"("v":1,"kind":"decision","time":"1970-01-01T00:00:00.000000Z")";
}

struct TargetCase {
  const char* name;
  std::string target;
  std::string written;
};

TEST(EncodeRecord, WritesTextMinimallyEscapedAndRepaired) {
  const TargetCase cases[] = {
      {"plain", "read_text_file", "read_text_file"},
      {"seven bytes", "1234567", "1234567"},
      {"eight bytes", "12345678", "12345678"},
      {"nine bytes", "123456789", "123456789"},
      {"quote in the last byte", "12345678\"", "12345678\\\""},
      {"quote in the first word", "1234\"5678901", "1234\\\"5678901"},
      {"short with backslash", "a\\b", "a\\\\b"},
      {"long with backslash", "C:\\users\\ann\\notes", "C:\\\\users\\\\ann\\\\notes"},
      {"slash stays", "a/b", "a/b"},
      {"short escapes", "\b\f\n\r\t", "\\b\\f\\n\\r\\t"},
      {"other control", std::string("\x01\x1f", 2) + std::string(1, '\0'), "\\u0001\\u001f\\u0000"},
      {"space and delete stay", " \x7f", " \x7f"},
      {"letters beyond ASCII stay", "caf\xC3\xA9 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xF0\x9F\x98\x80"},
      {"lone byte", "a\xFFz", "a\xEF\xBF\xBDz"},
      {"lone byte in a word",
       "12345\xFF"
       "678",
       "12345\xEF\xBF\xBD"
       "678"},
      {"cut sequence", "a\xE2\x80", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"overlong slash", "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"beyond Unicode", "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"last of Unicode", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
      {"forged end of line", "\",\"seq\":9", "\\\",\\\"seq\\\":9"},
  };
  for (const TargetCase& each : cases) {
    EXPECT_EQ(body_with_target(each.target), start() + ",\"target\":\"" + each.written + "\"")
        << each.name;
  }
}

TEST(EncodeRecord, EscapesEveryByteThatMustBeAtEveryPlaceOfAWord) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
    for (std::size_t place = 0; place < 19; ++place) {
      std::string target(19, 'x');
      target[place] = static_cast<char>(byte);
      const bool kept = body_with_target(target) == start() + ",\"target\":\"" + target + "\"";
      EXPECT_EQ(kept, !special) << byte << " at " << place;
    }
  }
}

TEST(EncodeRecord, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(body_of({}), start());
  Record record;
  record.bytes_in = 1;
  EXPECT_EQ(body_of(record), start() + ",\"bytes_in\":1");
}

TEST(EncodeRecord, WritesIntegersInFull) {
  Record record;
  record.rpc_code = std::numeric_limits<std::int64_t>::min();
  record.bytes_out = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(body_of(record),
            start() + ",\"rpc_code\":-9223372036854775808,\"bytes_out\":18446744073709551615");
}

TEST(EncodeRecord, WritesTimeInMicroseconds) {
  struct Case {
    std::int64_t ns;
    const char* written;
  };
  const Case cases[] = {
      {0, "1970-01-01T00:00:00.000000Z"},
      {1'795'262'400'123'456'789, "2026-11-21T12:00:00.123456Z"},
      {951'782'400'000'000'999, "2000-02-29T00:00:00.000000Z"},
      {-1, "1969-12-31T23:59:59.999999Z"},
      {4'102'444'799'999'999'999, "2099-12-31T23:59:59.999999Z"},
  };
  for (const Case& each : cases) {
    const auto text = time_text(system_clock::time_point(nanoseconds(each.ns)));
    EXPECT_EQ(std::string(text.data(), text.size()), each.written);
  }
}

TEST(EncodeRecord, CutsLongTextWhereACharacterEndsAndOnlyOnce) {
  struct Case {
    const char* name;
    std::string given;
    std::string kept;
  };
  const std::string cut = "\xE2\x80\xA6";
  const Case cases[] = {
      {"just fits", std::string(64, 'a'), std::string(64, 'a')},
      {"one more", std::string(65, 'a'), std::string(61, 'a') + cut},
      {"inside a character", std::string(60, 'a') + "\xC3\xA9zzzz", std::string(60, 'a') + cut},
      {"invalid bytes count as they are written", std::string(22, '\xFF'),
       std::string("\xEF\xBF\xBD") + std::string(57, '.')},
  };
  for (const Case& each : cases) {
    Record record;
    record.client_name = each.given;
    const std::string body = body_of(record);
    RecordReader reader;
    const auto again = reader.read(body);
    ASSERT_TRUE(again) << each.name;
    EXPECT_LE((*again)->client_name.size(), 64U) << each.name;
    EXPECT_EQ(body_of(**again), body) << each.name;
    if (each.kept.back() != '.') EXPECT_EQ((*again)->client_name, each.kept) << each.name;
  }
}

TEST(EncodeRecord, KeepsTheWorstRecordBelowTheLongestLine) {
  const std::string worst(100'000, '\x01');
  Record record;
  visit_members(record, [&worst]<class Field>(const auto&, Field& field, std::size_t) {
    if constexpr (std::is_same_v<Field, std::string_view>) field = worst;
    if constexpr (std::is_same_v<Field, std::vector<std::string_view>>) field.assign(1000, worst);
  });
  EXPECT_LT(body_of(record).size() + 300, kRecordLineMax);
}

TEST(EncodeRecord, DigestIsSha256OfTheBody) {
  const EncodedRecord encoded = encode_record({});
  Digester digester;
  EXPECT_EQ(encoded.digest, digester.sha256(encoded.body));
  // FIPS 180-4 example, so that the digester itself is held to something.
  const auto hex = hex_text(digester.sha256("abc"));
  EXPECT_EQ(std::string(hex.data(), hex.size()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

Record full_record() {
  Record record;
  record.kind = RecordKind::outcome;
  record.time = system_clock::time_point(nanoseconds(1'795'262'400'123'456'789));
  record.decision_id = "019aa640-1e7b-7c1e-9a3b-2f4d5e6f7a8b";
  record.source = "127.0.0.1:51234";
  record.transport = "http";
  record.endpoint = "desk";
  record.principal = "ann";
  record.roles = {"analyst", "on-call"};
  record.trust = "internal";
  record.proof = "api_key:ann-laptop";
  record.actors = {"corp:agent-7", "corp:agent-3"};
  record.client_name = "some-client";
  record.client_version = "1.2.3";
  record.session = "ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d";
  record.correlation_id = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  record.direction = "client_to_server";
  record.protocol = "2025-11-25";
  record.server = "files";
  record.method = "tools/call";
  record.target = "read_text_file";
  record.argument_digest = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
  record.arguments = {R"(/path "/srv/notes.txt")"};
  record.sent_digest = "4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a";
  record.message_digest = "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35";
  record.decision = "permit";
  record.reason = "permitted";
  record.category = "access";
  record.rule = "analysts-read-files";
  record.risk = "low";
  record.check = "access";
  record.would = {"path_outside_root:notes-only"};
  record.addresses = {"1.1.1.1", "2606:4700:4700::1111"};
  record.redacted = {"github.token mask 2"};
  record.sanitised = {"bidi remove 3"};
  record.warnings = {"slow_execution"};
  record.policy = "4e07408562bedb8b";
  record.outcome = Outcome::tool_error;
  record.rpc_code = -32603;
  record.http_status = 200;
  record.bytes_in = 350;
  record.bytes_out = 400;
  record.decide_ns = 2143;
  record.duration_us = 412;
  record.count = 3;
  record.file = "audit-20261121T120000Z-000000000001.jsonl";
  record.head = "7:97c014bd9508fe472abe3a82f77a790516ed25e7510c33649bf1602cd6277577";
  record.chain = "97c014bd9508fe472abe3a82f77a790516ed25e7510c33649bf1602cd6277577";
  record.detail = "an example that has every member";
  return record;
}

std::string manual() {
  std::ifstream file(project_file("docs/record-format.md"));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RecordFormatManual, SampleLineIsWhatTheCodeWrites) {
  const EncodedRecord encoded = encode_record(full_record());
  Digester digester;
  std::string line;
  append_chain_line(line, {.body = encoded.body,
                           .sequence = 1,
                           .prev = {},
                           .hash = chain_hash(digester, {}, 1, encoded.digest)});
  EXPECT_NE(manual().find("\n" + line), std::string::npos) << line;
}

TEST(RecordFormatManual, ExplainsEveryMember) {
  const std::string text = manual();
  std::vector<std::string> names = {"v", "kind", "time", "seq", "prev", "hash"};
  Record record;
  visit_members(record,
                [&names](std::string_view name, auto&, std::size_t) { names.emplace_back(name); });
  for (const std::string& name : names) {
    EXPECT_NE(text.find("\n| `" + name + "` |"), std::string::npos) << name;
  }
}

TEST(RecordReader, ReadsEveryMemberBack) {
  const std::string body = body_of(full_record());
  RecordReader reader;
  const auto record = reader.read(body);
  ASSERT_TRUE(record) << record.error().detail;
  EXPECT_EQ(body_of(**record), body);
  EXPECT_EQ((*record)->would.front(), "path_outside_root:notes-only");
  EXPECT_EQ((*record)->rpc_code, -32603);
  EXPECT_EQ((*record)->outcome, Outcome::tool_error);
}

TEST(RecordReader, KeepsEveryEscapedTextWhileItReadsOn) {
  const std::string texts[] = {std::string(40, '"'), std::string(300, '\\'),
                               std::string(900, '\n')};
  Record record;
  record.source = texts[0];
  record.rule = texts[1];
  record.detail = texts[2];
  const std::string body = body_of(record);
  RecordReader reader;
  const auto again = reader.read(body);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->source, texts[0]);
  EXPECT_EQ((*again)->rule, texts[1]);
  EXPECT_EQ((*again)->detail, texts[2]);
}

TEST(RecordReader, ReadsEveryTimeThatTheClockCanTell) {
  for (const system_clock::time_point time :
       {system_clock::time_point::min(), system_clock::time_point::max(),
        system_clock::time_point(nanoseconds(-1)), system_clock::time_point()}) {
    Record record;
    record.time = time;
    const std::string body = body_of(record);
    RecordReader reader;
    const auto again = reader.read(body);
    ASSERT_TRUE(again) << body;
    EXPECT_EQ(body_of(**again), body);
  }
}

TEST(RecordReader, ReadsEveryKindAndOutcome) {
  for (int i = 0; i <= static_cast<int>(kRecordKindLast); ++i) {
    Record record;
    record.kind = static_cast<RecordKind>(i);
    record.outcome = static_cast<Outcome>(i % 8);
    const std::string body = body_of(record);
    RecordReader reader;
    const auto again = reader.read(body);
    ASSERT_TRUE(again) << body;
    EXPECT_EQ((*again)->kind, record.kind);
    EXPECT_EQ((*again)->outcome, record.outcome);
  }
}

TEST(RecordReader, RefusesWhatEncodingNeverWrites) {
  const std::string ok = start();
  const std::string cases[] = {
      "",
      R"("v":2,"kind":"decision","time":"1970-01-01T00:00:00.000000Z")",
      R"("v":1,"kind":"verdict","time":"1970-01-01T00:00:00.000000Z")",
      R"("v":1,"kind":"decision","time":"1970-01-01T00:00:00.0000")",
      R"("v":1,"kind":"decision","time":"1970-13-01T00:00:00.000000Z")",
      R"("v":1,"kind":"decision","time":"9999-01-01T00:00:00.000000Z")",
      ok + ",\"unknown\":1",
      ok + ",\"target\":\"a\",\"target\":\"b\"",
      ok + ",\"target\":\"a\",\"server\":\"b\"",
      ok + ",\"target\":\"a",
      ok + ",\"target\":\"\\",
      ok + ",\"target\":\"\\x\"",
      ok + ",\"target\":\"\\u00",
      ok + ",\"target\":\"\\u0041\"",
      ok + ",\"roles\":[",
      ok + ",\"roles\":[]",
      ok + ",\"roles\":[\"a\",]",
      ok + ",\"outcome\":\"maybe\"",
      ok + ",\"bytes_in\":",
      ok + ",\"bytes_in\":-1",
      ok + ",\"bytes_in\":18446744073709551616",
      ok + ",\"bytes_in\":1.5",
      ok + ",",
  };
  for (const std::string& body : cases) {
    RecordReader reader;
    EXPECT_FALSE(reader.read(body)) << body;
  }
}

}  // namespace
}  // namespace bartizan
