#include "gateway/http/http_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

struct Decoded {
  std::string body = {};
  std::size_t consumed = 0;
  bool done = false;
  std::optional<ErrorCode> error = {};
  bool operator==(const Decoded&) const = default;
};

// Feeds `bytes` in parts of `part_size`, as far as the reader takes them.
template <class Reader>
Decoded decode(Reader reader, std::string_view bytes, std::size_t part_size) {
  Decoded out;
  while (out.consumed < bytes.size() && !out.done) {
    const auto step = reader.step(bytes.substr(out.consumed, part_size));
    if (!step) {
      out.error = step.error().code;
      return out;
    }
    EXPECT_TRUE(step->consumed > 0 || step->done);
    EXPECT_EQ(step->done, reader.is_done());
    out.body.append(step->data);
    out.consumed += step->consumed;
    out.done = step->done;
  }
  return out;
}

TEST(ChunkedDecoder, JudgesBodies) {
  constexpr auto kFraming = ErrorCode::http_framing;
  const struct {
    std::string_view name;
    std::string_view bytes;
    std::string_view body;
    std::optional<ErrorCode> want;
    bool done = true;
  } cases[] = {
      {"an empty body", "0\r\n\r\n", "", {}},
      {"two chunks", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world", {}},
      {"hex in either case",
       "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
       "01234567890123456789",
       {}},
      {"zeroes in front", "0003\r\nabc\r\n000\r\n\r\n", "abc", {}},
      {"sixteen digits", "0000000000000003\r\nabc\r\n0\r\n\r\n", "abc", {}},
      {"data that looks like framing", "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n0\r\n\r\n", {}},
      {"what follows is left alone", "1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n", "a", {}},
      {"no end yet", "1\r\na\r\n0\r\n\r", "a", {}, false},
      {"seventeen digits", "00000000000000003\r\nabc\r\n", "", kFraming},
      {"a size that wraps around", "10000000000000003\r\nabc\r\n", "", kFraming},
      {"no size", "\r\nabc\r\n", "", kFraming},
      {"a sign", "+3\r\nabc\r\n", "", kFraming},
      {"a hex prefix", "0x3\r\nabc\r\n", "", kFraming},
      {"a blank in front", " 3\r\nabc\r\n", "", kFraming},
      {"a blank behind", "3 \r\nabc\r\n", "", kFraming},
      {"an extension", "3;a=b\r\nabc\r\n", "", kFraming},
      {"an empty extension", "3;\r\nabc\r\n", "", kFraming},
      {"an extension of the last chunk", "0;a\r\n\r\n", "", kFraming},
      {"a lone lf behind the size", "3\nabc\r\n", "", kFraming},
      {"a lone cr behind the size", "3\rabc\r\n", "", kFraming},
      {"two crs behind the size", "3\r\r\nabc\r\n", "", kFraming},
      {"a lone lf behind the data", "3\r\nabc\n0\r\n\r\n", "abc", kFraming},
      {"a lone cr behind the data", "3\r\nabc\r0\r\n\r\n", "abc", kFraming},
      {"more data than announced", "3\r\nabcd\r\n0\r\n\r\n", "abc", kFraming},
      {"a trailer", "0\r\nX: a\r\n\r\n", "", kFraming},
      {"a lone lf at the end", "0\r\n\n", "", kFraming},
      {"a lone cr at the end", "0\r\n\rX", "", kFraming},
      {"as much as may be", "14\r\n01234567890123456789\r\n0\r\n\r\n", "01234567890123456789", {}},
      {"one byte more", "15\r\n012345678901234567890\r\n", "", ErrorCode::http_limit},
      {"more in the second chunk", "13\r\n0123456789012345678\r\n2\r\nab\r\n",
       "0123456789012345678", ErrorCode::http_limit},
      {"the largest size", "ffffffffffffffff\r\n", "", ErrorCode::http_limit},
  };
  for (const auto& c : cases) {
    for (std::size_t part = 1; part <= c.bytes.size(); ++part) {
      SCOPED_TRACE(std::string(c.name) + " in parts of " + std::to_string(part));
      const Decoded got = decode(ChunkedDecoder(20, Fault::client), c.bytes, part);
      EXPECT_EQ(got.body, c.body);
      EXPECT_EQ(got.error, c.want);
      EXPECT_EQ(got.done, !c.want && c.done);
    }
  }
}

TEST(ChunkedDecoder, SkipsExtensionsOfServers) {
  const struct {
    std::string_view name;
    std::string bytes;
    std::optional<ErrorCode> want;
  } cases[] = {
      {"a name and a value", "3;a=b\r\nabc\r\n0\r\n\r\n", {}},
      {"an empty one", "3;\r\nabc\r\n0\r\n\r\n", {}},
      {"a quoted value", "3;a=\"x;y\"\r\nabc\r\n0\r\n\r\n", {}},
      {"blanks", "3 ; a\r\nabc\r\n0\r\n\r\n", {}},
      {"of the last chunk", "3\r\nabc\r\n0;last\r\n\r\n", {}},
      {"no size before it", ";a\r\nabc\r\n", ErrorCode::http_framing},
      {"a lone lf", "3;a\nabc\r\n", ErrorCode::http_framing},
      {"a control character", std::string("3;\0\r\nabc\r\n", 9), ErrorCode::http_framing},
      {"without end", "3;" + std::string(70'000, 'a'), ErrorCode::http_limit},
      {"a trailer", "3\r\nabc\r\n0;a\r\nX: a\r\n\r\n", ErrorCode::http_framing},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Decoded got = decode(ChunkedDecoder(20, Fault::server), c.bytes, 5);
    EXPECT_EQ(got.error, c.want);
    if (!c.want) EXPECT_EQ(got.body, "abc");
  }
}

TEST(ChunkedDecoder, LeavesTheNextMessageAlone) {
  const std::string_view bytes = "1\r\na\r\n0\r\n\r\nGET";
  EXPECT_EQ(decode(ChunkedDecoder(9, Fault::client), bytes, bytes.size()).consumed,
            bytes.size() - 3);
}

TEST(ChunkedDecoder, NamesTheFault) {
  ChunkedDecoder decoder(9, Fault::server);
  const auto step = decoder.step("x");
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().fault, Fault::server);
}

TEST(BodyReader, ReadsEachFraming) {
  const struct {
    std::string_view name;
    BodyLength length;
    std::string_view bytes;
    Decoded want;
  } cases[] = {
      {"none", {}, "GET", {.body = "", .consumed = 0, .done = true}},
      {"a length",
       {BodyFraming::content_length, 3},
       "abcGET",
       {.body = "abc", .consumed = 3, .done = true}},
      {"a length of 0",
       {BodyFraming::content_length, 0},
       "GET",
       {.body = "", .consumed = 0, .done = true}},
      {"a length that is cut",
       {BodyFraming::content_length, 4},
       "abc",
       {.body = "abc", .consumed = 3}},
      {"as much as may be",
       {BodyFraming::content_length, 8},
       "01234567",
       {.body = "01234567", .consumed = 8, .done = true}},
      {"a length over the bound",
       {BodyFraming::content_length, 9},
       "012345678",
       {.error = ErrorCode::http_limit}},
      {"the largest length",
       {BodyFraming::content_length, std::numeric_limits<std::uint64_t>::max()},
       "0",
       {.error = ErrorCode::http_limit}},
      {"chunks",
       {BodyFraming::chunked, 0},
       "3\r\nabc\r\n0\r\n\r\nGET",
       {.body = "abc", .consumed = 13, .done = true}},
      {"chunks over the bound",
       {BodyFraming::chunked, 0},
       "9\r\n",
       {.error = ErrorCode::http_limit}},
      {"until the end",
       {BodyFraming::until_close, 0},
       "01234567",
       {.body = "01234567", .consumed = 8}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode(BodyReader(c.length, 8, Fault::server), c.bytes, c.bytes.size()), c.want);
  }
  const Decoded over =
      decode(BodyReader({BodyFraming::until_close, 0}, 8, Fault::server), "012345678", 1);
  EXPECT_EQ(over.error, ErrorCode::http_limit);
  EXPECT_EQ(over.body, "01234567");
}

TEST(BodyReader, KnowsWhetherAnEndCameTooEarly) {
  const struct {
    std::string_view name;
    BodyLength length;
    std::string_view bytes;
    bool want;
  } cases[] = {
      {"none", {}, "", true},
      {"a whole length", {BodyFraming::content_length, 3}, "abc", true},
      {"a cut length", {BodyFraming::content_length, 3}, "ab", false},
      {"whole chunks", {BodyFraming::chunked, 0}, "0\r\n\r\n", true},
      {"cut chunks", {BodyFraming::chunked, 0}, "0\r\n\r", false},
      {"until the end", {BodyFraming::until_close, 0}, "ab", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    BodyReader reader(c.length, 8, Fault::client);
    for (const char& byte : c.bytes)
      ASSERT_TRUE(reader.step({&byte, 1}));
    const auto closed = reader.close();
    ASSERT_EQ(closed.has_value(), c.want);
    if (!c.want) {
      EXPECT_EQ(closed.error().code, ErrorCode::closed);
    }
  }
}

}  // namespace
}  // namespace bartizan
