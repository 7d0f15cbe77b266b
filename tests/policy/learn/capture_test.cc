#include "policy/learn/capture.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/learn/captured_facts.h"

namespace bartizan {
namespace {

CapturedCall sample() {
  CapturedCall call;
  call.order = 7;
  call.time_ms = 1'800'000'000'123;
  call.clock_us = 5'000'000;
  call.decision_id = "019-x";
  call.call = {.principal = "ann",
               .roles = {"analyst", "intern"},
               .target_kind = TargetKind::tool,
               .server = "files",
               .target = "read",
               .method = "tools/call",
               .arguments = "{\"a\\n\": 18446744073709551617,\n \"b\":\"\\\"}\"}"};
  call.call.facts = {.transport = Transport::stdio,
                     .client_address = "::1",
                     .revision = ProtocolVersion::v2025_11_25};
  call.attributes = {{"te\"am", "da\nta"}};
  call.trust = "verified";
  call.session = "0123456789abcdef";
  call.known = KnownDefinition::listed;
  call.definition = "f00d";
  call.gathered = {
      {{.kind = FactQuery::Kind::place, .root = "/srv", .name = "a\"b"},
       FoundPlace{.where = FoundPlace::Where::inside, .bytes = 9, .leads_to = "c"}},
      {{.kind = FactQuery::Kind::place, .root = "/srv"}, NotFoundOut()},
      {{.kind = FactQuery::Kind::place, .root = "/srv", .name = "lost"},
       NotFoundOut{NotFoundOut::Why::leads_nowhere}},
      {{.kind = FactQuery::Kind::content, .root = "/srv", .name = "shut"},
       NotFoundOut{NotFoundOut::Why::not_reachable}},
      {{.kind = FactQuery::Kind::place, .root = "/srv", .name = "out"},
       FoundPlace{.where = FoundPlace::Where::outside}},
      {{.kind = FactQuery::Kind::content, .root = "/srv", .name = "f"}, FoundContent{"ab"}},
      {{.kind = FactQuery::Kind::content, .root = "/srv", .name = "none"}, FoundContent{}},
      {{.kind = FactQuery::Kind::text, .root = "/srv", .name = "f"}, FoundText{true}},
      {{.kind = FactQuery::Kind::text, .root = "/srv", .name = "b"}, FoundText{false}},
      {{.kind = FactQuery::Kind::text, .root = "/srv", .name = "shut"},
       NotFoundOut{NotFoundOut::Why::not_readable}},
      {{.kind = FactQuery::Kind::addresses, .name = "h"}, FoundAddresses{{"::1", "10.0.0.1"}}}};
  call.check = "limits";
  call.reason = "limited";
  call.rule = "user";
  call.pointer = "/a";
  call.waited_us = 12;
  call.took_us = 34;
  call.bytes_in = 56;
  call.bytes_out = 78;
  return call;
}

Result<Capture> read(const std::vector<std::string>& lines) {
  CaptureReader reader;
  for (const std::string& line : lines)
    reader.read(line);
  return reader.finish();
}

TEST(Capture, ReadsBackWhatItWrites) {
  const std::string line = capture_line(sample());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto capture =
      read({run_line("r", 1), definition_line("f00d", "{\n\"name\":\"read\"}"), line});
  ASSERT_TRUE(capture.has_value());
  ASSERT_EQ(capture->size(), 1U);
  const CapturedCall& call = capture->runs[0].calls[0];
  EXPECT_EQ(capture_line(call), line);
  EXPECT_EQ(call.call.arguments, "{\"a\\n\": 18446744073709551617,  \"b\":\"\\\"}\"}");
  EXPECT_EQ(call.attributes, sample().attributes);
  EXPECT_EQ(call.call.roles, sample().call.roles);
  EXPECT_EQ(call.call.facts.time, 1'800'000'000);
  EXPECT_EQ(call.gathered, sample().gathered);
  EXPECT_EQ(call.waited_us, 12);
  EXPECT_EQ(capture->definitions.at("f00d"), "{ \"name\":\"read\"}");
  EXPECT_EQ(capture->runs[0].clock_us, 5'000'000);
}

TEST(Capture, KeepsWhatIsNotKnownUnknown) {
  CapturedCall call;
  call.call = {.principal = "ann", .method = "tools/list", .params = "{\"cursor\":\"x\"}"};
  call.is_permitted = true;
  const auto capture = read({run_line("r", 1), capture_line(call)});
  ASSERT_TRUE(capture.has_value());
  const CapturedCall& again = capture->runs.at(0).calls.at(0);
  EXPECT_TRUE(again.is_permitted);
  EXPECT_FALSE(again.waited_us.has_value());
  EXPECT_FALSE(again.call.facts.transport.has_value());
  EXPECT_FALSE(again.call.facts.client_address.has_value());
  EXPECT_EQ(again.known, KnownDefinition::unknown);
  EXPECT_EQ(again.call.params, "{\"cursor\":\"x\"}");
}

TEST(Capture, CountsWhatIsNoLineAndGoesOn) {
  const std::string good = capture_line(sample());
  struct Row {
    const char* name;
    std::string line;
  };
  const std::vector<Row> rows{
      {"half a line", good.substr(0, good.size() / 2)},
      {"no JSON", "hello"},
      {"a list", "[]"},
      {"no UTF-8", "{\"version\":1,\"kind\":\"call\",\"principal\":\"\xff\"}"},
      {"an unknown kind", R"({"version":1,"kind":"other"})"},
      {"no version", R"({"kind":"call"})"},
      {"a call of nobody", R"({"version":1,"kind":"call","method":"ping","decision":"permit"})"},
      {"a call without a decision",
       R"({"version":1,"kind":"call","principal":"a","method":"ping"})"},
      {"a tool call without a tool",
       R"({"version":1,"kind":"call","principal":"a","method":"tools/call","decision":"deny"})"},
      {"a tool with another method",
       R"({"version":1,"kind":"call","principal":"a","method":"ping","tool":"t","decision":"deny"})"},
      {"a time beyond all",
       R"({"version":1,"kind":"call","principal":"a","method":"ping","decision":"deny","time":1000000000000001})"},
      {"a duration beyond all",
       R"({"version":1,"kind":"call","principal":"a","method":"ping","decision":"deny","took_us":9223372036854775807})"},
      {"bytes beyond all",
       R"({"version":1,"kind":"call","principal":"a","method":"ping","decision":"deny","bytes_out":9223372036854775807})"},
      {"a member twice",
       R"({"version":1,"kind":"call","principal":"a","principal":"b","method":"ping","decision":"deny"})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto capture = read({run_line("r", 1), row.line, good, ""});
    ASSERT_TRUE(capture.has_value());
    EXPECT_EQ(capture->garbage, 1U);
    EXPECT_EQ(capture->size(), 1U);
  }
}

TEST(Capture, KnowsOnlyTheFactsThatWereFoundOut) {
  using Kind = FactQuery::Kind;
  struct Row {
    const char* name;
    FactQuery question;
    bool is_known;
  };
  const std::vector<GatheredFact> facts{
      {{.kind = Kind::place, .root = "/srv", .name = "a/x"},
       FoundPlace{.where = FoundPlace::Where::inside}},
      {{.kind = Kind::place, .root = "/srv", .name = "a/link"},
       FoundPlace{.where = FoundPlace::Where::inside, .leads_to = "b"}},
      {{.kind = Kind::place, .root = "/srv", .name = "a/out"},
       FoundPlace{.where = FoundPlace::Where::outside}},
      {{.kind = Kind::place, .root = "/srv", .name = "a/lost"}, NotFoundOut()},
      {{.kind = Kind::addresses, .name = "h"}, FoundAddresses{{"::1"}}}};
  const std::vector<Row> rows{
      {"the same", {.kind = Kind::place, .root = "/srv", .name = "a/link"}, true},
      {"what nobody could tell", {.kind = Kind::place, .root = "/srv", .name = "a/lost"}, true},
      {"a folder of the root", {.kind = Kind::place, .root = "/srv/a", .name = "x"}, true},
      {"the whole place", {.kind = Kind::place, .root = "/srv/a/x"}, true},
      {"a folder above", {.kind = Kind::place, .root = "/", .name = "srv/a/x"}, false},
      {"a link, in a folder", {.kind = Kind::place, .root = "/srv/a", .name = "link"}, false},
      {"outside, in a folder", {.kind = Kind::place, .root = "/srv/a", .name = "out"}, false},
      {"unknown, in a folder", {.kind = Kind::place, .root = "/srv/a", .name = "lost"}, false},
      {"its content", {.kind = Kind::content, .root = "/srv", .name = "a/x"}, false},
      {"another place", {.kind = Kind::place, .root = "/srv", .name = "a/y"}, false},
      {"a name", {.kind = Kind::addresses, .name = "h"}, true},
      {"another name", {.kind = Kind::addresses, .name = "i"}, false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(answer_from(facts, row.question).has_value(), row.is_known) << row.name;
}

TEST(Capture, SurvivesValuesOfOtherTypes) {
  const auto capture = read(
      {run_line("r", 1),
       R"({"version":1,"kind":"call","principal":"a","roles":"x","attributes":[1],"method":"ping",)"
       R"("facts":[1,{"place":2},{"place":"x","is":3},{"addresses":"h","are":"x"}],)"
       R"("decision":"deny","order":-1,"time":"x","clock_us":1e300,"arguments":[],"took_us":null})"});
  ASSERT_TRUE(capture.has_value());
  const CapturedCall& call = capture->runs.at(0).calls.at(0);
  EXPECT_EQ(call.order, 0U);
  EXPECT_EQ(call.clock_us, 0);
  EXPECT_TRUE(call.call.arguments.empty());
  EXPECT_TRUE(call.call.roles.empty());
}

TEST(Capture, PutsRunsAndCallsInTheirOrder) {
  CapturedCall first = sample();
  CapturedCall second = sample();
  second.order = 8;
  const auto capture =
      read({run_line("a", 1), capture_line(second), run_line("b", 2), capture_line(sample()),
            missing_line(3, 2), run_line("a", 3), capture_line(first), missing_line(4, 2)});
  ASSERT_TRUE(capture.has_value());
  ASSERT_EQ(capture->runs.size(), 2U);
  EXPECT_EQ(capture->runs[0].calls.at(0).order, 7U);
  EXPECT_EQ(capture->runs[0].calls.at(1).order, 8U);
  EXPECT_EQ(capture->runs[1].calls.size(), 1U);
  EXPECT_EQ(capture->missing, 7U);
}

TEST(Capture, RefusesWhatIsNoneAndWhatIsOfALaterForm) {
  EXPECT_FALSE(read({}).has_value());
  EXPECT_FALSE(read({"hello", "{}"}).has_value());
  // A call in front of every run is nobody's.
  EXPECT_FALSE(read({capture_line(sample())}).has_value());
  const auto later = read({run_line("r", 1), R"({"version":2,"kind":"call"})"});
  ASSERT_FALSE(later.has_value());
  EXPECT_EQ(later.error().detail, "it was written by a later version");
}

TEST(Capture, SaysWhenAFileBegan) {
  EXPECT_EQ(read_run_time(run_line("r", 42)), 42);
  EXPECT_FALSE(read_run_time(missing_line(1, 42)).has_value());
  EXPECT_FALSE(read_run_time("hello").has_value());
  EXPECT_FALSE(read_run_time(run_line("r", -1)).has_value());
  EXPECT_FALSE(read_run_time(run_line("r", kCaptureNumberMax + 1)).has_value());
}

}  // namespace
}  // namespace bartizan
