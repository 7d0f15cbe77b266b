#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>

#include "config/parse_host_port.h"
#include "config/parse_pattern.h"
#include "config/parse_units.h"

namespace bartizan {
namespace {

TEST(ParseUnits, WritesThemInTheLargestUnit) {
  using std::chrono::milliseconds;
  EXPECT_EQ(duration_text(milliseconds(1)), "1ms");
  EXPECT_EQ(duration_text(milliseconds(1'500)), "1500ms");
  EXPECT_EQ(duration_text(milliseconds(60'000)), "1min");
  EXPECT_EQ(duration_text(milliseconds(3'600'000)), "1h");
  EXPECT_EQ(duration_text(milliseconds(172'800'000)), "2d");
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(4'096), "4 KiB");
  EXPECT_EQ(size_text(std::uint64_t{64} << 20), "64 MiB");
}

TEST(ParseUnits, TellsThemToPeople) {
  using std::chrono::milliseconds;
  EXPECT_EQ(format_count(0, "rule"), "0 rules");
  EXPECT_EQ(format_count(1, "rule"), "1 rule");
  EXPECT_EQ(format_count(2, "rule"), "2 rules");
  const std::pair<std::int64_t, std::string_view> rows[] = {
      {-1, "0 ms"},
      {-604'800'000, "0 ms"},
      {0, "0 ms"},
      {1, "1 ms"},
      {1'500, "1500 ms"},
      {90'000, "90 s"},
      {60'000, "1 min"},
      {5'400'000, "90 min"},
      {3'600'000, "1 h"},
      {129'600'000, "36 h"},
      {86'400'000, "1 day"},
      {518'400'000, "6 days"},
      {604'800'000, "1 week"},
      {691'200'000, "8 days"},
      {1'209'600'000, "2 weeks"},
  };
  for (const auto& [duration, told] : rows)
    EXPECT_EQ(format_duration(milliseconds(duration)), told);
}

TEST(ParseUnits, ReadsDurations) {
  struct Row {
    std::string_view text;
    std::int64_t milliseconds;  ///< -1: refused.
  };
  const Row rows[] = {{"250ms", 250},
                      {"30s", 30'000},
                      {"10 min", 600'000},
                      {"5m", 300'000},
                      {"24h", 86'400'000},
                      {"0s", 0},
                      {"3650d", 315'360'000'000},
                      {"3651d", -1},
                      {"30", -1},
                      {"", -1},
                      {"s", -1},
                      {"-1s", -1},
                      {"+1s", -1},
                      {"1.5s", -1},
                      {"1  s", -1},
                      {" 1s", -1},
                      {"1s ", -1},
                      {"1S", -1},
                      {"1 minute", -1},
                      {"0x1s", -1},
                      {"99999999999999999999s", -1}};
  for (const Row& row : rows) {
    const auto read = parse_duration(row.text);
    EXPECT_EQ(read ? read->count() : -1, row.milliseconds) << row.text;
  }
}

TEST(ParseUnits, ReadsSizes) {
  EXPECT_EQ(parse_size("512 MiB"), std::uint64_t{512} << 20);
  EXPECT_EQ(parse_size("10KiB"), 10'240U);
  EXPECT_EQ(parse_size("7 B"), 7U);
  EXPECT_EQ(parse_size("1 GiB"), std::uint64_t{1} << 30);
  for (const std::string_view text : {"1 MB", "1 kib", "1", "MiB", "18446744073709551615 GiB"}) {
    EXPECT_FALSE(parse_size(text).has_value()) << text;
  }
}

TEST(ParseUnits, ReadsRates) {
  const auto rate = parse_rate("5000/h");
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->count, 5'000U);
  EXPECT_EQ(rate->window, std::chrono::hours(1));
  EXPECT_EQ(parse_rate("600/min")->window, std::chrono::minutes(1));
  for (const std::string_view text : {"0/s", "1/", "/s", "1 / s", "1/ms", "1/w", "1000000001/s"}) {
    EXPECT_FALSE(parse_rate(text).has_value()) << text;
  }
}

TEST(ParseUnits, ByteRates) {
  for (const std::string_view text : {"1 B/s", "10 KiB/min", "5 MiB/h", "64 GiB/d"}) {
    const auto rate = parse_byte_rate(text);
    ASSERT_TRUE(rate.has_value()) << text;
    EXPECT_EQ(rate->unit, LimitUnit::bytes);
    EXPECT_EQ(rate_text(*rate), text);
  }
  for (const std::string_view text : {"10/s", "0 B/s", "65 GiB/d", "1 KiB", "1 KiB/w", "/s"})
    EXPECT_FALSE(parse_byte_rate(text)) << text;
  EXPECT_EQ(rate_text(*parse_rate("20000/d")), "20000/d");
}

TEST(ParseEndpoint, KnowsWhatOnlyThisMachineReaches) {
  struct Row {
    std::string_view text;
    std::string_view host;  ///< Empty: refused.
    bool loopback;
  };
  const Row rows[] = {{"127.0.0.1:8080", "127.0.0.1", true},
                      {"127.9.9.9:0", "127.9.9.9", true},
                      {"[::1]:80", "::1", true},
                      {"localhost:80", "localhost", true},
                      {"localhost.:80", "localhost.", false},
                      {"127.0.0.1.example:80", "127.0.0.1.example", false},
                      {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", false},
                      {"0.0.0.0:80", "0.0.0.0", false},
                      {"[::]:80", "::", false},
                      {"127.1:80", "", false},
                      {"0127.0.0.1:80", "", false},
                      {"127.0.0.256:80", "", false},
                      {"::1:80", "", false},
                      {"127.0.0.1", "", false},
                      {"127.0.0.1:", "", false},
                      {"127.0.0.1:65536", "", false},
                      {"127.0.0.1:80x", "", false},
                      {"[::1]80", "", false},
                      {"[::1", "", false},
                      {":80", "", false},
                      {"a b:80", "", false}};
  for (const Row& row : rows) {
    const auto endpoint = parse_host_port(row.text);
    EXPECT_EQ(endpoint ? endpoint->host : "", row.host) << row.text;
    if (endpoint) EXPECT_EQ(is_loopback(endpoint->host), row.loopback) << row.text;
  }
}

TEST(ParseEndpoint, KnowsUrls) {
  EXPECT_EQ(parse_url_kind("https://a.example:8/mcp?x=1"), UrlKind::https);
  EXPECT_EQ(parse_url_kind("http://[::1]:80/"), UrlKind::http);
  EXPECT_EQ(parse_url_kind("http://a@b/"), UrlKind::with_credentials);
  EXPECT_EQ(parse_url_kind("http://a/b@c"), UrlKind::http);
  for (const std::string_view url : {"", "https://", "HTTP://a/", "http://a/#", "http://a\\b/",
                                     "http://a b/", "http://a/\n", "file:///a", "http://a:x/"}) {
    EXPECT_EQ(parse_url_kind(url), UrlKind::invalid) << url;
  }
  EXPECT_EQ(url_host("http://[::1]:80/x"), "::1");
}

TEST(ParsePattern, HoldsToolsToTheGrammar) {
  for (const std::string_view sound :
       {"files/*", "*/*", "files/get_*_by_*", "f*/read", "files/**"}) {
    EXPECT_FALSE(find_tool_pattern_fault(sound).has_value()) << sound;
  }
  for (const std::string_view unsound :
       {"",           "/",         "*",         "**",        "files",     "files/",    "/x",
        "a/b/c",      "files/***", "files/a**", "files/**a", "**/a",      "Files/a",   "files/a?",
        "files/[ab]", "files/{a}", "!files/a",  "files/a\n", "files/a b", "files/a\\*"}) {
    EXPECT_TRUE(find_tool_pattern_fault(unsound).has_value()) << unsound;
  }
}

TEST(ParsePattern, HoldsResourcesToTheGrammar) {
  for (const std::string_view sound :
       {"files:file:///srv/**", "files:*", "files:**", "*:https://a.example/x?y=[1]", "f:a/*/c"}) {
    EXPECT_FALSE(find_resource_pattern_fault(sound).has_value()) << sound;
  }
  for (const std::string_view unsound :
       {"", "files", "files:", ":x", "f:**/a", "f:a**", "f:a\x01", "files/file:///srv/**", "f/a"}) {
    EXPECT_TRUE(find_resource_pattern_fault(unsound).has_value()) << unsound;
  }
}

}  // namespace
}  // namespace bartizan
