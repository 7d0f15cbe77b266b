#include "policy/check/compile_policy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "policy/check/check_access.h"
#include "policy/check/check_arguments.h"
#include "policy/check/check_endpoint.h"
#include "policy/check/check_existence.h"
#include "policy/check/check_features.h"
#include "policy/check/check_folded_names.h"
#include "policy/check/check_headers.h"
#include "policy/check/check_numbers.h"
#include "policy/check/check_params.h"
#include "policy/check/check_pending.h"
#include "policy/check/check_permission.h"
#include "policy/check/check_pin.h"
#include "policy/check/check_schema.h"
#include "policy/check/check_task.h"
#include "policy/check/listed_tool.h"
#include "policy/text/qualified_name.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

constexpr std::string_view kAccess = "access";
constexpr std::string_view kPermission = "permission";
constexpr std::string_view kExistence = "existence";
constexpr std::string_view kSchema = "schema";
constexpr std::string_view kArguments = "arguments";

std::map<std::string, PrincipalPtr, std::less<>> share_principals(const Config& config) {
  std::map<std::string, PrincipalPtr, std::less<>> shared;
  for (auto& [id, principal] : make_principals(config))
    shared.emplace(id, std::make_shared<const Principal>(std::move(principal)));
  return shared;
}

/// Tools that clients registered and people approved belong to the policy, and stand in no file.
/// One that waits changes no digest: approvals of calls are bound to it, and whoever registers
/// could end them all.
std::string policy_digest(const Config& config) {
  std::string approved;
  for (const ToolRegistration& registration : config.registrations) {
    if (registration.is_approved) approved += fmt::format("\n{}", registration.number);
  }
  return approved.empty() ? config.digest : sha256_hex(config.digest + approved);
}

/// The call with every answer that nobody has given taken for the best one, which is noted.
Call with_open(const Call& call, QuestionList& open) {
  Call asked = call;
  asked.facts.open_questions = &open;
  return asked;
}

/// Who lacks a permission is told so of every name, before anybody looks for it.
Decision decide_access(const AccessTable& access, const ToolProfiles& profiles, const Call& call) {
  Decision decision = check_access(access, call);
  const bool is_unknown = decision.hidden_as == Reason::tool_unknown;
  if (!decision.is_hidden || !is_unknown) return decision;
  Decision missing = check_permission(profiles, call);
  if (!missing.denies()) return decision;
  decision.hidden_as = missing.reason;
  decision.permission = std::move(missing.permission);
  return decision;
}

/// Whether a check looks at values of arguments.
bool judges_values(std::string_view check) {
  return check == kAccess || check == kSchema || check == kArguments;
}

Unguarded unguarded_of(const PolicySettings& settings) {
  return settings.allow_unguarded_arguments ? Unguarded::allow : Unguarded::refuse;
}

}  // namespace

std::shared_ptr<const Policy> compile_policy(const Config& config, const KnownNames& names,
                                             const HashSeed& seed,
                                             std::shared_ptr<const ScanDatabase> database) {
  // `make_shared` could not reach the constructor, which is private so that nobody else makes one.
  return std::shared_ptr<const Policy>(new Policy(config, names, seed, std::move(database)));
}

Policy::Policy(const Config& config, const KnownNames& names, const HashSeed& seed,
               std::shared_ptr<const ScanDatabase> database)
    : principals_(share_principals(config)),
      roles_(config.roles),
      endpoints_(config),
      access_(config, names),
      limits_(config, names, seed),
      flows_(config),
      approval_terms_(bartizan::approval_terms(config)),
      persons_(config),
      redactions_(config, std::move(database)),
      sanitisings_(config),
      profiles_(config, names),
      elicitation_urls_(compile_elicitation_urls(config)),
      servers_(config.servers),
      digest_(policy_digest(config)),
      settings_(config.policy),
      pipeline_(make_checks()) {}

// The one place where the order of checks is written. It cannot be configured: an order that can be
// changed will once be wrong. "Yields" is said of those that yield to `[policy] mode = "observe"`.
//
// 1. `headers`     what the client repeats outside the body equals the body. First, because nothing
//                  may be decided by what was not compared;
// 2. `pending`     answers and cancellations name a request of the principal's own. No rule can
//                  permit a stranger's;
// 3. `features`    the method exists in this direction, and a server asks of clients only what its
//                  `client_features` allow. That is the operator's word, before any rule;
// 4. `params`      they are what the method's revision published. Before rules: these read the
//                  target from them, which must be the same to all who read it;
// 5. `tasks`       a client declares the extension, and a task that it names is its own. Before
// rules,
//                  which can permit nobody a stranger's task;
// 6. `elicitation` what a server asks of users is no secret, and its URLs lead where they may;
// 7. `access`      a rule permits, and none forbids or wants an approval first. Before existence: a
//                  refusal must not tell what exists. Yields;
// 8. `permission`  the principal holds what the profiles of the tool ask for. Yields;
// 9. `endpoint`    the client's endpoint shows the server and the tool. Right before existence: a
//                  refusal says that there is no such thing;
// 10. `existence`   the tool is there, not quarantined, and its schemas are usable;
// 11. `mirrored`   headers repeat the arguments that the tool's definition names. After existence,
//                  which has the definition;
// 12. `schema`     the arguments fit the tool's input schema, and the schemas that policy adds:
//                  what they are, before what they may be;
// 13. `arguments`  every predicate holds for every value it selects. Late, because it costs most.
//                  Yields;
// 14. `names`      no argument's name is one that schema or policy know there but for letter case.
//                  After all that knows names;
// 15. `numbers`    rules, schema and predicates say the same of numbers that programs round. After
//                  all that it asks once more.
//
// `handle_call` then asks, in this order: flows (what the session read before), the server's
// circuit breaker, and limits, which are taken together or not at all, so that a refused caller
// burns nobody's budget. Last, the decision is recorded.
std::vector<Check> Policy::make_checks() const {
  using enum Check::Kind;
  Check access{kAccess, yields_to_observe,
               [this](const Call& call) { return decide_access(access_, profiles_, call); }};
  if (access_.has_observed_rules()) {
    access.observed = [this](const Call& call) { return observed_access(access_, call); };
  }
  std::vector<Check> checks;
  checks.push_back({"headers", always_enforced, check_headers});
  checks.push_back({"pending", always_enforced, check_pending});
  checks.push_back({"features", always_enforced,
                    [this](const Call& call) { return check_features(servers_, call); }});
  checks.push_back({"params", always_enforced, check_params});
  checks.push_back({"tasks", always_enforced, check_task});
  checks.push_back({"elicitation", always_enforced, [this](const Call& call) {
                      return check_elicitation(elicitation_urls_, call);
                    }});
  checks.push_back(std::move(access));
  checks.push_back({kPermission, yields_to_observe,
                    [this](const Call& call) { return check_permission(profiles_, call); }});
  checks.push_back({"endpoint", always_enforced,
                    [this](const Call& call) { return check_endpoint(endpoints_, call); }});
  checks.push_back({kExistence, always_enforced,
                    [this](const Call& call) { return check_existence(profiles_, call); }});
  checks.push_back({"mirrored", always_enforced, check_mirrored_arguments});
  // `std::function` wants to copy what it holds, and the check owns a document.
  checks.push_back({kSchema, always_enforced,
                    [check = std::make_shared<const CheckSchema>(profiles_)](const Call& call) {
                      return (*check)(call);
                    }});
  checks.push_back({kArguments, yields_to_observe, [this](const Call& call) {
                      return check_arguments(profiles_, servers_, unguarded_of(settings_), call);
                    }});
  checks.push_back({"names", always_enforced, [this](const Call& call) {
                      return check_folded_names(profiles_, servers_, call);
                    }});
  std::vector<std::function<Decision(const Call&)>> judges;
  for (const Check& check : checks) {
    if (judges_values(check.name)) judges.push_back(check.decide);
  }
  checks.push_back({"numbers", always_enforced, [judges = std::move(judges)](const Call& call) {
                      return check_numbers(call, judges);
                    }});
  return checks;
}

bool Policy::observes(std::int64_t now) const {
  return settings_.mode == PolicySettings::Mode::observe && settings_.until &&
         now < *settings_.until;
}

Pipeline::Mode Policy::mode_at(std::int64_t now) const {
  return observes(now) ? Pipeline::Mode::observe : Pipeline::Mode::enforce;
}

Verdict Policy::judge(const Call& call) const {
  Verdict verdict = pipeline_.judge(call, shared_from_this(), mode_at(call.facts.now));
  auto* denial = std::get_if<Denial>(&verdict);
  if (denial == nullptr) return verdict;
  if (auto certain = find_certain_refusal(call, *denial)) {
    certain->observed = std::move(denial->observed);
    return *std::move(certain);
  }
  return verdict;
}

/// The questions of a call that is refused anyway are left unasked. Then what nobody answered
/// refuses first, and would be told in the place of what is wrong with the call.
///
/// Who perhaps may not call is told nothing of what exists: where rules could not decide, only what
/// their certain part, permissions and predicates refuse is told, and these are asked as if nobody
/// knew the tool, by what was approved of it alone.
std::optional<Denial> Policy::find_certain_refusal(const Call& call, const Denial& denial) const {
  // What is hidden stays so, and what comes after it is not looked at.
  if (denial.decision.is_hidden || !asks_outside(call)) return std::nullopt;
  QuestionList open(call.facts.gathered);
  if (denial.check != kAccess) {
    // Everything else is certain, whatever comes after it.
    if (denial.decision.reason != Reason::argument_undecidable) return std::nullopt;
    return pipeline_.find_refusal(with_open(call, open), mode_at(call.facts.now));
  }
  if (!access_.asks_outside()) return std::nullopt;
  Call asked = with_open(call, open);
  Decision decision = decide_access(access_, profiles_, asked);
  if (decision.denies()) return Denial{kAccess, std::move(decision)};
  decision = check_permission(profiles_, asked);
  if (decision.denies()) return Denial{kPermission, std::move(decision)};
  asked.facts.tool = nullptr;
  decision = check_arguments(profiles_, servers_, unguarded_of(settings_), asked);
  if (decision.denies()) return Denial{kArguments, std::move(decision)};
  return std::nullopt;
}

bool Policy::asks_outside(const Call& call) const {
  if (access_.asks_outside()) return true;
  return profiles_.asks_outside() && call.target_kind == TargetKind::tool &&
         profiles_.find(call)->asks_outside;
}

std::vector<FactQuery> Policy::questions(const Call& call) const {
  if (!asks_outside(call)) return {};
  QuestionList open(call.facts.gathered);
  if (pipeline_.find_refusal(with_open(call, open), mode_at(call.facts.now))) return {};
  return std::move(open).take();
}

std::vector<CheckAnswer> Policy::answers(const Call& call) const {
  const Pipeline::Mode mode = mode_at(call.facts.now);
  std::vector<CheckAnswer> answers = pipeline_.answers(call, mode);
  if (answers.empty() || !answers.back().decision.denies()) return answers;
  const Denial denial{answers.back().check, answers.back().decision};
  const std::optional<Denial> certain = find_certain_refusal(call, denial);
  if (!certain) return answers;
  QuestionList open(call.facts.gathered);
  answers = pipeline_.answers(with_open(call, open), mode);
  if (denial.check == kAccess && certain->check == kArguments) {
    // What tells of existence was not asked for this refusal.
    answers.erase(std::ranges::find(answers, kExistence, &CheckAnswer::check), answers.end());
    answers.push_back({certain->check, certain->decision});
  }
  return answers;
}

bool Policy::concerns(const Principal& principal, std::string_view server,
                      const EvalContext& of) const {
  if (!endpoints_.shows_server(of.endpoint, server)) return false;
  return observes(of.now) || access_.concerns(principal, server, of.now);
}

KnownTarget Policy::known(TargetKind kind, std::string_view server, std::string_view target) const {
  const bool is_tool = kind == TargetKind::tool;
  if (!is_tool && kind != TargetKind::prompt) return {};
  const QualifiedName name(server, target);
  return {.profile = is_tool ? profiles_.known(name.view()) : nullptr,
          .limits = is_tool ? limits_.counting(name.view()) : nullptr,
          .cell = access_.find_cell(kind, name.view())};
}

/// Whether the rules would let somebody call it, or could after an approval.
bool Policy::may_permit(const Decision& decision) {
  const bool could_be_approved = decision.reason == Reason::needs_approval && !decision.is_hidden;
  return decision.permits() || could_be_approved;
}

bool Policy::shows(const Call& call) const {
  if (check_endpoint(endpoints_, call).denies()) return false;
  if (observes(call.facts.now)) return true;
  EvalContext of = circumstances_of(call);
  of.about = EvalContext::About::any_call;
  return may_permit(decide_target(access_, call, of)) &&
         !check_permission(profiles_, call).denies();
}

bool Policy::shows(const Principal& principal, TargetKind kind, std::string_view server,
                   std::string_view name, const EvalContext& of) const {
  if (!endpoints_.shows(of.endpoint, kind, server, name)) return false;
  if (observes(of.now)) return true;
  if (!may_permit(access_.decide(principal, kind, server, name, of).decision)) return false;
  return kind != TargetKind::tool || holds_permissions(profiles_, principal, server, name);
}

bool Policy::shows(const Principal& principal, std::string_view server, const ToolDefinition& tool,
                   const EvalContext& of) const {
  return profiles_.find(server, tool.name)->is_listed &&
         shows(principal, TargetKind::tool, server, tool.name, of) &&
         is_judgeable(profiles_, server, tool) && keeps_pin(profiles_, server, tool);
}

Decision Policy::judge_result(const Call& call, const ToolDefinition& tool,
                              JsonValue result) const {
  const ToolProfiles::Found profile = profiles_.find(call);
  Decision decision = check_result(profile->result, result);
  if (decision.denies()) return decision;
  return check_structured_content(tool, *profile, call.version, result);
}

Decision Policy::judge_error(const Call& call, JsonValue error) const {
  return check_error(profiles_.find(call)->result, error);
}

Policy::Withheld Policy::withheld(std::string_view server, std::string_view tool,
                                  const Decision& refusal) const {
  // What is beside both copies has no first part.
  const bool is_copy = refusal.reason == Reason::result_too_large && !refusal.violations.empty() &&
                       !refusal.violations.front().pointer.empty();
  const bool truncates = profiles_.find(server, tool)->oversize == ToolProfile::Oversize::truncate;
  if (is_copy && truncates) return Withheld::excess;
  const bool is_whole =
      refusal.reason == Reason::result_too_large || refusal.reason == Reason::content_withheld;
  if (is_whole) return Withheld::everything;
  const auto found = servers_.find(server);
  const bool warns =
      found != servers_.end() && found->second.output_schema == ServerConfig::OutputSchema::warn;
  return warns ? Withheld::nothing : Withheld::structured_content;
}

TruncatedResult Policy::truncate(std::string_view server, const ToolDefinition& tool,
                                 ProtocolVersion version, JsonValue result) const {
  const ToolProfiles::Found profile = profiles_.find(server, tool.name);
  const Decision misfit = check_structured_content(tool, *profile, version, result);
  const bool is_left_out =
      misfit.denies() && withheld(server, tool.name, misfit) != Withheld::nothing;
  TruncatedResult truncated =
      truncate_result(profile->result, result,
                      is_left_out ? StructuredContent::does_not_fit : StructuredContent::fits);
  const bool is_awaited = tool.schemas != nullptr && tool.schemas->output.has_value() &&
                          shows_output_schema(tool, profile->untranslatable);
  truncated.lacks_structured_content = is_awaited && !truncated.keeps_structured_content;
  return truncated;
}

bool Policy::fits(const ListFilter& filter, std::string_view server, std::string_view tool) const {
  if (filter.trust_level.has_value()) {
    const auto found = servers_.find(server);
    if (found == servers_.end() || found->second.trust < *filter.trust_level) return false;
  }
  return !filter.category.has_value() ||
         std::ranges::binary_search(profiles_.find(server, tool)->categories, *filter.category);
}

bool Policy::allows_feature(std::string_view server, ClientFeature feature) const {
  const auto found = servers_.find(server);
  return found != servers_.end() && allows(found->second.client_features, feature);
}

const ApprovalTerms* Policy::find_approval_terms(std::string_view rule) const {
  const auto found = approval_terms_.find(rule);
  return found == approval_terms_.end() ? nullptr : &found->second;
}

PrincipalPtr Policy::find_principal(std::string_view id) const {
  const auto found = principals_.find(id);
  return found == principals_.end() ? nullptr : found->second;
}

Principal Policy::principal_of(std::string id, ClaimsPtr claims) const {
  return make_principal(roles_, std::move(id), std::move(claims));
}

std::uint64_t Policy::cost(const Call& call) const {
  if (call.target_kind != TargetKind::tool) return 1;
  return profiles_.find(call)->cost.value_or(1);
}

CallClass Policy::call_class(const Call& call) const {
  if (call.target_kind != TargetKind::tool) return {};
  const auto profile = profiles_.find(call);
  return class_of({.risk = profile->risk, .reversibility = profile->reversibility},
                  call.facts.tool);
}

std::vector<ToolLabel> Policy::labels(const Call& call) const {
  const auto server = servers_.find(call.server);
  std::vector<ToolLabel> labels;
  if (server != servers_.end()) labels = server->second.labels;
  if (call.target_kind != TargetKind::tool) return labels;
  const auto profile = profiles_.find(call);
  for (const ToolLabel label : profile->labels) {
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

std::chrono::milliseconds Policy::timeout(std::string_view server, TargetKind kind,
                                          std::string_view target) const {
  const Call call{.server = server, .target_kind = kind, .target = target};
  return timeout(call);
}

std::chrono::milliseconds Policy::timeout(const Call& call) const {
  if (call.target_kind == TargetKind::tool) {
    if (const auto timeout = profiles_.find(call)->timeout) return *timeout;
  }
  const auto found = servers_.find(call.server);
  return found == servers_.end() ? ServerConfig().timeout : found->second.timeout;
}

std::optional<std::chrono::milliseconds> Policy::slow(const Call& call) const {
  if (call.target_kind == TargetKind::tool) {
    if (const auto slow = profiles_.find(call)->slow) return slow;
  }
  const auto found = servers_.find(call.server);
  return found == servers_.end() ? std::nullopt : found->second.slow;
}

std::string Policy::timeout_key(const Call& call) const {
  const bool is_profiles =
      call.target_kind == TargetKind::tool && profiles_.find(call)->timeout.has_value();
  const ToolRegistration* registration = is_profiles ? profiles_.find(call)->registration : nullptr;
  if (registration != nullptr &&
      registration->max_execution_time == profiles_.find(call)->timeout) {
    return fmt::format("max_execution_time of its registration {}", registration->number);
  }
  if (is_profiles) return "timeout of a [tool.…] that matches it";
  return "timeout of [server." + std::string(call.server) + "]";
}

}  // namespace bartizan
