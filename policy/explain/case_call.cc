#include "policy/explain/case_call.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "config/check_name.h"
#include "config/problems.h"
#include "policy/explain/assume_definition.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "policy/verdict/find_reason.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json_text.h"
#include "schemas/message/message.h"

namespace bartizan {
namespace {

/// The id of a principal with exactly these roles. No principal of a configuration can have it.
std::string caller_with(const std::vector<std::string>& roles) {
  std::string id = "with the roles ";
  for (const std::string& role : roles)
    id += (&role == roles.data() ? "" : ", ") + role;
  return roles.empty() ? "without any role" : id;
}

const std::string& caller_of(const DescribedCall& described, std::string& made) {
  if (!described.principal.empty()) return described.principal;
  made = caller_with(described.roles);
  return made;
}

/// The smallest `params` of a method without a target. No check reads their values.
std::string least_params(MethodId method) {
  switch (method) {
    case MethodId::logging_set_level:
      return R"({"level":"info"})";
    case MethodId::subscriptions_listen:
      return R"({"notifications":{}})";
    case MethodId::tasks_get:
    case MethodId::tasks_result:
    case MethodId::tasks_cancel:
    case MethodId::tasks_update:
      return R"({"taskId":"task","_meta":{")" + std::string(meta_key::client_capabilities) +
             R"(":{"extensions":{")" + std::string(kTasksExtension) + R"(":{}}}}})";
    default:
      return "{}";
  }
}

/// The `params` of `completion/complete` for `ref`, a list of members.
std::string completion_params(const std::string& ref) {
  return "{\"ref\":{" + ref + R"(},"argument":{"name":"argument","value":""}})";
}

/// The `params` of the method. For a completion, `ref` has its target.
std::string params_of(const DescribedCall& described) {
  const std::string arguments =
      described.arguments.empty() ? "" : ",\"arguments\":" + described.arguments;
  const MethodId method = find_method(described.method).id;
  const bool completes = method == MethodId::completion_complete;
  switch (described.target_kind) {
    case TargetKind::none:
      return described.params.empty() ? least_params(method) : described.params;
    case TargetKind::resource: {
      const std::string uri = "\"uri\":" + json_string(described.target);
      return completes ? completion_params(R"("type":"ref/resource",)" + uri) : "{" + uri + "}";
    }
    case TargetKind::prompt:
      if (completes) {
        return completion_params(R"("type":"ref/prompt","name":)" + json_string(described.target));
      }
      [[fallthrough]];
    case TargetKind::tool:
      return "{\"name\":" + json_string(described.target) + arguments + "}";
  }
  return "{}";
}

std::string message_of(const DescribedCall& described) {
  return R"({"jsonrpc":"2.0","id":1,"method":)" + json_string(described.method) +
         ",\"params\":" + params_of(described) + "}";
}

/// An entry of a tool list. If it has no name, it gets the one in the case file.
std::string with_name(const std::string& entry, std::string_view name) {
  const Bytes bytes(entry);
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes);
  if (!value.has_value() || value->find("name")) return entry;
  const bool is_empty = value->begin() == value->end();
  return "{\"name\":" + json_string(name) + (is_empty ? "" : ",") + entry.substr(1);
}

FoundPlace found_place(DescribedFacts::Place place) {
  using Place = DescribedFacts::Place;
  using Where = FoundPlace::Where;
  using Kind = FoundPlace::Kind;
  switch (place) {
    case Place::file:
    case Place::binary:
      return {.where = Where::inside, .kind = Kind::file};
    case Place::directory:
      return {.where = Where::inside, .kind = Kind::directory};
    case Place::other:
      return {.where = Where::inside, .kind = Kind::other};
    case Place::absent:
      return {.where = Where::absent};
    case Place::outside:
      break;
  }
  return {.where = Where::outside};
}

std::vector<GatheredFact> gathered_facts(const DescribedFacts& described) {
  using Kind = FactQuery::Kind;
  std::vector<GatheredFact> facts;
  facts.reserve(2 * described.places.size() + described.contents.size() +
                described.addresses.size());
  for (const auto& [path, place] : described.places) {
    const FoundPlace found = found_place(place);
    facts.push_back({{.kind = Kind::place, .name = path}, found});
    if (found.kind != FoundPlace::Kind::file) continue;
    const bool is_text = place != DescribedFacts::Place::binary;
    facts.push_back({{.kind = Kind::text, .name = path}, FoundText{is_text}});
  }
  for (const auto& [path, sha256] : described.contents)
    facts.push_back({{.kind = Kind::content, .name = path}, FoundContent{sha256}});
  for (const auto& [name, addresses] : described.addresses)
    facts.push_back({{.kind = Kind::addresses, .name = name}, FoundAddresses{addresses}});
  return facts;
}

/// The files of a case file, so that problems can refer to them.
Problems problems_in(const CaseFile& file) {
  Problems problems;
  for (const std::string& name : file.files)
    problems.add_file(name);
  return problems;
}

void check_names(const PolicyCase& one, const Config& config, Problems& problems) {
  const DescribedCall& call = one.call;
  const auto at = [&one](const std::string& name) {
    return Text{.value = name, .where = one.call.where};
  };
  if (!call.principal.empty()) {
    check_reference(at(call.principal), "principal", config.principals, problems);
  }
  for (const std::string& role : call.roles)
    check_reference(at(role), "role", config.roles, problems);
  for (const std::string& approver : call.facts.approved_by)
    check_reference(at(approver), "principal", config.principals, problems);
  if (!call.server.empty()) check_reference(at(call.server), "server", config.servers, problems);
  const ExpectedAnswer& expected = one.expected;
  if (!expected.rule.empty()) check_reference(at(expected.rule), "rule", config.rules, problems);
  if (expected.reason.empty() || find_reason(expected.reason).has_value()) return;
  std::vector<std::string_view> reasons;
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i)
    reasons.push_back(text(static_cast<Reason>(i)));
  problems.error(call.where, "there is no reason " + quote(expected.reason),
                 hint_near(expected.reason, reasons));
}

/// The tools that a policy names in full, as `server/tool`.
std::set<std::string> named_tools(const Config& config) {
  std::set<std::string> named;
  const auto add = [&named](const std::string& pattern) {
    if (Glob(pattern).is_literal()) named.insert(pattern);
  };
  for (const auto& [name, rule] : config.rules) {
    if (rule.target == RuleTarget::tools) std::ranges::for_each(rule.patterns, add);
  }
  for (const ToolProfile& profile : config.tools)
    add(profile.pattern);
  for (const auto& [name, limit] : config.limits) {
    std::ranges::for_each(limit.tools, add);
    std::ranges::for_each(limit.except_tools, add);
  }
  return named;
}

/// The tools of one server, by their own names.
std::vector<std::string> tools_of(const std::vector<std::string_view>& names,
                                  const std::string& server) {
  std::vector<std::string> own;
  for (const std::string_view name : names) {
    if (name.starts_with(server + "/")) own.emplace_back(name.substr(server.size() + 1));
  }
  return own;
}

}  // namespace

ReadDefinitions read_definitions(const CaseFile& file) {
  ReadDefinitions read;
  Problems problems = problems_in(file);
  for (const auto& [name, tool] : file.tools) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      problems.error(tool.where, quote(name) + " names no server and tool",
                     "write [definition.\"server/tool\"]");
      continue;
    }
    Result<ToolDefinition> definition =
        read_listed_tool(with_name(tool.entry, name.substr(slash + 1)), {});
    if (definition.has_value()) {
      // A definition in a case is judged as if it were approved.
      definition->standing =
          std::make_shared<const ToolStanding>(ToolStanding{.kind = ToolStanding::Kind::assumed});
      read.tools.emplace(name, std::move(*definition));
    } else {
      problems.error(tool.where, "the definition cannot be used: " + definition.error().detail);
    }
  }
  read.problems = problems.sorted();
  return read;
}

const ToolDefinition* Definitions::find(const DescribedCall& call) {
  if (call.target_kind != TargetKind::tool) return nullptr;
  const std::string name = QualifiedName(call.server, call.target).text();
  const auto given = given_.find(name);
  const auto* pinned = pinned_.find(call.server, call.target);
  const bool is_pinned =
      pinned != nullptr &&
      (given == given_.end() ||
       is_pinned_as(config_.pins.tools.at(call.server).at(call.target), given->second));
  // The policy decides whether the lock file's own definition is approved.
  if (is_pinned) return pinned;
  if (given != given_.end()) return &given->second;
  auto assumed = assumed_.find(name);
  if (assumed == assumed_.end()) {
    assumed = assumed_.emplace(name, assume_definition(config_, call.server, call.target)).first;
  }
  return &assumed->second;
}

std::set<std::string> Definitions::assumed() const {
  std::set<std::string> names;
  for (const auto& [name, definition] : assumed_)
    names.insert(name);
  return names;
}

Config with_callers(const Config& config, const std::vector<PolicyCase>& cases) {
  Config all = config;
  for (const PolicyCase& one : cases) {
    if (!one.call.principal.empty()) continue;
    const std::string id = caller_with(one.call.roles);
    all.principals[id] = {.id = id, .roles = one.call.roles};
  }
  return all;
}

std::vector<ConfigProblem> find_case_problems(const Config& config, const CaseFile& file) {
  Problems problems = problems_in(file);
  for (const PolicyCase& one : file.cases)
    check_names(one, config, problems);
  return problems.sorted();
}

std::vector<ConfigProblem> find_case_doubts(const Config& config, const CaseFile& file) {
  const std::set<std::string> named = named_tools(config);
  Problems problems = problems_in(file);
  std::set<std::string> told;
  for (const PolicyCase& one : file.cases) {
    const DescribedCall& call = one.call;
    if (call.target_kind != TargetKind::tool || !config.servers.contains(call.server)) continue;
    const std::string name = QualifiedName(call.server, call.target).text();
    if (file.tools.contains(name) || named.contains(name) || !told.insert(name).second) continue;
    const std::vector<std::string> listed = tools_of(names_of(file.tools), call.server);
    std::vector<std::string> known = tools_of({named.begin(), named.end()}, call.server);
    known.insert(known.end(), listed.begin(), listed.end());
    const std::string hint = hint_near(call.target, {known.begin(), known.end()});
    if (listed.empty() && hint.empty()) continue;
    const std::string what = listed.empty() ? "nothing else names the tool "
                                            : "neither lock file nor case file has the tool ";
    problems.warning(call.where, what + quote(name), hint);
  }
  return problems.sorted();
}

CaseAnswer answer_of(Verdict verdict) {
  if (auto* denial = std::get_if<Denial>(&verdict)) {
    return {.check = denial->check,
            .decision = std::move(denial->decision),
            .observed = std::move(denial->observed)};
  }
  const Permit& permit = std::get<Permit>(verdict);
  return {.decision = Decision::permit(permit.rule()), .observed = permit.observed()};
}

Result<Message> CaseCall::read() {
  const Result<JsonValue> root = document_.read(text_);
  return root.has_value() ? parse_message(*root) : std::unexpected(root.error());
}

Result<std::unique_ptr<CaseCall>> CaseCall::make(const DescribedCall& described,
                                                 const Policy& policy,
                                                 const ToolDefinition* definition,
                                                 std::int64_t now) {
  std::string made;
  const PrincipalPtr principal = policy.find_principal(caller_of(described, made));
  if (principal == nullptr) {
    return fail(ErrorCode::config_invalid, Fault::client, "the policy has no such principal");
  }
  // The constructor is private, so that no object exists without a message.
  std::unique_ptr<CaseCall> made_call(new CaseCall(message_of(described)));
  Result<Message> message = made_call->read();
  if (message.has_value() && described.target_kind == TargetKind::tool) {
    // Forced and compacted arguments are judged as they are sent.
    const auto profile = policy.profile(described.server, described.target);
    const auto rewrite = [&](std::optional<std::string> text) {
      if (!message.has_value() || !text.has_value()) return;
      made_call->text_ = Bytes(*std::move(text));
      message = made_call->read();
    };
    rewrite(profile->renames.apply(*message, made_call->text_.view()));
    if (message.has_value()) {
      rewrite(profile->rewrites.apply(*message, made_call->text_.view()));
    }
    if (definition != nullptr && !profile->renames.empty()) {
      made_call->renamed_ = renamed_tool(*definition, profile->renames);
      definition = made_call->renamed_.get();
    }
  }
  if (!message.has_value()) return std::unexpected(message.error());
  Call& call = made_call->call_;
  call.version = described.facts.revision.value_or(kNewestLegacyVersion);
  call.era = era(call.version);
  call.principal = principal.get();
  call.message = *message;
  call.bytes = SealedBytes(std::move(made_call->text_));
  call.server = described.server;
  call.target_kind = described.target_kind;
  call.target = described.target;
  call.facts.now = described.facts.time.value_or(now);
  call.facts.transport = described.facts.transport;
  call.facts.endpoint = described.facts.endpoint;
  if (described.facts.client_address.has_value()) {
    call.facts.client_address = *described.facts.client_address;
  }
  for (const std::string& approver : described.facts.approved_by) {
    const PrincipalPtr found = policy.find_principal(approver);
    // A call that was captured under another policy may have an approver that this one lacks.
    if (found == nullptr) continue;
    call.facts.approvals.push_back(
        {.approver = found->id, .roles = found->roles, .at = call.facts.now});
  }
  // No description states the owner of a task: it counts as the caller's own.
  call.facts.names_own_task = is_about_task(call.message.known->id);
  call.facts.tool = definition;
  call.facts.gathered = gathered_facts(described.facts);
  return made_call;
}

}  // namespace bartizan
