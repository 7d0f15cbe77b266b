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

/// Everything that decides, compiled from one configuration: immutable, shared by all workers; a
/// call keeps the one that judged it.
class Policy : public std::enable_shared_from_this<Policy> {
 public:
  // INVARIANT: a policy never moves; its checks refer to its own parts.
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// Judges a call under this policy. See `Pipeline::judge`. What refuses whatever the world
  /// outside would answer is told before what nobody has answered; either refuses.
  Verdict judge(const Call& call) const;
  /// The names of the checks, in the order in which they are asked.
  std::vector<std::string_view> check_names() const { return pipeline_.names(); }
  /// What each check says of it; see `Pipeline::answers`. Of what `judge` refuses whatever the
  /// answers are, what nobody has answered counts as what would let it pass.
  std::vector<CheckAnswer> answers(const Call& call) const;

  /// Whether a list shows this entry to this principal: what it may call, or could after an
  /// approval, arguments aside. Decided by the same rules and permissions as the call itself.
  bool shows(const Principal& principal, TargetKind kind, std::string_view server,
             std::string_view name, const EvalContext& of) const;

  /// Whether a list shows the target of a call to its principal: what any call of that principal
  /// may reach, or could after an approval.
  bool shows(const Call& call) const;

  /// Whether a list shows a tool of that definition to this principal: what it may call, or could
  /// after an approval, arguments aside. One that cannot be judged is shown to nobody, and neither
  /// is one that is not what people approved, nor one that a profile does not list.
  bool shows(const Principal& principal, std::string_view server, const ToolDefinition& tool,
             const EvalContext& of) const;

  /// What its tables have under the name of a target, for `Facts::known`. Never outlives the
  /// policy.
  KnownTarget known(TargetKind kind, std::string_view server, std::string_view target) const;

  /// Whether a client asks for this tool; what it may call is another question.
  bool fits(const ListFilter& filter, std::string_view server, std::string_view tool) const;

  /// Judges the error with which a permitted `tools/call` was answered. See `check_error`.
  Decision judge_error(const Call& call, JsonValue error) const;

  /// Judges the result of a permitted `tools/call`: how much it holds, and its structured content
  /// against the tool's output schema. See `check_result` and `check_structured_content`.
  Decision judge_result(const Call& call, const ToolDefinition& tool, JsonValue result) const;
  /// What its profiles say of tools.
  const ToolProfiles& profiles() const { return profiles_; }
  /// What is withheld of a result that was refused: of a large one all, or what is beyond its
  /// first part; of one that does not fit its structured content, or nothing, with a warning.
  enum class Withheld : std::uint8_t { nothing, structured_content, excess, everything };
  Withheld withheld(std::string_view server, std::string_view tool, const Decision& refusal) const;
  /// The first part of a result that is too large, of which structured content is kept only where
  /// it fits the tool's output schema.
  TruncatedResult truncate(std::string_view server, const ToolDefinition& tool,
                           ProtocolVersion version, JsonValue result) const;

  /// What is to be found out before the call can be judged, beyond the facts that it has: as long
  /// as there is anything, find it out, add it to `facts.gathered`, and ask again. Nothing of a
  /// call that is refused whatever the answers are, so that nobody makes the gateway look who may
  /// not call; nor of one that asks for too much, which is undecidable then.
  ///
  /// Cost: two comparisons for a policy that asks nothing of the kind; judging the call otherwise.
  std::vector<FactQuery> questions(const Call& call) const;

  /// Whether refusals of rules, permissions and predicates are only recorded at that time:
  /// `[policy] mode = "observe"`, until its date. Without a date it never observes.
  bool observes(std::int64_t now) const;

  /// Whether a server is there at that endpoint; see `EndpointViews::shows_server`.
  bool shows_server(std::optional<std::string_view> endpoint, std::string_view server) const {
    return endpoints_.shows_server(endpoint, server);
  }

  /// Whether any rule could let this principal see anything of that server, at an endpoint that
  /// shows it. Of `of` the time and the endpoint count.
  bool concerns(const Principal& principal, std::string_view server, const EvalContext& of) const;

  /// Whether a server may use that feature of clients.
  bool allows_feature(std::string_view server, ClientFeature feature) const;

  /// The configured principal of that id, or null.
  PrincipalPtr find_principal(std::string_view id) const;
  /// What claims make of a principal under the roles of this policy. Input: claims, not null.
  Principal principal_of(std::string id, ClaimsPtr claims) const;
  /// What a rule, or a flow as `flow_name` has it, wants approved; null where it wants nothing.
  const ApprovalTerms* find_approval_terms(std::string_view rule) const;
  /// What rules and flows want approved, by the names that requests for approval have.
  const std::map<std::string, ApprovalTerms, std::less<>>& approval_terms() const {
    return approval_terms_;
  }
  const Persons& persons() const { return persons_; }
  const LimitSet& limits() const { return limits_; }
  const FlowSet& flows() const { return flows_; }
  const RedactionRules& redactions() const { return redactions_; }
  const SanitisingRules& sanitisings() const { return sanitisings_; }
  /// The class of the tool that is called; nothing of other calls.
  CallClass call_class(const Call& call) const;
  /// Whether a rule asks for classes.
  bool asks_class() const { return access_.asks_class(); }
  /// What the profiles of the tool that is called say of it; nothing of other calls.
  std::vector<ToolLabel> labels(const Call& call) const;
  /// What one call takes from budgets: what the profiles of its tool say, or 1.
  std::uint64_t cost(const Call& call) const;
  /// How long one call may take.
  std::chrono::milliseconds timeout(std::string_view server, TargetKind kind,
                                    std::string_view target) const;
  std::chrono::milliseconds timeout(const Call& call) const;
  /// The key of the configuration that it stands in: `timeout of [server.files]`.
  std::string timeout_key(const Call& call) const;
  /// From when on a call is slow: as its profiles say, or else its server; nothing where neither
  /// does.
  std::optional<std::chrono::milliseconds> slow(const Call& call) const;
  /// What the profiles of a tool ask. Never outlives the policy.
  ToolProfiles::Found profile(std::string_view server, std::string_view tool) const {
    return profiles_.find(server, tool);
  }
  /// Names the policy in records: the configuration's digest; with registered tools that were
  /// approved, that of both.
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
/// Never fails: `find_policy_problems` has looked before. `seed` keys the limits' buckets; see
/// `LimitSet`. `database` is that of the same configuration; whoever redacts nothing needs none.
std::shared_ptr<const Policy> compile_policy(
    const Config& config, const KnownNames& names, const HashSeed& seed = {},
    std::shared_ptr<const ScanDatabase> database = nullptr);

/// What is wrong or doubtful with a policy that loads: unreachable rules, roles nobody has,
/// profiles without predicates that matter, and what `find_unknown_names` finds.
std::vector<ConfigProblem> find_policy_problems(const Config& config, const KnownNames& names);

/// Rules, profiles and limits whose patterns match no tool or prompt that their servers are known
/// to have, with the nearest name: a profile that guards nothing looks like one that does. Silent
/// about servers whose lists nobody has seen yet, and about `SERVER/*`.
std::vector<ConfigProblem> find_unknown_names(const Config& config, const KnownNames& names);

/// What is wrong or doubtful with what a configuration asks of paths: patterns that no path which
/// passes could match, tools that read files where names without an extension pass, and paths that
/// are looked for on this machine's disk for a server on another.
std::vector<ConfigProblem> find_path_problems(const Config& config, const KnownNames& names);

/// Values that one profile forces, and another profile of tools that both match wants absent or
/// forces otherwise.
std::vector<ConfigProblem> find_rewrite_problems(const Config& config);

/// Predicates, schemas, conditions and redactions that name an argument of a tool under a name that
/// its profile renames: they would hold for nothing.
std::vector<ConfigProblem> find_rename_problems(const Config& config);

/// What is wrong or doubtful with what a configuration asks of URLs: patterns of hosts that are
/// none or that only private networks could fit, private networks opened to every host, tables that
/// nothing names.
std::vector<ConfigProblem> find_url_problems(const Config& config);

/// What is wrong or doubtful with what a configuration asks of SQL: patterns of names that are none
/// or that hardly mean what they say, functions that nobody named, tables that nothing names.
std::vector<ConfigProblem> find_sql_problems(const Config& config);
/// What is doubtful with the commands that a configuration allows: programs that run what their
/// arguments say, without patterns for these, and tables that nothing names.
std::vector<ConfigProblem> find_command_problems(const Config& config);

/// The definitions of a server's tools, by the server's name.
using KnownTools = std::map<std::string, std::vector<const ToolDefinition*>, std::less<>>;

/// Rules that do not say what they seem to: conditions that are always true or never, permits that
/// permit everything to everyone, and permits of what the permissions of their roles refuse all the
/// same; arguments that an open policy leaves to nobody's judgement. Each with a call for which it
/// shows, where one is known.
std::vector<ConfigProblem> find_rule_problems(const Config& config, const KnownTools& tools);

/// Where profiles do not fit the schemas of the tools that they guard: schemas and predicates that
/// name a pointer which none of these tools has, and tools that cannot be judged, whose schemas are
/// unusable.
std::vector<ConfigProblem> find_schema_problems(const Config& config, const KnownTools& tools);

}  // namespace bartizan
