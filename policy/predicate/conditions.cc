#include "policy/predicate/conditions.h"

#include <algorithm>
#include <utility>

#include "policy/predicate/argument_names.h"
#include "policy/predicate/tool_effect.h"

namespace bartizan {
namespace {

TriState truth(bool holds) {
  return holds ? TriState::yes : TriState::no;
}

template <class Values, class Value>
bool has(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != values.end();
}

/// Whether a value that a predicate refused is certainly outside of it. A path within the root that
/// is refused for its name may be what the rule is about. A URL with another scheme or port still
/// leads to the host. A part of a refused statement or command may be allowed.
bool is_outside(const ValuePredicate& predicate, JsonValue value, Reason reason,
                const ValueFacts& facts) {
  const auto* url = std::get_if<UrlRules>(&predicate);
  if (url != nullptr) return value.is(JsonType::string) && leads_elsewhere(value.text(), *url);
  const auto* path = std::get_if<PathRules>(&predicate);
  if (path != nullptr) {
    return value.is(JsonType::string) && leads_elsewhere(value.text(), *path, facts.cwd);
  }
  return reason == Reason::argument_not_allowed;
}

/// A value is inside or outside of a predicate. Any other flaw, of its type or of a spelling that
/// servers read differently, gives no answer.
TriState judge_selected(const ValuePredicate* predicate, JsonValue value, ValueFacts& values) {
  // Each value costs a step, even if it is refused at once.
  if (!values.steps.take()) return TriState::undecidable;
  if (predicate == nullptr) return TriState::no;
  values.is_open = false;
  const Reason reason = judge_value(*predicate, value, values);
  // A fact that is still unknown may make it so.
  if (values.is_open) return TriState::any;
  if (reason == Reason::none) return TriState::yes;
  return is_outside(*predicate, value, reason, values) ? TriState::no : TriState::undecidable;
}

}  // namespace

namespace {

const JsonSchema* input_schema(const ToolDefinition* tool) {
  if (tool == nullptr || tool->schemas == nullptr) return nullptr;
  return tool->schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
}

}  // namespace

bool is_declared(const ToolDefinition* tool, const std::string& pointer) {
  if (tool == nullptr) return true;
  const JsonSchema* schema = input_schema(tool);
  return schema != nullptr && schema->declares(pointer);
}

/// Evaluates each kind of fact.
struct Conditions::Asking {
  const EvalContext& of;
  const ServerFacts& server;

  TriState unknown() const {
    return of.about == EvalContext::About::any_call ? TriState::any : TriState::undecidable;
  }

  TriState operator()(const HintCondition& asked) const {
    // The definition with the approved fingerprint is not known before the server lists it.
    const PinnedTool* pinned = server.pinned;
    const bool is_by_fingerprint =
        pinned != nullptr && pinned->is_approved && pinned->hints_as_listed;
    if (is_by_fingerprint && of.tool == nullptr) return unknown();
    return truth(says_hint(server.pinned, of.tool, asked.hint) == asked.value);
  }
  TriState operator()(const MethodCondition& asked) const {
    return of.method.has_value() ? truth(has(asked.methods, *of.method)) : unknown();
  }
  TriState operator()(const TransportCondition& asked) const {
    return of.transport.has_value() ? truth(has(asked.transports, *of.transport)) : unknown();
  }
  TriState operator()(const EndpointCondition& asked) const {
    // A client of a transport without endpoints never has an endpoint.
    if (!of.endpoint.has_value()) return of.transport ? TriState::undecidable : unknown();
    return truth(has(asked.endpoints, *of.endpoint));
  }
  TriState operator()(const RevisionCondition& asked) const {
    return of.version.has_value() ? truth(has(asked.versions, *of.version)) : unknown();
  }
  TriState operator()(const std::vector<AddressRange>& asked) const {
    const auto address = of.client_address.and_then(read_address);
    // A client of a transport without addresses never has an address.
    if (!address.has_value()) return of.transport.has_value() ? TriState::undecidable : unknown();
    return truth(std::ranges::any_of(
        asked, [&](const AddressRange& range) { return range.holds(*address); }));
  }
  TriState operator()(const ServerTrustCondition& asked) const {
    return truth(has(asked.trusts, server.trust));
  }
  TriState operator()(const TimeWindow& asked) const { return truth(asked.holds(of.now)); }
  TriState operator()(const RiskCondition& asked) const {
    return judge_class(asked.of, &CallClass::risk, asked.risks);
  }
  TriState operator()(const ReversibilityCondition& asked) const {
    return judge_class(asked.of, &CallClass::reversibility, asked.reversibilities);
  }

  template <class Level>
  TriState judge_class(ClassOf asked, std::optional<Level> CallClass::* part,
                       const std::vector<Level>& levels) const {
    const CallClass own = class_of(server.profiled, of.tool);
    if (asked == ClassOf::tool) {
      return (own.*part).has_value() ? truth(has(levels, *(own.*part))) : unknown();
    }
    if (of.about == EvalContext::About::any_call) return TriState::any;
    // A call of unknown class may have the highest.
    if (!(own.*part).has_value()) return TriState::undecidable;
    return truth(has(levels, *(higher(own, of.chain).*part)));
  }
};

CallClass class_of(const CallClass& profiled, const ToolDefinition* tool) {
  const bool is_destructive = tool != nullptr && tool->says_destructive;
  return is_destructive ? higher(profiled, {.reversibility = Reversibility::irreversible})
                        : profiled;
}

EvalContext any_call_at(std::int64_t now, std::optional<std::string_view> endpoint) {
  return {.now = now, .about = EvalContext::About::any_call, .endpoint = endpoint};
}

Conditions::Conditions(const RuleConditions& conditions,
                       const std::map<std::string, PathConfig, std::less<>>& paths) {
  for (const ArgumentPredicate& argument : conditions.arguments) {
    arguments_.push_back({.pointer = argument.pointer,
                          .segments = parse_pointer(argument.pointer),
                          .predicate = compile_predicate(argument.predicate, paths),
                          .optional = argument.optional});
  }
  for (const FactCondition& condition : conditions.facts)
    facts_.push_back(compile(condition));
}

Conditions::Fact Conditions::compile(const FactCondition& condition) {
  if (const auto* addresses = std::get_if<AddressCondition>(&condition.fact)) {
    std::vector<AddressRange> ranges;
    // An invalid network was reported before, and contains no address.
    for (const std::string& network : addresses->networks) {
      if (const auto range = AddressRange::parse(network)) ranges.push_back(*range);
    }
    return ranges;
  }
  if (const auto* time = std::get_if<TimeCondition>(&condition.fact)) return TimeWindow(*time);
  if (const auto* hint = std::get_if<HintCondition>(&condition.fact)) return *hint;
  if (const auto* method = std::get_if<MethodCondition>(&condition.fact)) return *method;
  if (const auto* transport = std::get_if<TransportCondition>(&condition.fact)) return *transport;
  if (const auto* endpoint = std::get_if<EndpointCondition>(&condition.fact)) return *endpoint;
  if (const auto* revision = std::get_if<RevisionCondition>(&condition.fact)) return *revision;
  if (const auto* risk = std::get_if<RiskCondition>(&condition.fact)) return *risk;
  if (const auto* asked = std::get_if<ReversibilityCondition>(&condition.fact)) return *asked;
  return std::get<ServerTrustCondition>(condition.fact);
}

bool Conditions::asks_class() const {
  return std::ranges::any_of(facts_, [](const Fact& fact) {
    return std::holds_alternative<RiskCondition>(fact) ||
           std::holds_alternative<ReversibilityCondition>(fact);
  });
}

bool Conditions::asks_outside() const {
  return std::ranges::any_of(arguments_, [](const Argument& argument) {
    return argument.predicate != nullptr && bartizan::asks_outside(*argument.predicate);
  });
}

TriState Conditions::judge(const EvalContext& of, const ServerFacts& server,
                           ValueFacts& values) const {
  TriState all = TriState::yes;
  // Facts are cheaper, and a false one makes the arguments irrelevant.
  for (const Fact& fact : facts_) {
    all = all & std::visit(Asking{of, server}, fact);
    if (all == TriState::no) return all;
  }
  for (const Argument& argument : arguments_) {
    const bool is_open = of.about == EvalContext::About::any_call;
    all = all & (is_open ? TriState::any : judge(argument, of, values));
    if (all == TriState::no) return all;
  }
  return all;
}

TriState Conditions::judge(const Argument& argument, const EvalContext& of, ValueFacts& values) {
  if (!is_declared(of.tool, argument.pointer)) return TriState::undecidable;
  const bool wants_nothing = argument.predicate == nullptr;
  const TriState missing = wants_nothing       ? TriState::yes
                           : argument.optional ? TriState::no
                                               : TriState::undecidable;
  if (!of.arguments) return missing;
  // A server that ignores letter case may read another member than the one in the condition.
  ArgumentNames names(of.arguments, input_schema(of.tool));
  if (names.find_folded(argument.segments)) return TriState::undecidable;
  std::optional<TriState> all;
  visit_selected(argument.segments, of.arguments,
                 [&](Selection selection, JsonValue value, const Place*) {
                   TriState one = TriState::undecidable;
                   if (selection == Selection::nothing && values.steps.take()) one = missing;
                   if (selection == Selection::value)
                     one = judge_selected(argument.predicate.get(), value, values);
                   // A mixture of answers is undecidable; an open answer may still equal the
                   // others.
                   if (!all.has_value() || one == TriState::any) all = one;
                   if (*all == TriState::any) return true;
                   if (*all != one) all = TriState::undecidable;
                   return *all != TriState::undecidable;
                 });
  return all.value_or(TriState::undecidable);
}

}  // namespace bartizan
