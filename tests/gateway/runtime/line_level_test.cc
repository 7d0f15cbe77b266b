#include "gateway/runtime/line_level.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bartizan {
namespace {

TEST(LineLevel, IsTheOneThatTheLineNames) {
  using enum LogLevel;
  const struct {
    std::string_view line;
    LogLevel want;
  } cases[] = {
      // Of libraries for logging, as they write by default.
      {"10:00:00.123 [main] DEBUG c.s.a.SentinelMcpServer - Invocando", debug},
      {"10:00:00.123 [Thread-1 (process)] WARN  c.s.a.SentinelMcpServer - x", warning},
      {"2026-01-31 10:00:00,123 - my.logger - ERROR - failed", error},
      {"ERROR:root:failed", error},
      {"WARNING:urllib3.connectionpool:Retrying", warning},
      {"[2026-01-31T10:00:00Z INFO  server] listening", info},
      {"2026-01-31T10:00:00.000000Z  WARN server: slow", warning},
      {"2026/01/31 10:00:00 [error] 123#0: *1 open() failed", error},
      {"[ERROR] failed", error},
      {"[ERROR]failed", error},
      {"<CRITICAL> failed", error},
      {"FATAL: role does not exist", error},
      {"TRACE x", debug},
      {"NOTICE x", info},
      {"\tDEBUG x", debug},
      {"time=2026-01-31T10:00:00Z level=WARN msg=slow", warning},
      {"level=warn ts=1", warning},
      {"ts=1 lvl=\"error\" msg=x", error},
      {"severity=debug", debug},
      {R"({"level":"warn","msg":"x"})", warning},
      {R"({"time":1, "level" : "ERROR"})", error},
      {R"({"msg":"\"level\":\"error\"","level":"debug"})", debug},
      // Nothing that names a level clearly.
      {"", info},
      {"   ", info},
      {"Server started", info},
      {"error while reading", info},
      {"Error: no such file", info},
      {"no error found", info},
      {"ERRORS 0", info},
      {"ERROR_COUNT=0", info},
      {"MY_ERROR x", info},
      {"ERROR-free since Monday", info},
      {"[errors] none", info},
      {"[error", info},
      {"errorlevel=warn", info},
      {"level=high", info},
      {"level=", info},
      {"one two three four five six ERROR", info},
      {"one two three four five ERROR", error},
      {R"({"level":50,"msg":"x"})", info},
      {R"({"level":"high"})", info},
      {R"({"level":"error)", info},
      {R"({"level")", info},
      {R"({"msg":"ERROR"})", info},
      {"[", info},
      {"[]", info},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    EXPECT_EQ(level_of_line(c.line), c.want);
  }
}

}  // namespace
}  // namespace bartizan
