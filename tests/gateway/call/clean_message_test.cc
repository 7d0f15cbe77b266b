// How often a message of a server is read until it is what a client gets: by a count, since nothing
// that anybody sees tells of it.
#include "gateway/call/clean_message.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "tests/gateway/call/worker_test.h"

namespace bartizan {

/// Of messages; parts of them that are read by themselves do not count.
int reads = 0;

// The linker lets all calls of `JsonDocument::read` come to the second (`--wrap`).
Result<JsonValue>
read_in_fact(JsonDocument* document, const Bytes& bytes, const JsonLimits& limits) asm(
    "__real__ZN8bartizan12JsonDocument4readERKNS_5BytesERKNS_10JsonLimitsE");
[[gnu::used]] Result<JsonValue>
read_and_count(JsonDocument* document, const Bytes& bytes, const JsonLimits& limits) asm(
    "__wrap__ZN8bartizan12JsonDocument4readERKNS_5BytesERKNS_10JsonLimitsE");

Result<JsonValue> read_and_count(JsonDocument* document, const Bytes& bytes,
                                 const JsonLimits& limits) {
  if (bytes.view().contains("\"jsonrpc\"")) ++reads;
  return read_in_fact(document, bytes, limits);
}

namespace {

constexpr std::string_view kConfig = R"(version = 1
[audit]
file = "audit.jsonl"
[server.files]
command = ["/bin/true"]
[role.analyst]
trust = "verified"
[principal.ann]
roles = ["analyst"]
[rule.read]
effect = "permit"
roles = ["analyst"]
tools = ["files/*"]
[sanitise.default]
hidden = "remove"
markup = "defuse"
ui_origins = ["https://*.ours.example"]
injection = "mark"
)";

constexpr std::string_view kCall = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                                   R"("params":{"name":"files_read","arguments":{}}})";

class CleanMessageTest : public WorkerTest {
 protected:
  CleanMessageTest() {
    LoadedConfig loaded = load_config_text(kConfig, "test.toml");
    for (const ConfigProblem& problem : loaded.problems)
      EXPECT_NE(problem.severity, ConfigProblem::Severity::error) << text(problem);
    begin(std::move(loaded.config), {.tools = {{"files", {"read"}}}, .prompts = {}});
    call_ = frame(kCall);
    call_->call.server = "files";
    call_->call.target = "read";
    call_->call.target_kind = TargetKind::tool;
  }
  ~CleanMessageTest() override { call_.reset(); }

  /// What is left of a result, and how often it was read, its receipt included.
  std::string clean(const std::string& result) {
    reads = 0;
    ReceivedMessage received = receive(R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
    if (clean_message(*call_, received) == RewriteOutcome::withheld) return "withheld";
    return std::string(received.message.result.raw());
  }

  std::unique_ptr<CallFrame> call_;
};

std::string text_result(std::string_view text) {
  return R"({"content":[{"type":"text","text":")" + std::string(text) + R"("}]})";
}

TEST_F(CleanMessageTest, ReadsAMessageOnceAndOnceMoreForEachStepThatRewritesIt) {
  const std::string secret = "ghp_" + std::string("wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx");
  const std::string structured = R"({"content":[{"type":"text","text":"{\"key\": \")" + secret +
                                 R"(\"}"}],"structuredContent":{"key":")" + secret + R"("}})";
  const struct {
    std::string_view name;
    std::string result, left;
    int reads;
  } cases[] = {
      {"nothing is found", text_result("All is well."), text_result("All is well."), 1},
      {"a hidden character", text_result("All\u200b is well."), text_result("All is well."), 2},
      {"a secret", text_result("It is " + secret + "."),
       text_result("It is [redacted:github.token]."), 2},
      {"a secret in a text and in what it is a copy of", structured,
       R"({"content":[{"type":"text","text":"{\"key\": \"[redacted:github.token]\"}"}],)"
       R"("structuredContent":{"key":"[redacted:github.token]"}})",
       2},
      {"a secret that a hidden character divides",
       text_result("It is ghp_\u200b" + secret.substr(4) + "."),
       text_result("It is [redacted:github.token]."), 3},
      {"a hidden character and a secret", text_result("It\u200b is " + secret + "."),
       text_result("It is [redacted:github.token]."), 3},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(clean(c.result), c.left);
    EXPECT_EQ(reads, c.reads);
  }
}

}  // namespace
}  // namespace bartizan
