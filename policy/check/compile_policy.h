#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "policy/access/access_table.h"
#include "policy/access/endpoint_views.h"
#include "policy/check/check_elicitation.h"
#include "policy/check/flow_set.h"
#include "policy/check/list_filter.h"
#include "policy/check/tool_profiles.h"
#include "policy/check/truncate_result.h"
#include "policy/limit/limit_set.h"
#include "policy/redact/redaction_rules.h"
#include "policy/sanitise/sanitising_rules.h"
#include "policy/verdict/pipeline.h"
#include "policy/verdict/principal.h"

namespace bartizan {

/// The compiled policy of one configuration. It is immutable, and all workers share it. A call
/// keeps the policy that judged it.
class Policy : public std::enable_shared_from_this<Policy> {
 public:
  // INVARIANT: a policy never moves; its checks refer to its own parts.
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// Judges a call under this policy. See `Pipeline::judge`. If facts are missing, a refusal that
  /// does not depend on them is returned first. Both refuse.
  Verdict judge(const Call& call) const;
  /// The names of the checks, in their order.
  std::vector<std::string_view> check_names() const { return pipeline_.names(); }
  /// The result of each check; see `Pipeline::answers`. If `judge` refuses the call whatever the
  /// missing facts are, these count as the best ones.
  std::vector<CheckAnswer> answers(const Call& call) const;

  /// Whether a list shows this entry to this principal: it may call it, or could after an approval,
  /// with some arguments. The same rules and permissions decide as for the call itself.
  bool shows(const Principal& principal, TargetKind kind, std::string_view server,
             std::string_view name, const EvalContext& of) const;

  /// Whether a list shows the target of a call to its principal: some call may reach it, or could
  /// after an approval.
  bool shows(const Call& call) const;

  /// Whether a list shows a tool of that definition to this principal: it may call it, or could
  /// after an approval, with some arguments. A tool is hidden if it cannot be judged, if its
  /// definition is not accepted, or if a profile does not list it.
  bool shows(const Principal& principal, std::string_view server, const ToolDefinition& tool,
             const EvalContext& of) const;

  /// The entries of its tables for a target, for `Facts::known`. Never outlives the policy.
  KnownTarget known(TargetKind kind, std::string_view server, std::string_view target) const;

  /// Whether the tool fits the client's filter. Whether the client may call it is decided
  /// elsewhere.
  bool fits(const ListFilter& filter, std::string_view server, std::string_view tool) const;

  /// Judges the error response to a permitted `tools/call`. See `check_error`.
  Decision judge_error(const Call& call, JsonValue error) const;

  /// Judges the result of a permitted `tools/call`: its size, and its structured content by the
  /// tool's output schema. See `check_result` and `check_structured_content`.
  Decision judge_result(const Call& call, const ToolDefinition& tool, JsonValue result) const;
  /// The profiles of tools.
  const ToolProfiles& profiles() const { return profiles_; }
  /// The part of a refused result that is withheld. A result that is too large is withheld as a
  /// whole or truncated. If it does not fit the schema, its structured content is withheld, or
  /// nothing, with a warning.
  enum class Withheld : std::uint8_t { nothing, structured_content, excess, everything };
  Withheld withheld(std::string_view server, std::string_view tool, const Decision& refusal) const;
  /// The first part of a result that is too large. Structured content is kept only if it fits the
  /// tool's output schema.
  TruncatedResult truncate(std::string_view server, const ToolDefinition& tool,
                           ProtocolVersion version, JsonValue result) const;

  /// The questions that must be answered before the call can be judged. As long as there are any,
  /// answer them, add the answers to `facts.gathered`, and call this again. A call that is refused
  /// in any case has no questions, so a caller without permission causes no look-ups. A call with
  /// too many questions has none either, and is undecidable.
  ///
  /// Cost: two comparisons for a policy without such questions; otherwise the cost of judging the
  ///       call.
  std::vector<FactQuery> questions(const Call& call) const;

  /// Whether refusals of rules, permissions and predicates are only recorded at that time:
  /// `[policy] mode = "observe"`, until its date. Without a date it never observes.
  bool observes(std::int64_t now) const;

  /// Whether that endpoint shows a server; see `EndpointViews::shows_server`.
  bool shows_server(std::optional<std::string_view> endpoint, std::string_view server) const {
    return endpoints_.shows_server(endpoint, server);
  }

  /// Whether any rule could show this principal anything of that server, at an endpoint that shows
  /// the server. Only the time and the endpoint of `of` count.
  bool concerns(const Principal& principal, std::string_view server, const EvalContext& of) const;

  /// Whether a server may use that feature of clients.
  bool allows_feature(std::string_view server, ClientFeature feature) const;

  /// The configured principal of that id, or null.
  PrincipalPtr find_principal(std::string_view id) const;
  /// The principal that these claims describe, under the roles of this policy. Input: claims, not
  /// null.
  Principal principal_of(std::string id, ClaimsPtr claims) const;
  /// The approval that a rule requires, or a flow (`flow_name`); null if it requires none.
  const ApprovalTerms* find_approval_terms(std::string_view rule) const;
  /// The approvals that rules and flows require, by the names in requests for approval.
  const std::map<std::string, ApprovalTerms, std::less<>>& approval_terms() const {
    return approval_terms_;
  }
  const Persons& persons() const { return persons_; }
  const LimitSet& limits() const { return limits_; }
  const FlowSet& flows() const { return flows_; }
  const RedactionRules& redactions() const { return redactions_; }
  const SanitisingRules& sanitisings() const { return sanitisings_; }
  /// The class of the called tool; nothing for other calls.
  CallClass call_class(const Call& call) const;
  /// Whether a rule has a condition on classes.
  bool asks_class() const { return access_.asks_class(); }
  /// The labels of the called tool; nothing for other calls.
  std::vector<ToolLabel> labels(const Call& call) const;
  /// The cost of one call: by the profiles of its tool, or 1.
  std::uint64_t cost(const Call& call) const;
  /// How long one call may take.
  std::chrono::milliseconds timeout(std::string_view server, TargetKind kind,
                                    std::string_view target) const;
  std::chrono::milliseconds timeout(const Call& call) const;
  /// The configuration key that sets it: `timeout of [server.files]`.
  std::string timeout_key(const Call& call) const;
  /// The duration after which a call is slow, by its profiles or else its server; nothing if
  /// neither sets it.
  std::optional<std::chrono::milliseconds> slow(const Call& call) const;
  /// The merged profiles of a tool. Never outlives the policy.
  ToolProfiles::Found profile(std::string_view server, std::string_view tool) const {
    return profiles_.find(server, tool);
  }
  /// The name of the policy in records: the configuration's digest. If registered tools were
  /// approved, it covers them too.
  const std::string& digest() const { return digest_; }

 private:
  friend std::shared_ptr<const Policy> compile_policy(const Config&, const KnownNames&,
                                                      const HashSeed&,
                                                      std::shared_ptr<const ScanDatabase>);
  Policy(const Config& config, const KnownNames& names, const HashSeed& seed,
         std::shared_ptr<const ScanDatabase> database);
  std::vector<Check> make_checks() const;
  Pipeline::Mode mode_at(std::int64_t now) const;
  bool asks_outside(const Call& call) const;
  static bool may_permit(const Decision& decision);
  std::optional<Denial> find_certain_refusal(const Call& call, const Denial& denial) const;

  std::map<std::string, PrincipalPtr, std::less<>> principals_;
  RoleConfigs roles_;
  EndpointViews endpoints_;
  AccessTable access_;
  LimitSet limits_;
  FlowSet flows_;
  std::map<std::string, ApprovalTerms, std::less<>> approval_terms_;
  Persons persons_;
  RedactionRules redactions_;
  SanitisingRules sanitisings_;
  ToolProfiles profiles_;
  ElicitationUrls elicitation_urls_;
  std::map<std::string, ServerConfig, std::less<>> servers_;
  std::string digest_;
  PolicySettings settings_;
  Pipeline pipeline_;
};

/// A policy with its checks, in the order that `make_checks` in compile_policy.cc has with its
/// reasons.
///
/// Never fails, because `find_policy_problems` runs before. `seed` keys the limits' buckets; see
/// `LimitSet`. `database` is that of the same configuration. It may be null if nothing is redacted.
std::shared_ptr<const Policy> compile_policy(
    const Config& config, const KnownNames& names, const HashSeed& seed = {},
    std::shared_ptr<const ScanDatabase> database = nullptr);

/// Errors and doubtful settings of a policy that loads: unreachable rules, roles that nobody has,
/// profiles without effective predicates, and the problems of `find_unknown_names`.
std::vector<ConfigProblem> find_policy_problems(const Config& config, const KnownNames& names);

/// Rules, profiles and limits whose patterns match no known tool or prompt, with the nearest name.
/// A profile that guards nothing looks like one that does. Servers without a known list, and
/// `SERVER/*`, are not reported.
std::vector<ConfigProblem> find_unknown_names(const Config& config, const KnownNames& names);

/// Errors and doubtful settings about paths: patterns that no allowed path could match, tools that
/// read files although names without an extension pass, and look-ups on this disk for a server on
/// another machine.
std::vector<ConfigProblem> find_path_problems(const Config& config, const KnownNames& names);

/// Values that one profile forces, and that another profile of the same tool requires to be absent
/// or forces differently.
std::vector<ConfigProblem> find_rewrite_problems(const Config& config);

/// Predicates, schemas, conditions and redactions that use the listed name of a renamed argument:
/// they would have no effect.
std::vector<ConfigProblem> find_rename_problems(const Config& config);

/// Errors and doubtful settings about URLs: invalid host patterns, patterns that only private
/// networks could match, private networks allowed for every host, unused tables.
std::vector<ConfigProblem> find_url_problems(const Config& config);

/// Errors and doubtful settings about SQL: invalid or misleading patterns of names, functions that
/// are not named, unused tables.
std::vector<ConfigProblem> find_sql_problems(const Config& config);
/// Doubtful settings about commands: programs that run what their arguments say, without patterns
/// for these, and unused tables.
std::vector<ConfigProblem> find_command_problems(const Config& config);

/// The definitions of a server's tools, by the server's name.
using KnownTools = std::map<std::string, std::vector<const ToolDefinition*>, std::less<>>;

/// Rules that do not mean what they seem to mean: conditions that are always true or never, permits
/// of everything to everyone, permits that the permissions of their roles refuse anyway, and
/// arguments that an open policy does not check. Each has a call that shows it, if one is known.
std::vector<ConfigProblem> find_rule_problems(const Config& config, const KnownTools& tools);

/// Profiles that do not fit the schemas of their tools: schemas and predicates with a pointer that
/// none of these tools has, and tools with unusable schemas.
std::vector<ConfigProblem> find_schema_problems(const Config& config, const KnownTools& tools);

}  // namespace bartizan
