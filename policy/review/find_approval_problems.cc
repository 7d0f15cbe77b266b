#include "policy/review/find_approval_problems.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/problems.h"
#include "policy/access/approval_check.h"
#include "policy/access/rule_set.h"
#include "schemas/base/contains.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// The purpose of a file, and its path.
using Guarded = std::pair<std::string_view, std::string_view>;

/// A rule or a flow that requires approvals.
struct Asking {
  std::string what;  ///< `rule "NAME"`
  const ApprovalTerms* terms = nullptr;
  const RuleConfig* rule = nullptr;  ///< Null for a flow, which binds everyone.
  Position where = {};
};

std::vector<Asking> all_asking(const Config& config) {
  std::vector<Asking> all;
  for (const auto& [name, rule] : config.rules) {
    if (rule.effect != Effect::require_approval) continue;
    all.push_back({"rule " + quote(name), &rule.approval, &rule, rule.where});
  }
  for (const auto& [name, flow] : config.flows) {
    if (flow.effect != Effect::require_approval) continue;
    all.push_back({"flow " + quote(name), &flow.approval, nullptr, flow.where});
  }
  return all;
}

/// Whether principals with an approving role may exist that the configuration does not name.
bool may_come_from_outside(const Config& config, const ApprovalTerms& terms) {
  const auto gives_one = [&terms](const ClaimMap& claims) {
    return std::ranges::any_of(claims, [&](const auto& claim) {
      return std::ranges::any_of(claim.second, [&](const auto& value) {
        return std::ranges::any_of(
            value.second, [&](const std::string& role) { return contains(terms.approvers, role); });
      });
    });
  };
  const auto is_of = [&terms](std::string_view issuer) {
    return std::ranges::any_of(terms.principals, [issuer](const std::string& principal) {
      return principal.starts_with(std::string(issuer) + ":");
    });
  };
  return std::ranges::any_of(config.auth.front_doors, [&](const FrontDoorConfig& door) {
    return gives_one(door.provider.roles) || is_of(door.name);
  });
}

/// Whether the principal is the user of the gateway's own process, whom forms ask about its own
/// calls.
bool is_asked_by_forms(const Config& config, const ApprovalTerms& terms, std::string_view id) {
  return terms.self_approval && !id.empty() && config.auth.stdio_principal == id;
}

/// Whether the principal can sign in at the console, or has a key to sign decisions.
bool can_answer(const Config& config, std::string_view id) {
  const auto is_own_key = [id](const ApiKeyConfig& key) { return key.principal == id; };
  return std::ranges::any_of(config.auth.api_keys, is_own_key) ||
         std::ranges::any_of(config.approvals.keys,
                             [id](const auto& key) { return key.second.principal == id; });
}

class Review {
 public:
  explicit Review(const Config& config)
      : config_(config), persons_(config), asking_(all_asking(config)) {}

  std::vector<ConfigProblem> run() && {
    if (asking_.empty()) return {};
    for (const Asking& asking : asking_)
      review_approvers(asking);
    const Asking& first = asking_.front();
    if (!config_.state.has_value()) {
      error(first.where, first.what + " wants approvals, and there is no state file to keep them",
            "write [state] with file = \"PATH\"");
    }
    const bool is_answered_elsewhere =
        !config_.approvals.keys.empty() || std::ranges::all_of(asking_, [&](const Asking& one) {
          return is_asked_by_forms(config_, *one.terms, config_.auth.stdio_principal);
        });
    if (!config_.console.has_value() && !is_answered_elsewhere) {
      error(first.where, first.what + " wants approvals, and nobody could answer",
            "write [console], or [approvals.key.NAME] for decisions that are signed elsewhere");
    }
    review_servers(first);
    return std::move(problems_);
  }

 private:
  void error(const Position& where, std::string message, std::string hint = {}) {
    problems_.push_back(
        {Severity::error, text(config_, where), std::move(message), std::move(hint)});
  }

  /// Configured principals that may approve and can answer.
  std::vector<std::string_view> approvers_of(const ApprovalTerms& terms) const {
    std::vector<std::string_view> all;
    for (const auto& [id, principal] : config_.principals) {
      const bool answers = can_answer(config_, id) || is_asked_by_forms(config_, terms, id);
      if (answers && may_approve(terms, id, principal.roles)) all.push_back(id);
    }
    return all;
  }

  std::set<std::string_view> persons_among(const std::vector<std::string_view>& ids) const {
    std::set<std::string_view> persons;
    for (const std::string_view id : ids)
      persons.insert(persons_.person_of(id));
    return persons;
  }

  void review_approvers(const Asking& asking) {
    const ApprovalTerms& terms = *asking.terms;
    if (!terms.names_anybody()) {
      return error(asking.where, asking.what + " lets nobody approve, so it always refuses",
                   "write approvers = [\"ROLE\"] or approver_principals = [\"PRINCIPAL\"]");
    }
    const std::vector<std::string_view> ids = approvers_of(terms);
    const std::set<std::string_view> persons = persons_among(ids);
    if (terms.approvals > 1) review_persons(asking, ids);
    if (may_come_from_outside(config_, terms)) return;
    if (persons.size() < terms.approvals) {
      return error(
          asking.where,
          asking.what + " wants " + std::to_string(terms.approvals) +
              (terms.approvals == 1 ? " person to approve, and " : " persons to approve, and ") +
              std::to_string(persons.size()) +
              " with an API key or a key of [approvals] could, so it always refuses",
          "give approvers keys: bartizan key new NAME --principal P");
    }
    if (!terms.self_approval) review_callers(asking, persons);
  }

  /// Reports callers under the rule who are among too few approvers.
  void review_callers(const Asking& asking, const std::set<std::string_view>& persons) {
    if (asking.rule == nullptr) return;
    for (const auto& [id, principal] : config_.principals) {
      const std::size_t own = persons.contains(persons_.person_of(id)) ? 1 : 0;
      if (!binds(*asking.rule, principal) || persons.size() - own >= asking.terms->approvals) {
        continue;
      }
      // A rule for everyone also binds callers that may never call its targets.
      const bool is_named = contains(asking.rule->principals, id);
      problems_.push_back(
          {is_named ? Severity::error : Severity::warning, text(config_, asking.where),
           asking.what + " lets too few others approve what " + quote(id) + " calls",
           "add approvers, or write self_approval = true"});
    }
  }

  static bool binds(const RuleConfig& rule, const PrincipalConfig& principal) {
    return names_everyone(rule) || contains(rule.principals, principal.id) ||
           std::ranges::any_of(principal.roles, [&rule](const std::string& role) {
             return contains(rule.roles, role);
           });
  }

  /// Reports approvers, among several, without a statement which person they are.
  void review_persons(const Asking& asking, const std::vector<std::string_view>& ids) {
    std::string unjoined;
    for (const std::string_view id : ids) {
      const bool is_person = config_.principals.find(id)->second.identities.has_value();
      if (is_person || persons_.person_of(id) != id) continue;
      unjoined += (unjoined.empty() ? "" : ", ") + quote(id);
    }
    if (unjoined.empty()) return;
    problems_.push_back(
        {Severity::warning, text(config_, asking.where),
         asking.what + " wants several persons, and each of these counts as one: " + unjoined,
         "join those of one person: [principal.X] identities = [\"Y\"]; identities = [] says that "
         "X is a person"});
  }

  /// A child process of the same account can read everything of the gateway: keys, the state file,
  /// its memory.
  void review_servers(const Asking& first) {
    for (const auto& [name, server] : config_.servers) {
      const bool is_confined =
          server.sandbox.level != SandboxConfig::Level::none || !server.sandbox.user.empty();
      if (server.command.empty()) continue;
      if (is_confined) {
        review_reach(server);
        continue;
      }
      error(server.where,
            "server " + quote(name) +
                " runs as the gateway's account and is not confined: it could "
                "approve what " +
                first.what + " wants approved",
            "write sandbox = { level = \"process\", read = [\"/usr\"] }, or sandbox = { user = "
            "\"ACCOUNT\" }: docs/local-servers.md");
    }
  }

  /// A confined server of the same account must not read or write files that approvals depend on.
  void review_reach(const ServerConfig& server) {
    if (!server.sandbox.user.empty()) return;
    // The kernel lets every process that sees a socket's path connect, whatever the lists are.
    if (config_.admin.has_value() && server.sandbox.level == SandboxConfig::Level::process) {
      error(
          server.where,
          "server " + quote(server.name) + " may reach the admin socket, as the gateway's account",
          "write level = \"container\" or user = \"ACCOUNT\" into its sandbox, or take [admin] "
          "out");
    }
    std::vector<Guarded> guarded;
    if (config_.state.has_value()) guarded.emplace_back("the state file", config_.state->file);
    for (const SecretReference* key :
         {&config_.approvals.signing_key, &config_.approvals.previous_key}) {
      if (key->kind == SecretReference::Kind::file) {
        guarded.emplace_back("a signing key", key->name);
      }
    }
    const auto& webhook = config_.approvals.webhook;
    if (webhook.has_value() && webhook->secret.kind == SecretReference::Kind::file) {
      guarded.emplace_back("the webhook's secret", webhook->secret.name);
    }
    review_lists(server, {&server.sandbox.read, &server.sandbox.write}, guarded);
    // Files whose disclosure is harmless.
    std::vector<Guarded> unwritten;
    for (const std::string& file : config_.files)
      unwritten.emplace_back("the configuration", file);
    for (const auto& [name, key] : config_.approvals.keys)
      unwritten.emplace_back("a public key", key.file);
    unwritten.emplace_back("the record", config_.audit.file);
    review_lists(server, {&server.sandbox.write}, unwritten);
  }

  void review_lists(const ServerConfig& server,
                    std::initializer_list<const std::vector<std::string>*> lists,
                    const std::vector<Guarded>& guarded) {
    for (const auto* list : lists) {
      for (const std::string& folder : *list) {
        for (const auto& [what, file] : guarded) {
          if (!is_below(file, folder)) continue;
          error(server.where,
                "server " + quote(server.name) + " may reach " + std::string(what) +
                    " of approvals, which is below " + quote(folder),
                "name folders that do not hold it");
        }
      }
    }
  }

  static bool is_below(std::string_view path, std::string_view below) {
    const std::string file = std::filesystem::path(path).lexically_normal().string();
    const std::string normal = std::filesystem::path(below).lexically_normal().string();
    std::string_view folder = normal;
    while (folder.ends_with('/'))
      folder.remove_suffix(1);
    return file == folder ||
           (file.starts_with(folder) && file.substr(folder.size()).starts_with('/'));
  }

  const Config& config_;
  Persons persons_;
  std::vector<Asking> asking_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_approval_problems(const Config& config) {
  return Review(config).run();
}

}  // namespace bartizan
