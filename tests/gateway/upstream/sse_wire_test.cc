#include "gateway/upstream/sse_wire.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

TEST(FindMessageTarget, IsAPathOfTheServersOwnOrigin) {
  const Result<ServerUrl> url = parse_server_url("http://server.example:8080/deep/sse?key=1");
  ASSERT_TRUE(url.has_value());
  const struct {
    std::string_view said;
    std::string_view target;  ///< Empty where it is refused.
  } rows[] = {
      {"/messages?sessionId=1", "/messages?sessionId=1"},
      {"messages", "/deep/messages"},
      {"?sessionId=1", "/deep/sse?sessionId=1"},
      {"http://server.example:8080/messages?s=1", "/messages?s=1"},
      {"http://SERVER.example:8080/messages", "/messages"},
      {"messages?to=http://other/", "/deep/messages?to=http://other/"},
      {"http://server.example:8080", "/"},
      {"http://other.example:8080/messages", ""},
      {"http://server.example:8081/messages", ""},
      {"http://server.example/messages", ""},
      {"https://server.example:8080/messages", ""},
      {"http://user@server.example:8080/messages", ""},
      {"//other.example/messages", ""},
      {"/\\other.example/messages", ""},
      {"file:/etc/passwd", ""},
      {"javascript:alert(1)", ""},
      {"/messages#part", ""},
      {"/mes sages", ""},
      {"/messages\r\nX-More: 1", ""},
      {"", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.said);
    const Result<std::string> target = find_message_target(*url, row.said);
    EXPECT_EQ(target.has_value(), !row.target.empty());
    EXPECT_EQ(target.value_or(""), row.target);
  }
}

}  // namespace
}  // namespace bartizan
