#include "gateway/http/accept.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kStream = "text/event-stream";

TEST(Accept, CoversAndPrefers) {
  const struct {
    std::string_view accept;
    bool json;
    bool stream;
    bool prefers_stream;
  } cases[] = {
      {"application/json, text/event-stream", true, true, false},
      {"text/event-stream, application/json", true, true, true},
      {"text/event-stream,application/json", true, true, true},
      {"Text/Event-Stream , Application/JSON", true, true, true},
      {"text/event-stream;q=0.5, application/json", true, true, false},
      {"application/json;q=0.5, text/event-stream", true, true, true},
      {"application/json; charset=utf-8; q=0.1, text/event-stream;q=0.2", true, true, true},
      {"application/json;Q=0.1, text/event-stream", true, true, true},
      {"application/json;q=1.0, text/event-stream;q=1", true, true, false},
      {"text/event-stream", false, true, true},
      {"application/json", true, false, false},
      {"text/event-stream;q=0, application/json", true, false, false},
      {"text/event-stream, application/json;q=0.0", false, true, true},
      {"text/event-stream;q=x, application/json", true, false, false},
      {"text/event-stream;q=2, application/json", true, false, false},
      {"*/*", true, true, false},
      {"*/*, text/event-stream", true, true, false},
      {"text/*, application/json", true, true, true},
      {"text/*;q=0.1, application/json", true, true, false},
      {"text/*;q=0, */*", true, false, false},
      {"text/*, text/event-stream;q=0, application/json", true, false, false},
      {"text/plain", false, false, false},
      {"application/jsonx, xtext/event-stream", false, false, false},
      {"", false, false, false},
      {",,", false, false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.accept);
    EXPECT_EQ(accepts(c.accept, kJson), c.json);
    EXPECT_EQ(accepts(c.accept, kStream), c.stream);
    EXPECT_EQ(prefers(c.accept, kStream, kJson), c.prefers_stream);
  }
}

}  // namespace
}  // namespace bartizan
