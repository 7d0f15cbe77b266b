#pragma once

#include <vector>

#include "policy/access/access_table.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does a rule permit this call to this principal, and does no rule forbid it or require an
/// approval?
///
/// - Tools, prompts and resources need a rule that names them; `completion/complete` needs the rule
///   of the prompt or resource that it refers to, which the gateway puts into the call's target.
/// - `initialize`, `ping`, `server/discover` and the filtered lists need none, nor do a client's
///   notifications; every other method needs a rule with `methods`.
/// - `subscriptions/listen` needs its `methods` rule, and the rule of each resource that it names.
/// - A rule with `methods` that forbids binds every request, also a server's, and requests that
///   need no rule. As a permit it counts only for methods that no other selector covers.
Decision check_access(const AccessTable& table, const Call& call);

/// The facts by which the conditions of rules are judged.
EvalContext circumstances_of(const Call& call);

/// The URIs of the resources that a subscription names, as its server knows them. Empty for another
/// call.
std::vector<std::string> subscribed_resources(const Call& call);

/// The decision of the rules about the target of a call, under the facts `of`. Input: a call that
/// has a principal.
Decision decide_target(const AccessTable& table, const Call& call, const EvalContext& of);

/// Whether a client's requests of that method need a rule with `methods`. For any other method, a
/// permit with `methods` has no effect.
bool needs_method_rule(MethodId method);

/// What observed rules would have refused of this call.
std::vector<Decision> observed_access(const AccessTable& table, const Call& call);

}  // namespace bartizan
