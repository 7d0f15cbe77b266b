#include "gateway/review/config_review.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gateway/review/executable_problems.h"
#include "gateway/review/machine_problems.h"
#include "gateway/review/secret_heuristics.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

class Doubts {
 public:
  Doubts(const Config& config, std::int64_t now) : config_(config), now_(now) {}

  std::vector<ConfigProblem> run() && {
    review_keys();
    review_issuers();
    review_principals();
    review_mode();
    review_exceptions();
    review_pins();
    for (const auto& [name, server] : config_.servers) {
      review_environment(server);
      review_headers(server);
      review_command(server);
      review_url(server);
      review_pinned_files(server);
    }
    return std::move(problems_);
  }

 private:
  void warn(const Position& where, std::string message, std::string hint = {}) {
    problems_.push_back(
        {Severity::warning, text(config_, where), std::move(message), std::move(hint)});
  }

  void review_keys() {
    const AuthConfig& auth = config_.auth;
    for (const ApiKeyConfig& key : auth.api_keys) {
      if (!key.expires.has_value() || *key.expires > now_) continue;
      warn(key.where,
           fmt::format("the key \"{}\" has expired: whoever sends it is refused", key.name),
           "make another with bartizan key new, or set a later date");
    }
    const bool is_anybody_known = auth.mode == AuthConfig::Mode::none || !auth.api_keys.empty() ||
                                  !auth.issuers.empty() || !auth.front_doors.empty() ||
                                  !auth.certificates.empty() || !auth.sockets.empty() ||
                                  !auth.stdio_principal.empty();
    if (is_anybody_known) return;
    warn(auth.where, "nobody can authenticate: there is no [auth.api_key.NAME]",
         "bartizan key new NAME --principal P prints one");
  }

  void review_issuers() {
    for (const FrontDoorConfig& door : config_.auth.front_doors) {
      if (!door.provider.roles.empty() || !door.provider.permissions.empty()) continue;
      warn(door.where,
           fmt::format("whoever signs in at \"{}\" may do nothing: its provider maps no claim to "
                       "a role",
                       door.name),
           "write roles.CLAIM = { \"VALUE\" = [\"ROLE\"] } in its provider");
    }
    for (const IssuerConfig& issuer : config_.auth.issuers) {
      if (!issuer.roles.empty() || !issuer.permissions.empty()) continue;
      warn(issuer.where,
           fmt::format("whoever has a token of \"{}\" may do nothing: it maps no claim to a role",
                       issuer.name),
           "write roles.scope = { \"SCOPE\" = [\"ROLE\"] }");
    }
  }

  /// If nobody can authenticate at all, reports only that.
  void review_principals() {
    const AuthConfig& auth = config_.auth;
    std::set<std::string_view> proved{auth.stdio_principal};
    if (auth.mode == AuthConfig::Mode::none) proved.insert(auth.principal);
    for (const ApiKeyConfig& key : auth.api_keys)
      proved.insert(key.principal);
    for (const CertificateConfig& certificate : auth.certificates)
      proved.insert(certificate.principal);
    for (const SocketPeersConfig& socket : auth.sockets) {
      if (!socket.principal.empty()) proved.insert(socket.principal);
      for (const auto& [account, id] : socket.users)
        proved.insert(id);
    }
    for (const auto& [name, key] : config_.approvals.keys)
      proved.insert(key.principal);
    if (proved.size() == 1 && auth.stdio_principal.empty()) return;
    for (const auto& [id, principal] : config_.principals) {
      if (proved.contains(id)) continue;
      warn(principal.where, fmt::format("nobody can be the principal \"{}\": no key proves it", id),
           fmt::format("bartizan key new NAME --principal {} prints one", id));
    }
  }

  /// An expiry changed the decisions, perhaps unnoticed, or will change them soon.
  void review_expiry(const Position& where, std::string_view what, std::int64_t expires,
                     std::string_view then) {
    constexpr std::int64_t kSoon = std::int64_t{14} * 24 * 60 * 60;
    if (expires <= now_) {
      warn(where, fmt::format("{} has expired: {}", what, then), "set a later date, or remove it");
    } else if (expires - now_ <= kSoon) {
      warn(where, fmt::format("{} expires within two weeks", what), "set a later date");
    }
  }

  void review_exceptions() {
    for (const auto& [name, rule] : config_.redactions) {
      for (const auto& [keep_name, keep] : rule.keep) {
        review_expiry(keep.where, fmt::format("the exception \"{}\"", keep_name), keep.expires,
                      "what it kept is redacted");
      }
    }
    for (const auto& [name, rule] : config_.rules) {
      if (!rule.expires.has_value()) continue;
      review_expiry(rule.where, fmt::format("the rule \"{}\"", name), *rule.expires,
                    "it permits nothing");
    }
  }

  void review_mode() {
    if (config_.policy.mode != PolicySettings::Mode::observe) return;
    const bool is_over = config_.policy.until.value_or(0) <= now_;
    warn(config_.policy.where, is_over ? "\"until\" is over: the policy enforces"
                                       : "mode \"observe\": what rules refuse is forwarded");
  }

  void review_environment(const ServerConfig& server) {
    for (const auto& [name, value] : server.env) {
      if (holds_placeholder(value)) {
        warn_of_placeholder(server, "env \"" + name + "\"");
      } else if (!value.empty() && may_be_secret(name, value)) {
        warn(server.where,
             fmt::format("env \"{}\" of server \"{}\" looks like a secret", name, server.name),
             fmt::format("write env_secret = {{ {} = \"file:PATH\" }}", name));
      }
    }
  }

  void review_headers(const ServerConfig& server) {
    for (const ServerHeader& header : server.headers) {
      if (holds_placeholder(header.value)) {
        warn_of_placeholder(server, fmt::format("header \"{}\"", header.name));
      } else if (!header.value.empty() && is_secret_header(header.name, header.value)) {
        warn(server.where,
             fmt::format("header \"{}\" of server \"{}\" looks like a secret", header.name,
                         server.name),
             fmt::format("write headers = {{ {} = \"file:PATH\" }}", header.name));
      }
    }
  }

  void review_command(const ServerConfig& server) {
    for (std::size_t i = 0; i < server.command.size(); ++i) {
      const std::string& part = server.command[i];
      if (holds_placeholder(part)) {
        warn_of_placeholder(server, fmt::format("entry {} of command", i));
      }
      if (i > 0 && is_secret_argument(server.command[i - 1], part)) {
        warn(server.where,
             fmt::format("entry {} of command of server \"{}\" looks like a secret, and every "
                         "process can read command lines",
                         i, server.name),
             "give it by env_secret, or in place of mcp-remote write url and credentials");
      }
    }
  }

  void review_url(const ServerConfig& server) {
    if (holds_placeholder(server.url)) warn_of_placeholder(server, "url");
    const std::string parameter = find_secret_parameter(server.url);
    if (parameter.empty()) return;
    warn(server.where,
         fmt::format("\"{}\" in the url of server \"{}\" looks like a secret", parameter,
                     server.name),
         "write credentials = { bearer = \"file:PATH\" } if the server takes it so");
  }

  void review_pins() {
    if (config_.pins.mode != PinsConfig::Mode::off) return;
    warn(config_.pins.where,
         "[pins] mode = \"off\": whatever servers list is taken, also what nobody approved, what "
         "changed since, and what talks to the model",
         "mode = \"trust_on_first_use\" takes what comes first, as long as it stays what it was");
  }

  /// Several configurations can share a lock file, so other servers in it are not an error.
  void review_pinned_files(const ServerConfig& server) {
    const auto pinned = config_.pins.executables.find(server.name);
    if (pinned == config_.pins.executables.end()) return;
    for (const auto& [path, digest] : pinned->second) {
      if (server.executables.contains(path)) continue;
      warn(server.where,
           fmt::format("the lock file has {} of server \"{}\", and nothing holds the file against "
                       "it",
                       path, server.name),
           fmt::format("write executables = [\"{}\"], or take it out of the lock file", path));
    }
  }

  void warn_of_placeholder(const ServerConfig& server, std::string_view what) {
    warn(server.where,
         fmt::format("{} of server \"{}\" holds ${{…}}, which nobody fills in here", what,
                     server.name),
         "write the value itself");
  }

  const Config& config_;
  std::int64_t now_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_doubts(const Config& config, std::int64_t now) {
  return Doubts(config, now).run();
}

std::vector<ConfigProblem> review_config(const Config& config) {
  std::vector<ConfigProblem> problems = find_policy_problems(config, {});
  const auto now = system_now().time_since_epoch();
  std::ranges::move(
      find_doubts(config, std::chrono::duration_cast<std::chrono::seconds>(now).count()),
      std::back_inserter(problems));
  return problems;
}

std::vector<ConfigProblem> review_machine(const Config& config, const Launcher& launcher) {
  std::vector<ConfigProblem> problems =
      find_machine_problems(config, launcher, {.sandbox = Severity::error});
  std::ranges::move(find_unapproved(config), std::back_inserter(problems));
  return problems;
}

std::vector<ConfigProblem> review_config_and_files(const Config& config, const Launcher& launcher) {
  std::vector<ConfigProblem> problems = review_config(config);
  std::ranges::move(find_machine_problems(config, launcher, {.sandbox = Severity::warning}),
                    std::back_inserter(problems));
  std::ranges::move(find_executable_problems(config), std::back_inserter(problems));
  return problems;
}

bool has_error(const std::vector<ConfigProblem>& problems) {
  return std::ranges::any_of(
      problems, [](const ConfigProblem& problem) { return problem.severity == Severity::error; });
}

void log_problems(const std::vector<ConfigProblem>& problems) {
  for (const ConfigProblem& problem : problems) {
    const bool is_error = problem.severity == Severity::error;
    std::vector<LogField> fields{{"where", problem.where}, {"detail", problem.message}};
    if (!problem.hint.empty()) fields.emplace_back("hint", problem.hint);
    log(is_error ? LogLevel::error : LogLevel::warning, "configuration", fields);
  }
}

}  // namespace bartizan
