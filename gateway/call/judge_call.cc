#include <algorithm>
#include <optional>
#include <utility>

#include "gateway/call/agent_refusal.h"
#include "gateway/call/ask_approval.h"
#include "gateway/call/asked_tool.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/call_task.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/request_rounds.h"
#include "gateway/call/resolve_target.h"
#include "gateway/call/resource_names.h"
#include "gateway/call/sent_approval.h"
#include "gateway/call/subscription.h"
#include "gateway/http/http_fields.h"
#include "gateway/runtime/clock.h"
#include "schemas/json/json_text.h"
#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

bool shows_all_subscribed(const CallFrame& frame, const ServerConfig& server) {
  const auto is_shown = [&](std::string_view uri) {
    return frame.policy().shows(frame.principal(), TargetKind::resource, server.name, uri,
                                any_call_of(frame));
  };
  if (const auto own = own_subscriptions(frame, server)) return std::ranges::all_of(*own, is_shown);
  const JsonValue uris = frame.message().params.find("notifications").find("resourceSubscriptions");
  return std::all_of(uris.begin(), uris.end(), [&](JsonValue uri) { return is_shown(uri.text()); });
}

/// Whom the call goes to: the server of its target, or every server that takes part.
std::vector<Participant> recipients(CallFrame& frame) {
  if (frame.target.server != nullptr) {
    std::vector<Participant> one;  // A list in braces would copy the handle once more.
    one.push_back({frame.target.server, frame.target.upstream});
    return one;
  }
  const MethodId method = frame.method();
  const bool goes_to_all =
      method == MethodId::logging_set_level || method == MethodId::subscriptions_listen;
  if (!goes_to_all) return {};
  std::vector<Participant> all = participants(frame);
  // Where operators blocked all of them, the check has to say so.
  const auto is_blocked = [&frame](const Participant& one) {
    return is_server_blocked_now(frame, one.config->name);
  };
  if (!std::ranges::all_of(all, is_blocked)) std::erase_if(all, is_blocked);
  if (const std::string& only = frame.inbound.only_server; !only.empty()) {
    std::erase_if(all, [&only](const Participant& one) { return one.config->name != only; });
  }
  if (method != MethodId::subscriptions_listen || all.size() < 2) return all;
  // Of several servers, those take part whose resources the caller may see; the check judges each.
  std::vector<Participant> fitting;
  for (const Participant& one : all) {
    if (shows_all_subscribed(frame, *one.config)) fitting.push_back(one);
  }
  return fitting.empty() ? all : fitting;
}

/// The target as its server calls it: a tool may have an alias for everybody else.
std::string_view sent_name(const CallFrame& frame) {
  const ToolDefinition* tool = frame.call.facts.tool;
  const bool is_tool = frame.call.target_kind == TargetKind::tool && tool != nullptr;
  return is_tool && !tool->own_name.empty() ? std::string_view(tool->own_name) : frame.call.target;
}

/// What a modern HTTP server wants repeated outside the body, from the body that was judged.
void mirror(const CallFrame& frame, Era server, OutboundRequest& request) {
  const Message& message = frame.message();
  request.method = frame.method_name();
  if (server == Era::legacy) return;
  if (frame.call.target_kind != TargetKind::none &&
      frame.method() != MethodId::completion_complete) {
    request.name_header = encode_header_text(sent_name(frame));
  }
  if (frame.call.facts.names_own_task) {
    request.name_header = encode_header_text(frame.task.task->origin().server_id);
  }
  if (frame.call.facts.tool != nullptr) {
    for (const MirroredArgument& mirrored : frame.call.facts.tool->mirrored) {
      const auto value = encode_header_value(message.arguments.at_pointer(mirrored.pointer));
      if (value.has_value()) request.param_headers.emplace_back(mirrored.header, *value);
    }
  }
  if (!frame.inbound.headers.has_value()) return;
  for (const auto& [name, value] : frame.inbound.headers->params) {
    // Names that the definition does not know are the server's affair and are passed on.
    const auto is_known = [&, header = name](const auto& known) {
      return equal_ignoring_case(known.first, header);
    };
    if (std::none_of(request.param_headers.begin(), request.param_headers.end(), is_known)) {
      request.param_headers.emplace_back(name, value);
    }
  }
}

/// A resource by its server's own URI.
void splice_uri(CallFrame& frame, Permit& permit) {
  if (frame.call.target_kind != TargetKind::resource || frame.target.uri_form == UriForm::bare)
    return;
  const Message& message = frame.message();
  const JsonValue uri = frame.method() == MethodId::completion_complete
                            ? message.params.find("ref").find("uri")
                            : message.uri;
  permit.splice(SpliceKind::resource_uri, uri.range(), json_string(frame.target.name));
}

/// A subscription with the resources that are its server's.
void splice_subscriptions(CallFrame& frame, const std::vector<std::string>& own, Permit& permit) {
  const JsonValue wanted =
      frame.message().params.find("notifications").find("resourceSubscriptions");
  std::string array = "[";
  for (const std::string& uri : own) {
    if (array.size() > 1) array += ',';
    append_json_string(array, uri);
  }
  permit.splice(SpliceKind::resource_uri, wanted.range(), array + "]");
}

Outgoing make_outgoing(CallFrame& frame, UpstreamHandle upstream, Permit&& permit) {
  const Message& message = frame.message();
  OutboundRequest request{
      .permit = std::move(permit), .id = message.id.range(), .judged_for = frame.target.listed_in};
  const JsonValue token = message.progress_token;
  if (token) request.progress_token = token.range();
  mirror(frame, upstream.key().era, request);
  if (frame.method() == MethodId::tools_call || frame.method() == MethodId::prompts_get) {
    const std::string_view name = sent_name(frame);
    if (message.name.text() != name) {
      const bool is_tool = frame.method() == MethodId::tools_call;
      request.permit.splice(is_tool ? SpliceKind::tool_name : SpliceKind::prompt_name,
                            message.name.range(), json_string(name));
    }
  }
  if (frame.method() == MethodId::completion_complete &&
      frame.call.target_kind == TargetKind::prompt) {
    const JsonValue name = message.params.find("ref").find("name");
    request.permit.splice(SpliceKind::prompt_name, name.range(), json_string(frame.target.name));
  }
  splice_uri(frame, request.permit);
  splice_request_state(frame, request.permit);
  splice_approval(frame, request.permit);
  return {std::move(upstream), std::move(request)};
}

/// What of the tool's schemas a permitted call was not held against.
std::string weakness_of(const Call& call) {
  const ToolDefinition* tool = call.facts.tool;
  if (tool == nullptr || tool->schemas == nullptr) return "";
  const std::string flaw = tool->schemas->flaw();
  return flaw.empty() ? flaw : "not enforced: " + flaw;
}

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(steady_now() - start).count());
}

/// Looks up what the server says of the called tool now. Whether it has it.
Task<bool> find_tool_anew(CallFrame& frame) {
  frame.target.tool = nullptr;
  frame.target.sent_tool = nullptr;
  frame.call.facts.tool = nullptr;
  co_await find_tool(frame);
  co_return frame.target.tool != nullptr;
}

/// What was permitted once is not sent again after it was revoked, and the client may call anew.
bool is_still_allowed(const CallFrame& frame) {
  return !is_outdated(frame) && review_caller(frame).has_value();
}

}  // namespace

std::variant<std::vector<Outgoing>, Denial> judge_call(CallFrame& frame) {
  std::vector<Outgoing> outgoing;
  std::vector<Participant> servers = recipients(frame);
  if (servers.empty()) servers.push_back({});
  outgoing.reserve(servers.size());
  for (Participant& one : servers) {
    // Of several servers, none is the call's own.
    std::optional<Call> copy;
    if (servers.size() > 1) copy = frame.call;
    Call& call = copy.has_value() ? *copy : frame.call;
    std::optional<std::vector<std::string>> own;
    if (one.config != nullptr) {
      call.server = one.config->name;
      if (frame.method() == MethodId::subscriptions_listen) {
        own = own_subscriptions(frame, *one.config);
      }
    }
    call.facts.resources = own.has_value() ? &*own : nullptr;
    Verdict verdict = frame.policy().judge(call);
    call.facts.resources = nullptr;
    if (auto* denial = std::get_if<Denial>(&verdict)) return std::move(*denial);
    // Last, and whatever the mode: who may not call it learns nothing of what operators do.
    Decision blocked = blocked_by_operator(frame, call);
    if (blocked.denies()) return Denial{"operator", std::move(blocked)};
    Decision narrowed = refused_by_agent(frame, call);
    if (narrowed.denies()) return Denial{"agent", std::move(narrowed)};
    if (frame.rewrites.withholds_arguments) {
      return Denial{"gateway", Decision::deny(Reason::argument_withheld)};
    }
    Permit& permit = std::get<Permit>(verdict);
    frame.findings.observed = permit.observed();
    frame.findings.weakness = weakness_of(frame.call);
    frame.findings.rule = permit.rule();
    if (one.config == nullptr) continue;  // Answered here.
    if (own.has_value()) splice_subscriptions(frame, *own, permit);
    splice_task_ids(frame, one.config->name, permit);
    outgoing.push_back(make_outgoing(frame, std::move(one.upstream), std::move(permit)));
  }
  frame.findings.decide_ns = nanoseconds_since(frame.inbound.received_at);
  return outgoing;
}

bool has_same_recipients(CallFrame& frame, const std::vector<Outgoing>& outgoing) {
  return std::ranges::equal(
      recipients(frame), outgoing, {}, [](const Participant& one) { return one.config->name; },
      [](const Outgoing& one) { return one.upstream.key().server; });
}

std::optional<Reason> refusal_of_target(const CallFrame& frame,
                                        const std::vector<Outgoing>& outgoing) {
  if (outgoing.empty()) return Reason::server_unavailable;
  if (frame.target.is_collision) return Reason::tool_quarantined;
  const bool is_of_extension = frame.method() == MethodId::skills_get ||
                               frame.method() == MethodId::resources_directory_read;
  // No legacy revision has it, so there is nothing to make of it for such a server.
  if (is_of_extension && frame.target.upstream.key().era == Era::legacy)
    return Reason::method_not_found;
  return std::nullopt;
}

Task<std::variant<const RuleInfo*, Denial>> judge_again(CallFrame& frame) {
  // What left was approved, if that was asked for.
  frame.call.facts.assumes_approval = true;
  while (true) {
    co_await resolve_target(frame);
    co_await find_tool(frame);
    // It left as it is here: its answer is not one to what it would be sent as now.
    if (would_be_rewritten(frame)) {
      co_return Denial{"gateway", Decision::deny(Reason::argument_not_allowed)};
    }
    Reason reason = ambiguity_of(frame);
    if (reason == Reason::none) reason = prepare_call(frame);
    if (reason != Reason::none) {
      co_return Denial{"gateway", Decision::deny(reason)};
    }
    // Whoever asks looks afterwards whether the policy that it is judged by has changed meanwhile.
    std::vector<FactQuery> questions = unresolved_facts(frame);
    if (questions.empty()) break;
    co_await gather_facts(frame, std::move(questions));
    frame.undo_rewrites();
    frame.forget_target();
  }
  auto judged = judge_call(frame);
  frame.call.facts.assumes_approval = false;
  if (auto* denial = std::get_if<Denial>(&judged)) co_return std::move(*denial);
  if (const auto why = refusal_of_target(frame, std::get<std::vector<Outgoing>>(judged))) {
    co_return Denial{"gateway", Decision::deny(*why)};
  }
  co_return frame.findings.rule;
}

Task<std::expected<Outgoing, Denial>> renew_call(CallFrame& frame) {
  const std::unexpected<Denial> not_again(Denial{"gateway", Decision::pass()});
  if (frame.target.server == nullptr || std::exchange(frame.is_renewed, true)) co_return not_again;
  const bool is_of_tool = frame.method() == MethodId::tools_call;
  frame.worker.catalogue.forget(frame.call.server, ListKind::tools);
  const bool is_found = co_await find_tool_anew(frame);
  if (!is_still_allowed(frame)) co_return not_again;
  if (is_of_tool && !is_found) {
    co_return std::unexpected(Denial{"existence", Decision::deny(Reason::tool_unknown)});
  }
  // What was found out before it was sent is as old as its first answer.
  forget_facts(frame);
  for (auto open = unresolved_facts(frame); !open.empty(); open = unresolved_facts(frame)) {
    co_await gather_facts(frame, std::move(open));
    // Meanwhile the tool may have become another, or one that is quarantined.
    const bool is_still_found = co_await find_tool_anew(frame);
    if (!is_still_allowed(frame) || (is_of_tool && !is_still_found)) co_return not_again;
  }
  auto judged = judge_call(frame);
  if (auto* denial = std::get_if<Denial>(&judged)) co_return std::unexpected(std::move(*denial));
  if (Decision misfit = check_asked_tool(frame); misfit.denies()) {
    co_return std::unexpected(Denial{"asked_tool", std::move(misfit)});
  }
  // The tool may have another definition than the one that was approved.
  if (!has_present_approvals(frame)) {
    co_return std::unexpected(Denial{"approvals", Decision::deny(Reason::needs_approval)});
  }
  auto& outgoing = std::get<std::vector<Outgoing>>(judged);
  if (outgoing.size() != 1) co_return not_again;
  co_return std::move(outgoing.front());
}

}  // namespace bartizan
