#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/require.h"
#include "policy/check/compile_policy.h"
#include "policy/verdict/pipeline.h"
#include "schemas/message/message.h"

/// Whatever checks decide, and whatever a client sends: no permit where an enforced check denied,
/// none where nothing permitted, and a permit carries exactly the bytes that were judged.

namespace {

using namespace bartizan;

/// One byte makes one check: what it decides, and whether it yields to observing.
Decision::Kind kind_of(std::uint8_t byte) {
  switch (byte % 3) {
    case 0:
      return Decision::Kind::deny;
    case 1:
      return Decision::Kind::pass;
    default:
      return Decision::Kind::permit;
  }
}
Check::Kind yielding_of(std::uint8_t byte) {
  return (byte & 0x80) != 0 ? Check::Kind::yields_to_observe : Check::Kind::always_enforced;
}

std::vector<Check> checks_of(std::span<const std::uint8_t> bytes) {
  std::vector<Check> checks;
  for (const std::uint8_t byte : bytes) {
    checks.push_back({"check", yielding_of(byte),
                      [byte](const Call&) { return Decision{kind_of(byte), Reason::forbidden}; }});
  }
  return checks;
}

/// Whether a permit may come of these checks, by the definition.
bool may_pass(std::span<const std::uint8_t> bytes, Pipeline::Mode mode) {
  bool granted = false;
  for (const std::uint8_t byte : bytes) {
    const bool denies = kind_of(byte) == Decision::Kind::deny;
    const bool yields =
        mode == Pipeline::Mode::observe && yielding_of(byte) == Check::Kind::yields_to_observe;
    if (denies && !yields) return false;
    granted = granted || denies || kind_of(byte) == Decision::Kind::permit;
  }
  return granted;
}

void fuzz_checks(std::span<const std::uint8_t> bytes, std::string_view text) {
  for (const auto mode : {Pipeline::Mode::enforce, Pipeline::Mode::observe}) {
    Call call;
    call.bytes = SealedBytes(Bytes(text));
    const Verdict verdict = Pipeline(checks_of(bytes)).judge(call, nullptr, mode);
    const auto* permit = std::get_if<Permit>(&verdict);
    require((permit != nullptr) == (may_pass(bytes, mode) && !text.empty()));
    if (permit != nullptr) require(permit->bytes() == text && permit->wire() == text);
  }
}

Config demo_config() {
  Config config;
  config.principals["ann"].id = "ann";
  config.servers["files"].name = "files";
  config.servers["files"].cwd = "/srv/data";
  config.paths["docs"].root = "/srv/data";
  RuleConfig& permit = config.rules["permit"];
  permit.name = "permit";
  permit.effect = Effect::permit;
  permit.principals = {"*"};
  permit.patterns = {"*/*"};
  RuleConfig& forbid = config.rules["forbid"];
  forbid.name = "forbid";
  forbid.roles = {"*"};
  forbid.patterns = {"files/write*"};
  ToolProfile profile;
  profile.pattern = "files/*";
  ArgumentPredicate path;
  path.pointer = "/path";
  path.predicate = PathPredicate{"docs"};
  path.optional = true;
  ArgumentPredicate paths = path;
  paths.pointer = "/paths/*";
  profile.arguments = {path, paths};
  config.tools = {profile};
  return config;
}

ToolDefinition demo_tool() {
  const Bytes bytes(std::string_view(
      R"({"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"},)"
      R"("paths":{"type":"array"}}}})"));
  JsonDocument document;
  const JsonValue entry = document.read(bytes).value();
  ToolDefinition tool = read_tool_definition(entry).value();
  tool.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(entry));
  return tool;
}

/// A permitted call of a real policy names no forbidden tool, and its path is not plainly outside.
void check_permitted(const Call& call, const Permit& permit, std::string_view text) {
  require(permit.bytes() == text);
  if (call.message.known->id != MethodId::tools_call) return;
  require(permit.rule() != nullptr && permit.rule()->name == "permit");
  require(!call.target.starts_with("write"));
  const JsonValue path = call.message.arguments.find("path");
  require(!path || path.is(JsonType::string));
  require(!path || path.text().find('\\') == std::string_view::npos);
  require(!path.text().starts_with('/') || path.text().find("srv") != std::string_view::npos);
}

void fuzz_policy(std::string_view text, Direction direction) {
  const auto policy =
      compile_policy(demo_config(), {.tools = {{"files", {"read"}}}, .prompts = {}});
  static const ToolDefinition tool = demo_tool();
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root) return;
  const Result<Message> message = parse_message(*root);
  if (!message) return;
  Call call;
  call.direction = direction;
  call.message = *message;
  call.bytes = SealedBytes(Bytes(text));
  call.principal = policy->find_principal("ann").get();
  call.server = "files";
  call.target_kind = message->known->target;
  call.target =
      call.target_kind == TargetKind::resource ? message->uri.text() : message->name.text();
  call.facts.tool = &tool;
  const Verdict verdict = policy->judge(call);
  if (const auto* permit = std::get_if<Permit>(&verdict)) check_permitted(call, *permit, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const std::size_t checks = std::min<std::size_t>(data[0] % 16, size - 1);
  const auto rest = input.subspan(1 + checks);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  fuzz_checks(input.subspan(1, checks), text);
  fuzz_policy(text,
              (data[0] & 0x80) != 0 ? Direction::server_to_client : Direction::client_to_server);
  return 0;
}
