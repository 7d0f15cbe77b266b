#pragma once

#include <vector>

#include "policy/access/access_table.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does a rule permit this call to this principal, and does none forbid it or want an approval?
///
/// - Tools, prompts and resources need a rule that names them; `completion/complete` needs the rule
///   of the prompt or resource that it refers to, which the gateway puts into the call's target.
/// - `initialize`, `ping`, `server/discover` and the filtered lists need none, nor do a client's
///   notifications; every other method needs a rule with `methods`.
/// - `subscriptions/listen` needs, beside its `methods` rule, the rule of each resource that it
/// names.
/// - A rule with `methods` that forbids binds every request, also a server's and those that need
///   none; as a permit it counts only for methods that no other selector covers.
Decision check_access(const AccessTable& table, const Call& call);

/// What the conditions of rules are judged by.
EvalContext circumstances_of(const Call& call);

/// The URIs of resources that a subscription names, as its server knows them. None of another call.
std::vector<std::string> subscribed_resources(const Call& call);

/// What the rules about the target of a call say of it, and of any other one about it, as `of` has
/// it. Input: a call that has a principal.
Decision decide_target(const AccessTable& table, const Call& call, const EvalContext& of);

/// Whether a client's requests of that method need a rule with `methods`: of any other method, such
/// a rule that permits is without effect.
bool needs_method_rule(MethodId method);

/// What observed rules would have refused of this call.
std::vector<Decision> observed_access(const AccessTable& table, const Call& call);

}  // namespace bartizan
