#include "gateway/call/register_tool.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gateway/call/call_steps.h"
#include "gateway/call/limit_admission.h"
#include "gateway/call/resolve_target.h"
#include "gateway/catalogue/naming.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/store/tool_registrations.h"
#include "policy/check/read_registration.h"
#include "policy/check/registered_tools.h"
#include "policy/text/qualified_name.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Whether the endpoint lets the caller register tools.
bool is_registrar(const CallFrame& frame) {
  const auto& endpoints = frame.snapshot().config.endpoints;
  const auto found = endpoints.find(frame.call.facts.endpoint.value_or(""));
  if (found == endpoints.end()) return false;
  const std::vector<std::string>& roles = frame.principal().roles;
  return std::ranges::any_of(found->second.registrars, [&roles](const std::string& role) {
    return std::ranges::binary_search(roles, role);
  });
}

/// A tool of a configured server, as policy names it.
struct AttachedTool {
  const ServerConfig* server = nullptr;  ///< Null where no server has it, or two have.
  std::string name;
};

/// Whether the caller could call the tool, were it not quarantined: what it may not see, it cannot
/// register either.
bool is_seen(const CallFrame& frame, const ServerConfig& server, const ListedEntry& entry) {
  const RevocationTable* revocations = frame.worker.gateway.revocations.get();
  if (is_tool_blocked(revocations, server.name, entry.name)) return false;
  EvalContext of = any_call_of(frame);
  of.method = "tools/call";
  of.tool = entry.tool.get();
  return frame.policy().shows(frame.principal(), TargetKind::tool, server.name, entry.name, of);
}

/// The tool that a registration means: by the name that clients know, or as `server/tool`.
Task<AttachedTool> find_attached(CallFrame& frame, std::string wanted) {
  AttachedTool found;
  for (const Participant& one : participants(frame)) {
    const Result<ServerListPtr> list =
        co_await frame.worker.catalogue.get(one.upstream, ListKind::tools);
    if (!list.has_value()) continue;
    for (const ListedEntry& entry : (*list)->entries) {
      if (!is_seen(frame, *one.config, entry)) continue;
      const bool is_meant = exposed_name(*one.config, entry.name) == wanted ||
                            QualifiedName(one.config->name, entry.name).view() == wanted;
      if (!is_meant || entry.tool == nullptr) continue;
      if (found.server != nullptr) co_return AttachedTool();
      found = {.server = one.config, .name = entry.name};
    }
  }
  co_return found;
}

Denial invalid(std::string pointer, std::string expected) {
  Decision decision = Decision::deny(Reason::invalid_params);
  decision.violations.push_back(
      {.pointer = std::move(pointer), .keyword = "registration", .expected = std::move(expected)});
  return {"registration", std::move(decision)};
}

/// Why the state file did not take it.
Denial denial_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_params:
      return invalid("/tool_metadata/name", error.detail);
    case ErrorCode::overloaded:
    case ErrorCode::timed_out:
      return {"registration", Decision::deny(Reason::overloaded)};
    default:
      return {"registration", Decision::deny(Reason::internal)};
  }
}

/// What is kept of it: the words of the client, without what it says of itself.
std::string kept_text(JsonValue params) {
  std::string text = "{";
  for (const std::string_view name : {"tool_metadata", "security_profile", "schema"}) {
    if (text.size() > 1) text += ',';
    text += json_string(name) + ":" + std::string(params.find(name).raw());
  }
  return text + "}";
}

/// The answer, without its closing brace.
std::string result_of(const CallFrame& frame, const KeptRegistration& kept,
                      std::string_view exposed) {
  // Another one of the tool may wait.
  const std::vector<KeptRegistration> all = frame.worker.gateway.registrations->all();
  const bool waits = std::ranges::any_of(all, [&kept](const KeptRegistration& one) {
    return one.registration.server == kept.registration.server &&
           one.registration.tool == kept.registration.tool && one.approved_by.empty();
  });
  return fmt::format(R"({{"tool_id":{},"registration_id":"{}","status":"{}",)"
                     R"("registration_time":"{:%Y-%m-%dT%H:%M:%SZ}",)"
                     R"("security_context":{{"access_granted":{},"audit_id":{}}})",
                     json_string(exposed), kept.registration.number,
                     waits ? "pending_approval" : "approved",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(kept.at)),
                     waits ? "false" : "true", json_string(frame.decision_id.view()));
}

}  // namespace

bool registers_tool(const CallFrame& frame) {
  const GroundhogRequest* asked = frame.inbound.groundhog.get();
  return asked != nullptr && asked->method == GroundhogRequest::Method::register_tool;
}

Task<void> register_tool(CallFrame& frame) {
  const std::shared_ptr<ToolRegistrations> registrations = frame.worker.gateway.registrations;
  if (!is_registrar(frame) || registrations == nullptr) {
    co_return co_await refuse_call(frame,
                                   Denial{"registrars", Decision::deny(Reason::no_matching_rule)});
  }
  auto read = read_registration(frame.message().params);
  if (!read.has_value()) {
    co_return co_await refuse_call(frame, Denial{"registration", std::move(read.error())});
  }
  ToolRegistration registration = std::move(read->registration);
  // What is waited for may bring another policy, by which the caller is no registrar any more.
  const SnapshotPtr snapshot = frame.inbound.snapshot;
  AttachedTool tool = co_await find_attached(frame, read->name);
  if (is_outdated(frame)) co_return co_await refuse_call(frame, Reason::overloaded);
  if (auto present = review_caller(frame); !present.has_value()) {
    co_return co_await refuse_call(frame, present.error().reason);
  }
  if (tool.server == nullptr) {
    co_return co_await refuse_call(frame,
                                   Denial{"existence", Decision::deny(Reason::tool_unknown)});
  }
  registration.server = tool.server->name;
  registration.tool = tool.name;
  frame.call.server = tool.server->name;
  frame.target.name = tool.name;
  frame.call.target = frame.target.name;
  if (std::string flaw = find_registration_flaw(registration, snapshot->config.servers);
      !flaw.empty()) {
    co_return co_await refuse_call(frame, invalid("/security_profile", std::move(flaw)));
  }
  std::string text = kept_text(frame.message().params);
  if (text.size() > kRegistrationBytesMax) {
    co_return co_await refuse_call(frame, invalid("", "at most 48 KiB"));
  }
  LimitAdmission turn(frame);
  const SharedLimits::Answer taken = turn.take(false);
  if (const auto* full = std::get_if<LimitTable::Refusal>(&taken)) {
    const RuleInfo limit{.name = frame.policy().limits().limits()[full->limit].name};
    co_return co_await refuse_call(frame, Denial{"limits", Decision::deny(Reason::limited, &limit)},
                                   {.retry_after = full->retry_after});
  }
  const std::string detail = "version " + registration.version + ", waits for a person";
  const Result<void> recorded = co_await record_decision(
      frame, {.decision = "permit", .check = "registrars", .detail = detail});
  if (!recorded.has_value()) co_return co_await refuse_call(frame, Reason::not_recordable);
  KeptRegistration wanted{.registration = std::move(registration),
                          .text = std::move(text),
                          .by = frame.principal().id,
                          .decision_id = std::string(frame.decision_id.view()),
                          .at = std::chrono::floor<std::chrono::seconds>(system_now())};
  const auto kept = co_await registrations->add(frame.worker.loop, std::move(wanted));
  if (!kept.has_value()) co_return co_await refuse_call(frame, denial_of(kept.error()));
  const bool is_new = kept->decision_id == frame.decision_id.view();
  if (is_new) {
    log(LogLevel::warning, "tool registered, waits for a person",
        {{"server", kept->registration.server},
         {"name", kept->registration.tool},
         {"version", kept->registration.version},
         {"number", kept->registration.number},
         {"by", kept->by}});
  }
  co_await finish_with_result(
      frame, result_of(frame, *kept, exposed_name(*tool.server, tool.name)) + result_ending(frame));
}

}  // namespace bartizan
