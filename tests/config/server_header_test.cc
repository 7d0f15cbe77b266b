#include "config/server_header.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

constexpr std::string_view kOwn = "is written by the gateway itself";
constexpr std::string_view kConnections = "belongs to one connection, not to a server";
constexpr std::string_view kNoName = "is not a name of a header";

TEST(ServerHeader, IsNamedByWhoeverWritesTheConfigurationButForSome) {
  const struct {
    std::string_view name;
    std::string_view fault;
  } cases[] = {
      {"X-Api-Key", ""},
      {"Authorization", ""},
      {"Cookie", ""},
      {"Mcpx-Key", ""},
      {"X-Mcp-Method", ""},
      {"Hosts", ""},
      {"User-Agent", ""},
      {"Host", kOwn},
      {"hOST", kOwn},
      {"Content-Length", kOwn},
      {"content_length", kOwn},
      {"Transfer-Encoding", kOwn},
      {"Content-Type", kOwn},
      {"Accept", kOwn},
      {"Last-Event-ID", kOwn},
      {"Mcp-Session-Id", kOwn},
      {"MCP-Protocol-Version", kOwn},
      {"mcp_method", kOwn},
      {"Mcp-Param-region", kOwn},
      {"Connection", kConnections},
      {"Keep-Alive", kConnections},
      {"te", kConnections},
      {"Upgrade", kConnections},
      {"Proxy-Authorization", kConnections},
      {"", kNoName},
      {"X Key", kNoName},
      {"X-Key:", kNoName},
      {"X-K\xC3\xA4y", kNoName},
      {"X\r\nHost", kNoName},
  };
  for (const auto& c : cases)
    EXPECT_EQ(find_header_fault(c.name), c.fault) << c.name;
}

TEST(ServerHeader, HasAValueThatReadersTakeAsItIs) {
  for (const std::string_view value : {"x", "a b", "a\tb", "\xC3\xA4", "Bearer x", "~"})
    EXPECT_TRUE(is_header_value(value)) << value;
  using namespace std::string_view_literals;
  for (const std::string_view value :
       {""sv, " x"sv, "x "sv, "\tx"sv, "x\n"sv, "x\r\ny: z"sv, "x\0y"sv, "x\x7F"sv, "\x1B[m"sv})
    EXPECT_FALSE(is_header_value(value)) << value;
}

}  // namespace
}  // namespace bartizan
