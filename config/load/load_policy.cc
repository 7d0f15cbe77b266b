#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/check_name.h"
#include "config/load/load_approvals.h"
#include "config/load/load_conditions.h"
#include "config/load/load_parts.h"
#include "config/load/load_predicate.h"
#include "config/load/lock_file.h"
#include "schemas/message/method.h"

namespace bartizan {
namespace {

constexpr std::array<std::pair<std::string_view, Effect>, 3> kEffects{
    {{"permit", Effect::permit},
     {"forbid", Effect::forbid},
     {"require_approval", Effect::require_approval}}};
constexpr std::array<std::pair<std::string_view, PolicySettings::Mode>, 2> kModes{
    {{"enforce", PolicySettings::Mode::enforce}, {"observe", PolicySettings::Mode::observe}}};
constexpr std::array<std::pair<std::string_view, PinsConfig::Mode>, 3> kPinModes{
    {{"locked", PinsConfig::Mode::locked},
     {"trust_on_first_use", PinsConfig::Mode::trust_on_first_use},
     {"off", PinsConfig::Mode::off}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kObserve{
    {{"enforce", false}, {"observe", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kUnguarded{
    {{"refuse", false}, {"allow", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kAnswers{
    {{"error", false}, {"result", true}}};
constexpr std::array<std::pair<std::string_view, RuleTarget>, 4> kTargets{
    {{"tools", RuleTarget::tools},
     {"resources", RuleTarget::resources},
     {"prompts", RuleTarget::prompts},
     {"methods", RuleTarget::methods}}};

constexpr std::size_t kRemediationBytesMax = 1024;

/// The callers that a rule binds: `["*"]`, or existing names.
template <class Map>
std::vector<std::string> load_subjects(TableReader& table, std::string_view key,
                                       std::string_view what, const Map& known) {
  const std::vector<Text> subjects = table.texts(key);
  for (const Text& subject : subjects) {
    if (subject.value != "*") {
      check_reference(subject, what, known, table.problems());
    } else if (subjects.size() > 1) {
      table.problems().error(subject.where, "\"*\" is everyone and stands alone");
    }
  }
  if (table.is_empty_array(key)) {
    table.problems().error(table.where(key), fmt::format("{} is empty", quote(key)),
                           "write [\"*\"] for everyone");
  }
  return values(subjects);
}

void check_method(const Text& method, Problems& problems) {
  if (method.value == "*" || find_method(method.value).id != MethodId::unknown) return;
  problems.error(method.where, fmt::format("{} is not an MCP method", quote(method.value)),
                 "methods are written out, such as \"logging/setLevel\", or \"*\" for all");
}

void check_selector(const Text& pattern, RuleTarget target, const Config& config,
                    Problems& problems) {
  switch (target) {
    case RuleTarget::methods:
      return check_method(pattern, problems);
    case RuleTarget::resources:
      return check_pattern(pattern, find_resource_pattern_fault(pattern.value), config.servers,
                           problems);
    case RuleTarget::tools:
    case RuleTarget::prompts:
      return check_pattern(pattern, find_tool_pattern_fault(pattern.value), config.servers,
                           problems);
  }
}

void load_selectors(RuleConfig& rule, TableReader& table, const Config& config) {
  int found = 0;
  for (const auto& [key, target] : kTargets) {
    if (!table.has(key)) continue;
    ++found;
    const std::vector<Text> patterns = table.texts(key);
    for (const Text& pattern : patterns) {
      check_selector(pattern, target, config, table.problems());
    }
    if (table.is_empty_array(key)) {
      table.problems().error(table.where(key), fmt::format("{} is empty", quote(key)));
    }
    rule.target = target;
    rule.patterns = values(patterns);
    if (target == RuleTarget::resources)
      std::ranges::transform(rule.patterns, rule.patterns.begin(), joined_resource_pattern);
  }
  if (found == 1) return;
  table.problems().error(
      rule.where,
      fmt::format("a rule needs exactly one of \"tools\", \"resources\", \"prompts\" and "
                  "\"methods\", not {}",
                  found == 0 ? "none" : "several"));
}

/// A refusing rule that expired would grant access by the passing of time.
void load_expiry(RuleConfig& rule, TableReader& table) {
  rule.expires = table.date("expires");
  if (!table.has("expires") || rule.effect == Effect::permit) return;
  table.problems().error(table.where("expires"),
                         "\"expires\" is for permits: a rule that refuses does not end by itself");
}

/// Keys that only shape a refusal have no effect in a permit. There they suggest a wrong effect.
void check_refusal_keys(const RuleConfig& rule, TableReader& table) {
  if (rule.effect == Effect::permit) {
    for (const std::string_view key : {"hide", "answer", "remediation", "risk"}) {
      if (!table.has(key)) continue;
      table.problems().error(table.where(key),
                             fmt::format("{} has no effect on a permit", quote(key)));
    }
    if (rule.observe) {
      table.problems().error(table.where("mode"),
                             "a permit cannot be observed: it refuses nothing");
    }
  }
  if (rule.hide && (rule.answer_as_result || !rule.remediation.empty())) {
    table.problems().error(table.where("hide"),
                           "\"hide\" answers as if the tool did not exist: \"answer\" and "
                           "\"remediation\" would give it away");
  }
  if (rule.remediation.size() > kRemediationBytesMax) {
    table.problems().error(table.where("remediation"), "\"remediation\" is longer than 1024 bytes");
  }
}

RuleConfig load_rule(const Text& name, TableReader& table, const Config& config) {
  RuleConfig rule{.name = name.value, .where = name.where};
  rule.effect = table.choice<Effect>("effect", kEffects).value_or(rule.effect);
  if (!table.has("effect")) table.problems().error(name.where, "a rule needs \"effect\"");
  rule.observe = table.choice<bool>("mode", kObserve).value_or(false);
  rule.roles = load_subjects(table, "roles", "role", config.roles);
  rule.principals = load_subjects(table, "principals", "principal", config.principals);
  if (table.has("roles") == table.has("principals")) {
    table.problems().error(name.where, "a rule needs exactly one of \"roles\" and \"principals\"",
                           "roles = [\"*\"] is everyone");
  }
  load_selectors(rule, table, config);
  rule.hide = table.boolean("hide").value_or(false);
  rule.answer_as_result = table.choice<bool>("answer", kAnswers).value_or(false);
  rule.remediation = table.text("remediation").value_or("");
  rule.risk = table.choice<Risk>("risk", kRiskNames);
  rule.when = load_conditions(table, "when", rule.target, config);
  rule.unless = load_conditions(table, "unless", rule.target, config);
  load_expiry(rule, table);
  rule.approval = load_approval_terms(table, rule.effect, config);
  check_refusal_keys(rule, table);
  table.finish();
  return rule;
}

}  // namespace

PolicySettings load_policy(TableReader& root) {
  PolicySettings policy;
  auto table = root.table("policy");
  if (!table) return policy;
  policy.where = table->where();
  policy.mode = table->choice<PolicySettings::Mode>("mode", kModes).value_or(policy.mode);
  policy.until = table->date("until");
  policy.allow_unguarded_arguments =
      table->choice<bool>("unguarded_arguments", kUnguarded).value_or(false);
  const bool is_observed = policy.mode == PolicySettings::Mode::observe;
  if (is_observed && !table->has("until")) {
    table->problems().error(table->where("mode"),
                            "\"mode\" = \"observe\" needs \"until\": a date that ends it",
                            "until = 2027-01-31");
  }
  if (!is_observed && table->has("until")) {
    table->problems().error(table->where("until"), "\"until\" needs \"mode\" = \"observe\"");
  }
  table->finish();
  return policy;
}

/// Required members, and the whole definition, cannot be left out. Nor can array elements, because
/// removing one changes the indexes of the others.
bool is_member_to_leave_out(std::string_view pointer) {
  static constexpr std::array<std::string_view, 3> kNeeded{"/name", "/inputSchema",
                                                           "/inputSchema/type"};
  if (std::ranges::find(kNeeded, pointer) != kNeeded.end()) return false;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    const bool is_index = step == "-" || (!step.empty() && step.find_first_not_of("0123456789") ==
                                                               std::string_view::npos);
    if (is_index) return false;
    pointer.remove_prefix(step.size());
  }
  return true;
}

/// After an update of the gateway, people should learn that older pins cover less.
void warn_of_old_pins(TableReader& table, const PinsConfig& pins) {
  std::size_t count = 0;
  for (const auto& [server, tools] : pins.tools) {
    count += static_cast<std::size_t>(std::ranges::count(
        tools, PinVersion::v1, [](const auto& tool) { return tool.second.version; }));
  }
  if (count == 0) return;
  table.problems().warning(
      table.where("file"),
      fmt::format("the lock file {} has tools of version 1: {}, of which only name, title, "
                  "description, schemas and annotations are pinned",
                  quote(pins.file), count),
      "bartizan pin CONFIG shows what else they have, and pins all of it; docs/pinning.md");
}

PinsConfig load_pins(TableReader& root, const std::optional<std::string>& lock) {
  PinsConfig pins;
  auto table = root.table("pins");
  if (!table) return pins;
  pins.where = table->where();
  pins.file = table->path("file").value_or("");
  pins.mode = table->choice<PinsConfig::Mode>("mode", kPinModes).value_or(PinsConfig::Mode::locked);
  for (const Text& pointer : table->texts("volatile")) {
    if (is_json_pointer(pointer.value) && !pointer.value.empty() &&
        is_member_to_leave_out(pointer.value)) {
      pins.volatile_members.push_back(pointer.value);
      continue;
    }
    table->problems().error(
        pointer.where,
        fmt::format("{} is not a JSON pointer to a member that a definition can "
                    "be without",
                    quote(pointer.value)),
        "such as \"/_meta/build\"; name, inputSchema, its type and elements of "
        "arrays are always pinned");
  }
  if (!table->has("file") && pins.mode == PinsConfig::Mode::locked) {
    table->problems().error(pins.where, "\"pins\" needs \"file\"",
                            "file = \"bartizan.lock\", or mode = \"trust_on_first_use\"");
  }
  if (lock.has_value()) {
    LockFile read = parse_lock_file(*lock, pins.file, table->where("file"), table->problems(),
                                    pins.volatile_members);
    pins.tools = std::move(read.tools);
    warn_of_old_pins(*table, pins);
    pins.executables = std::move(read.executables);
    for (const auto& [server, identity] : read.identities) {
      if (!identity.certificate_key.empty()) {
        pins.certificate_keys.emplace(server, identity.certificate_key);
      }
    }
  }
  table->finish();
  return pins;
}

namespace {

/// `allowed_resources` of a role, as a permit. No `[rule.NAME]` can have a colon in its name.
RuleConfig permit_resources(const RoleConfig& role, const Config& config, Problems& problems) {
  RuleConfig rule{.name = "allowed_resources:" + role.name,
                  .effect = Effect::permit,
                  .roles = {role.name},
                  .target = RuleTarget::resources,
                  .where = role.where};
  for (const std::string& pattern : role.allowed_resources) {
    check_selector({.value = pattern, .where = role.where}, rule.target, config, problems);
    rule.patterns.push_back(joined_resource_pattern(pattern));
  }
  return rule;
}

}  // namespace

std::map<std::string, RuleConfig, std::less<>> load_rules(TableReader& root, const Config& config) {
  std::map<std::string, RuleConfig, std::less<>> rules;
  for (auto& [name, table] : root.named_tables("rule")) {
    check_name(name, "rule", root.problems());
    rules.emplace(name.value, load_rule(name, table, config));
  }
  for (const auto& [name, role] : config.roles) {
    if (role.allowed_resources.empty()) continue;
    RuleConfig rule = permit_resources(role, config, root.problems());
    rules.emplace(rule.name, std::move(rule));
  }
  return rules;
}

LogConfig load_log(TableReader& root) {
  using Level = LogConfig::Level;
  static constexpr std::array<std::pair<std::string_view, Level>, 4> kLevels{
      {{"debug", Level::debug},
       {"info", Level::info},
       {"warning", Level::warning},
       {"error", Level::error}}};
  LogConfig log;
  auto table = root.table("log");
  if (!table) return log;
  log.level = table->choice<Level>("level", kLevels).value_or(log.level);
  table->finish();
  return log;
}

}  // namespace bartizan
