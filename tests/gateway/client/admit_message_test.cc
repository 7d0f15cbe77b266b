#include "gateway/client/admit_message.h"

#include <array>
#include <string>

#include "tests/gateway/call/worker_test.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum MessageRefusal::Cause;

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
constexpr std::string_view kModern =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
constexpr std::string_view kBatch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])";
constexpr std::string_view kBeginning =
    R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}}])";

/// A message, what its transport says of it, and what becomes of it.
struct Case {
  std::string_view name;
  std::string_view message;
  std::string_view session;  ///< Of worker 0 where it is `own`.
  std::string_view header;   ///< `MCP-Protocol-Version`, of HTTP.
  std::string_view reason;   ///< Empty where it is admitted.
  MessageRefusal::Cause cause;
  Transport transport;
  Era served;  ///< As what it is served.
  bool is_known;
};

using enum Transport;
using enum Era;

const std::array kCases{
    Case{"a message of a session", kPing, "own", "2025-11-25", "", denial, http, legacy, true},
    Case{"without a header for the revision", kPing, "own", "", "", denial, http, legacy, true},
    Case{"the beginning of a session", kInitialize, "", "", "", denial, http, legacy, true},
    Case{"the beginning of another one", kInitialize, "own", "", "", denial, http, legacy, true},
    Case{"no session", kPing, "", "", "session_missing", denial, http, legacy, true},
    Case{"a session that nobody gave out", kPing, "strange", "", "session_unknown", denial, http,
         legacy, true},
    Case{"a revision that there is not", kPing, "own", "2031-01-01", "unsupported_version",
         protocol, http, legacy, true},
    Case{"a modern message", kModern, "", "2026-07-28", "", denial, http, modern, true},
    Case{"a modern message in a legacy session", kModern, "own", "2026-07-28", "", denial, http,
         modern, true},
    Case{"a modern message under another header", kModern, "", "2025-11-25", "header_mismatch",
         protocol, http, modern, true},
    Case{"a batch", kBatch, "own", "2025-03-26", "", denial, http, legacy, true},
    Case{"a batch without a header", kBatch, "own", "", "", denial, http, legacy, true},
    Case{"a batch without a session", kBatch, "", "2025-03-26", "session_missing", denial, http,
         legacy, true},
    Case{"a batch of another revision", kBatch, "own", "2025-06-18", "invalid_request", protocol,
         http, legacy, true},
    Case{"an empty batch", "[]", "own", "2025-03-26", "invalid_request", protocol, http, legacy,
         true},
    Case{"a batch that begins a session", kBeginning, "own", "2025-03-26", "invalid_request",
         protocol, http, legacy, true},
    Case{"a line of a session", kPing, "any", "", "", denial, stdio, legacy, true},
    Case{"a line before there is one", kPing, "", "", "session_missing", denial, stdio, legacy,
         true},
    Case{"a line that begins it", kInitialize, "", "", "", denial, stdio, legacy, true},
    Case{"a line that begins it twice", kInitialize, "any", "", "invalid_request", denial, stdio,
         legacy, true},
    Case{"a modern line", kModern, "", "", "", denial, stdio, modern, true},
    Case{"a batch of lines of no session", kBatch, "", "", "invalid_request", protocol, stdio,
         legacy, true},
    Case{"a caller who is not a principal", kPing, "any", "", "principal_unknown", denial, stdio,
         legacy, false}};

class AdmitMessageTest : public WorkerTest {
 protected:
  AdmitMessageTest() {
    Config config = sample_config();
    begin(std::move(config), {});
    const auto session = worker().sessions.begin(
        {.principal = worker().snapshot->policy->find_principal("ann"), .proof = "configured"},
        worker().snapshot->config.session, {1}, std::chrono::steady_clock::now());
    own_ = (*session)->id;
  }

  void serve(Era era) {
    auto directory = std::make_shared<Directory>();
    directory->probed = true;
    ServerState& state = directory->servers["files"];
    (era == Era::modern ? state.modern : state.legacy) = ServerHandshake{.era = era};
    worker().directory = std::move(directory);
  }

  Arrival arrival(const Case& one) {
    const SnapshotPtr& snapshot = worker().snapshot;
    Arrival arrival{
        .transport = one.transport,
        .snapshot = snapshot,
        .caller = {.principal = one.is_known ? snapshot->policy->find_principal("ann") : nullptr},
        .session_id = std::string(one.session == "own" ? own_ : one.session)};
    if (!kind_of(one.transport).has_headers) return arrival;
    auto head = std::make_shared<HeadInBytes>();
    head->bytes = "POST /mcp HTTP/1.1\r\nHost: x\r\n";
    arrival.agreed = kHeaderlessVersion;
    if (!one.header.empty()) {
      head->bytes.append("MCP-Protocol-Version: ").append(one.header).append("\r\n");
      if (one.served == Era::modern) head->bytes += "Mcp-Method: tools/list\r\n";
      arrival.agreed = parse_protocol_version(one.header);
    }
    head->bytes += "\r\n";
    EXPECT_TRUE(head->read(head->bytes).has_value());
    arrival.head = std::move(head);
    return arrival;
  }

  std::string own_;
};

TEST_F(AdmitMessageTest, DecidesWhatAMessageIsBeforeItIsACall) {
  for (std::size_t i = 0; i < 2 * kCases.size(); ++i) {
    const Case& one = kCases[i / 2];
    // Whichever era the servers speak.
    const Era servers = i % 2 == 0 ? legacy : modern;
    SCOPED_TRACE(std::string(one.name) + (servers == legacy ? ", legacy" : ", modern") +
                 " servers");
    serve(servers);
    auto admitted = admit_message(worker(), receive(one.message), arrival(one));
    if (!admitted.has_value()) {
      EXPECT_EQ(text(admitted.error().reason), one.reason);
      EXPECT_EQ(admitted.error().cause, one.cause);
      continue;
    }
    EXPECT_EQ("", one.reason);
    EXPECT_EQ(admitted->home, &worker());
    EXPECT_EQ(admitted->inbound->transport, one.transport);
    EXPECT_EQ(admitted->inbound->era, one.served);
    EXPECT_EQ(admitted->inbound->headers.has_value(),
              one.transport == http && one.served == modern);
    EXPECT_EQ(admitted->inbound->session_id.empty(), one.session.empty() || one.served == modern);
    EXPECT_EQ(admitted->elements.size(), one.message.starts_with('[') ? 1U : 0U);
  }
}

TEST_F(AdmitMessageTest, AdmitsNothingOnceTheGatewayStops) {
  serve(legacy);
  gateway_->draining = true;
  const auto admitted = admit_message(worker(), receive(kPing), arrival(kCases.front()));
  ASSERT_FALSE(admitted.has_value());
  EXPECT_EQ(admitted.error().reason, Reason::shutting_down);
}

}  // namespace
}  // namespace bartizan
