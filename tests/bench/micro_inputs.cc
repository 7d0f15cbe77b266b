#include "tests/bench/micro_inputs.h"

#include <random>

#include "audit/digest.h"
#include "tests/bench/answers.h"
#include "tests/bench/call_bytes.h"

namespace bartizan {
namespace {

constexpr Rate kManyPerSecond{.count = 10'000'000, .window = std::chrono::seconds(1)};
constexpr Rate kManyPerMinute{.count = 600'000'000, .window = std::chrono::minutes(1)};

CallShape shape() {
  CallShape shape;
  shape.tool = "origin_read_note";
  shape.key = kBenchKey;
  shape.session = "0123456789abcdef0123456789abcdef";
  return shape;
}

RuleConfig rule(std::string name, Effect effect, std::string pattern) {
  RuleConfig rule;
  rule.name = std::move(name);
  rule.effect = effect;
  rule.roles = {"reader"};
  rule.patterns = {std::move(pattern)};
  return rule;
}

void add_rules(Config& config, std::size_t count, Names names) {
  config.rules["readers-read"] = rule("readers-read", Effect::permit, "origin/read_*");
  config.rules["nobody-writes"] = rule("nobody-writes", Effect::forbid, "origin/write_*");
  while (config.rules.size() < count) {
    const std::string number = std::to_string(config.rules.size());
    const std::string pattern = "origin/tool_" + number;
    const Effect effect = config.rules.size() % 4 == 0 ? Effect::forbid : Effect::permit;
    config.rules["r" + number] =
        rule("r" + number, effect, names == Names::globs ? pattern + "_*" : pattern);
  }
}

void add_limit(Config& config, std::string name, std::vector<LimitKey> per) {
  LimitConfig& limit = config.limits[name];
  limit = {};
  limit.name = std::move(name);
  limit.per = std::move(per);
  limit.rates = {kManyPerSecond, kManyPerMinute};
}

/// The tool as the origin lists it, with its schemas.
ToolDefinition bench_tool() {
  const Bytes bytes(answer_to(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"));
  JsonDocument document;
  const JsonValue entry = document.read(bytes).value().at_pointer("/result/tools/0");
  ToolDefinition tool = read_tool_definition(entry).value();
  tool.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(entry));
  return tool;
}

}  // namespace

std::string bench_words(std::size_t size) {
  std::minstd_rand next;
  std::string text;
  while (text.size() < size) {
    const std::size_t length = 1 + (next() >> 8) % 9;
    for (std::size_t i = 0; i < length; ++i)
      text += static_cast<char>('a' + (next() >> 8) % 26);
    text += ' ';
  }
  text.resize(size);
  return text;
}

std::string bench_call() {
  return call_message(shape(), kFirstId);
}

std::string bench_request() {
  return post(shape(), bench_call());
}

std::string bench_answer() {
  return answer_to(bench_call());
}

Config bench_config(std::size_t rules, Names names) {
  Config config;
  config.roles["reader"] = {
      .name = "reader", .permissions = {"read:documents"}, .trust = Trust::verified, .where = {}};
  config.principals["bench"] = {.id = "bench", .roles = {"reader"}, .attributes = {}, .where = {}};
  const auto hex = hex_text(Digester().sha256(kBenchKey));
  config.auth.api_keys = {{.name = "bench",
                           .principal = "bench",
                           .sha256 = std::string(hex.data(), hex.size()),
                           .expires = {},
                           .where = {}}};
  config.servers["origin"].name = "origin";
  config.servers["origin"].url = "http://127.0.0.1:9000/mcp";
  config.paths["data"] = {.name = "data", .root = "/srv/data", .where = {}};
  ToolProfile profile;
  profile.pattern = "origin/*";
  profile.permissions = {"read:documents"};
  profile.arguments = {{.pointer = "/path", .predicate = PathPredicate{"data"}, .where = {}}};
  config.tools = {profile};
  config.policy.allow_unguarded_arguments = true;
  config.limits = default_limits();
  add_limit(config, "everyone", {});
  add_limit(config, "user", {LimitKey::principal});
  add_limit(config, "tool", {LimitKey::principal, LimitKey::tool});
  add_rules(config, rules, names);
  config.digest = std::string(hex.data(), hex.size());
  return config;
}

KnownNames bench_names() {
  return {.tools = {{"origin", {"read_note", "read_book"}}}, .prompts = {}};
}

BenchCall::BenchCall(const Policy& policy) : bytes_(bench_call()) {
  static const ToolDefinition kTool = bench_tool();
  call.bytes = SealedBytes(bytes_);
  call.message = parse_message(document_.read(bytes_).value()).value();
  call.principal = policy.find_principal("bench").get();
  call.server = "origin";
  call.target_kind = TargetKind::tool;
  call.target = "read_note";
  call.facts.now = 1'795'262'400;
  call.facts.tool = &kTool;
}

}  // namespace bartizan
