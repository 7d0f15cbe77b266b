#include "gateway/http/sse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::string_literals::operator""s;

struct Plain {
  std::string data;
  std::string type = {};
  std::optional<std::string> id = {};
  std::optional<std::uint32_t> retry_ms = {};
  bool operator==(const Plain&) const = default;
};

struct Stream {
  std::vector<Plain> events = {};
  std::string last_event_id = {};
  std::optional<std::uint32_t> retry_ms = {};
  std::optional<ErrorCode> error = {};
  bool operator==(const Stream&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Stream& stream) {
  for (const Plain& event : stream.events) {
    out << "{" << event.data << "|" << event.type << "|" << event.id.value_or("-") << "}";
  }
  return out << " last id " << stream.last_event_id << (stream.error ? " failed" : "");
}

Stream read_parts(const std::vector<std::string_view>& parts, std::size_t data_bytes_max) {
  SseReader reader(data_bytes_max);
  Stream out;
  for (std::string_view part : parts) {
    while (!part.empty()) {
      auto step = reader.step(part);
      if (!step) {
        out.error = step.error().code;
        return out;
      }
      EXPECT_GT(step->consumed, 0U);
      part.remove_prefix(step->consumed);
      if (!step->event) continue;
      SseEvent& event = *step->event;
      out.events.push_back({std::string(event.data.view()), event.type,
                            event.has_id ? std::optional(event.id) : std::nullopt, event.retry_ms});
    }
  }
  out.last_event_id = reader.last_event_id();
  out.retry_ms = reader.retry_ms();
  return out;
}

// However the stream is cut into reads, it is the same stream.
void expect_stream(std::string_view bytes, const Stream& want, std::size_t data_bytes_max) {
  EXPECT_EQ(read_parts({bytes}, data_bytes_max), want);
  std::vector<std::string_view> single;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    single.push_back(bytes.substr(i, 1));
  EXPECT_EQ(read_parts(single, data_bytes_max), want) << "byte by byte";
  for (std::size_t split = 1; split < bytes.size(); ++split) {
    EXPECT_EQ(read_parts({bytes.substr(0, split), bytes.substr(split)}, data_bytes_max), want)
        << "split at " << split;
  }
}

TEST(SseReader, ReadsStreams) {
  const struct {
    std::string_view name;
    std::string bytes;
    Stream want;
  } cases[] = {
      {"nothing", "", {}},
      {"a message", "event: message\ndata: {}\n\n", {{{"{}", "message"}}}},
      {"crlf", "event: message\r\ndata: {}\r\n\r\n", {{{"{}", "message"}}}},
      {"cr", "event: message\rdata: {}\r\r", {{{"{}", "message"}}}},
      {"all line ends mixed",
       "data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r",
       {{{"a\nb\nc"}, {"d"}}}},
      {"a lf behind a cr ends no second line", "data: a\r\n\ndata: b\r\r\n", {{{"a"}, {"b"}}}},
      {"data lines are joined", "data: a\ndata:\ndata: c\n\n", {{{"a\n\nc"}}}},
      {"one blank is taken away", "data:a\ndata:  b\ndata: \n\n", {{{"a\n b\n"}}}},
      {"a tab is not blank", "data:\ta\n\n", {{{"\ta"}}}},
      {"empty data is an event", "data\n\ndata:\n\n", {{{""}, {""}}}},
      {"two empty data lines", "data\ndata\n\n", {{{"\n"}}}},
      {"no data is not an event", "event: a\n\ndata: b\n\n", {{{"b"}}}},
      {"comments", ": a\n:\n:data: x\ndata: b\n\n", {{{"b"}}}},
      {"unknown fields", "datum: a\nData: b\n data: c\ndataa: d\ndata: e\n\n", {{{"e"}}}},
      {"the last type counts", "event: a\nevent: b\ndata: c\n\ndata: d\n\n", {{{"c", "b"}, {"d"}}}},
      {"an id", "id: 7\ndata: a\n\ndata: b\n\n", {{{"a", "", "7"}, {"b"}}, "7"}},
      {"an id without data", "id: 8\n\n", {{}, "8"}},
      {"an id is reset", "id: 8\n\nid\ndata: a\n\n", {{{"a", "", ""}}, ""}},
      {"an id with a nul is none", "id: 8\n\nid: a\0b\ndata: a\n\n"s, {{{"a"}}, "8"}},
      {"an id whose event never ends", "id: 8\n\nid: 9\ndata: a\n", {{}, "8"}},
      {"retry", "retry: 1500\ndata: a\n\n", {{{"a", "", {}, 1500}}, "", 1500}},
      {"retry alone", "retry: 10\n\n", {{}, "", 10}},
      {"retry that is not a number",
       "retry: 1s\nretry: -1\nretry:\nretry: 99999999999\ndata: a\n\n",
       {{{"a"}}}},
      {"an unfinished event", "data: a\n", {}},
      {"an unfinished line", "data: a\n\ndata: b", {{{"a"}}}},
      {"a byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {{{"a"}}}},
      {"half a byte order mark",
       "\xEF\xBB"
       "data: a\n\ndata: b\n\n",
       {{{"b"}}}},
      {"a second byte order mark",
       "\xEF\xBB\xBF\xEF\xBB\xBF"
       "data: a\n\n",
       {}},
      {"a later byte order mark",
       "\n\xEF\xBB\xBF"
       "data: a\ndata: b\n\n",
       {{{"b"}}}},
      {"colons in data", "data: {\"a\":\"b: c\"}\n\n", {{{"{\"a\":\"b: c\"}"}}}},
      {"a nul in data", "data: a\0b\n\n"s, {{{"a\0b"s}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    expect_stream(c.bytes, c.want, 1000);
  }
}

TEST(SseReader, BoundsWhatItHolds) {
  const std::string comment(limits::line_bytes_max - 1, 'x');
  const Stream refused{.error = ErrorCode::http_limit};
  const struct {
    std::string_view name;
    std::string bytes;
    Stream want;
  } cases[] = {
      {"as much data as may be", "data: 12345678\n\n", {{{"12345678"}}}},
      {"one byte more", "data: 123456789\n\n", refused},
      {"data in lines", "data: 1234\ndata: 567\n\n", {{{"1234\n567"}}}},
      {"line ends count", "data: 1234\ndata: 5678\n\n", refused},
      {"each event has its own room",
       "data: 12345678\n\ndata: 12345678\n\n",
       {{{"12345678"}, {"12345678"}}}},
      {"endless empty data", "data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n",
       refused},
      {"data without a line end", "data: 123456789", refused},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    expect_stream(c.bytes, c.want, 8);
  }
  EXPECT_EQ(read_parts({":" + comment, "\ndata: a\n\n"}, 8), (Stream{{{"a"}}}));
  EXPECT_EQ(read_parts({":x" + comment, "\ndata: a\n\n"}, 8), refused);
  EXPECT_EQ(read_parts({":x" + comment + "\n"}, 8), refused);
  EXPECT_EQ(read_parts({"id: ", comment}, 8), refused);
}

TEST(SseReader, SaysWhatItHolds) {
  SseReader reader(1000);
  EXPECT_EQ(reader.buffered(), 0U);
  ASSERT_TRUE(reader.step("data: 12345\nid: 1"));
  EXPECT_EQ(reader.buffered(), 10U);
  ASSERT_TRUE(reader.step("\n\n"));
  EXPECT_EQ(reader.buffered(), 0U);
}

TEST(AppendEvent, WritesWhatReadersRead) {
  const struct {
    std::string_view name;
    SseEventText event;
    std::string_view text;
    Stream want;
  } cases[] = {
      {"a message",
       {.data = "{}", .type = "message"},
       "event: message\ndata: {}\n\n",
       {{{"{}", "message"}}}},
      {"all fields",
       {.data = "a", .type = "t", .id = "7", .retry_ms = 10},
       "event: t\nid: 7\nretry: 10\ndata: a\n\n",
       {{{"a", "t", "7", 10}}, "7", 10}},
      {"no data", {.id = "7"}, "id: 7\ndata: \n\n", {{{"", "", "7"}}, "7"}},
      {"lines",
       {.data = "a\nb\r\nc\rd"},
       "data: a\ndata: b\ndata: c\ndata: d\n\n",
       {{{"a\nb\nc\nd"}}}},
      {"a line end at the end", {.data = "a\n"}, "data: a\ndata: \n\n", {{{"a\n"}}}},
      {"a blank in front", {.data = " a"}, "data:  a\n\n", {{{" a"}}}},
      {"an injected event",
       {.data = "a", .type = "t\ndata: x", .id = "7\r\n\r\ndata: y"},
       "event: t\nid: 7\ndata: a\n\n",
       {{{"a", "t", "7"}}, "7"}},
      {"a comment in between", {.data = "a"}, "data: a\n\n", {{{"a"}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string out(kSseKeepAlive);
    append_event(out, c.event);
    EXPECT_EQ(out, std::string(kSseKeepAlive) + std::string(c.text));
    EXPECT_EQ(read_parts({out}, 1000), c.want);
  }
}

}  // namespace
}  // namespace bartizan
