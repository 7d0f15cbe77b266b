#include "gateway/command/command_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "config/parse_pattern.h"
#include "config/parse_units.h"
#include "gateway/command/ask_issuers.h"
#include "gateway/command/ask_servers.h"
#include "gateway/command/format_finding.h"
#include "gateway/command/format_limits.h"
#include "gateway/command/format_roles.h"
#include "gateway/control/changed_settings.h"
#include "gateway/review/config_review.h"
#include "gateway/review/last_config.h"
#include "gateway/review/policy_widening.h"
#include "gateway/runtime/log.h"
#include "policy/check/compile_policy.h"
#include "policy/definition/definition_secrets.h"
#include "policy/explain/pinned_definitions.h"

#include "policy/text/printable.h"

namespace bartizan {
namespace {

/// Each gateway counts for itself until gateways share state. Operators should know this before an
/// attack.
constexpr std::string_view kLimitScope =
    "note: limits count in this process only: a second gateway grants the same calls again";

/// A capture of whole calls is not an error, but should not be forgotten.
std::string capture_note(const Config& config) {
  if (!config.capture.has_value()) return {};
  return fmt::format(
      "note: whole calls are kept in {}, with all arguments, including secrets: {} at most, for {}",
      config.capture->file, size_text(config.capture->max_size),
      format_duration(config.capture->max_age));
}

using Severity = ConfigProblem::Severity;

/// Calls compared under the loaded and the new policy. They take seconds, not minutes.
constexpr std::size_t kComparedCallsMax = 50'000;

std::size_t count(const std::vector<ConfigProblem>& problems, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(problems, severity, &ConfigProblem::severity));
}

/// What a problem is about.
enum class CheckRule : std::uint8_t {
  invalid_configuration,
  doubtful_configuration,
  server,
  unknown_name,
  tool_schema,
  rule,
  identity_provider,
  wider_policy
};

/// In the order of `CheckRule`.
constexpr std::array<ReportRule, 8> kCheckRules{{
    {"invalid-configuration", "The configuration does not load, or does not fit its schema."},
    {"doubtful-configuration",
     "The policy is doubtful by itself, or this machine lacks what the configuration names."},
    {"server", "A server did not list its tools, or tools that it lists are quarantined."},
    {"unknown-name", "The policy names a tool or prompt that no server is known to have."},
    {"tool-schema", "The schema of a tool does not fit what the policy asks of its arguments."},
    {"rule", "A rule or profile does not do what it seems to do with the tools that are known."},
    {"identity-provider", "An identity provider did not answer as the configuration needs it."},
    {"wider-policy", "The policy permits more than the one that the gateway loaded last."},
}};

/// What was found: problems, and what the servers have, if they were asked.
struct Findings {
  std::vector<ConfigProblem> problems;
  std::vector<std::size_t> rules = {};   ///< Of each problem, the place in `kCheckRules`.
  std::unique_ptr<MemoryBudget> memory;  ///< Of what the servers have.
  std::map<std::string, AskedServer> servers;
  std::vector<AskedIssuer> issuers = {};
  std::optional<PolicyWidening> widening = {};  ///< Nothing where something is wrong.
  /// Keys that differ from what was loaded last and that a reload does not apply.
  std::vector<std::string> needs_restart = {};
  bool is_well = true;               ///< Nothing is wrong, and with `--strict` nothing is doubtful.
  std::size_t unverified_names = 0;  ///< Of tools whose server's tools are not known.

  /// Gives the problems that were added since the last time their rule.
  void label(CheckRule rule) { rules.resize(problems.size(), static_cast<std::size_t>(rule)); }
};

ConfigProblem warning(std::string where, std::string message) {
  return {.severity = Severity::warning,
          .where = std::move(where),
          .message = std::move(message),
          .hint = {}};
}

/// The tools and prompts to compare the policy with.
struct Known {
  KnownNames names;
  KnownTools tools;
};

/// Asks the servers for their lists, which replace the approved ones.
void ask(const Config& config, const Launcher& launcher, Known& known, Findings& findings) {
  // Problems with servers' lists are reported in the results; log lines would mix with them.
  start_log(LogConfig::Level::error);
  auto asked = ask_servers(config, *findings.memory, launcher);
  if (!asked.has_value()) {
    return findings.problems.push_back(warning("", asked.error().detail));
  }
  for (const auto& [name, server] : *asked) {
    const Position& where = config.servers.find(name)->second.where;
    if (!server.is_known) {
      findings.problems.push_back(
          warning(text(config, where),
                  fmt::format("server \"{}\" did not list its tools: {}", name, server.failure)));
      continue;
    }
    if (!server.tools.empty() && server.callable == 0) {
      findings.problems.push_back(warning(
          text(config, where),
          fmt::format(
              "nobody can call any tool of server \"{}\": all that it lists are quarantined",
              name)));
    }
    for (const std::string& tool : server.no_tools) {
      findings.problems.push_back(
          warning(text(config, where), fmt::format("tool \"{}/{}\" is quarantined: {}", name, tool,
                                                   server.quarantined.at(tool))));
    }
    known.names.tools[name] = server.tools;
    known.names.prompts[name] = server.prompts;
    known.tools[name].clear();
    for (const auto& definition : server.definitions)
      known.tools[name].push_back(definition.get());
  }
  findings.servers = std::move(*asked);
}

void ask_providers(const Config& config, Findings& findings) {
  start_log(LogConfig::Level::error);
  findings.issuers = ask_issuers(config);
  for (const AskedIssuer& issuer : findings.issuers) {
    if (issuer.is_right) continue;
    findings.problems.push_back(
        warning(text(config, issuer.where),
                fmt::format("{} at {}: {}", issuer.name, issuer.url, issuer.answer)));
  }
}

/// The number of tools that rules and profiles name without a glob, on servers without a known
/// list. A misspelling among them cannot be found.
std::size_t count_unverified(const Config& config, const KnownNames& known) {
  std::set<std::string_view> names;
  const auto add = [&](std::string_view pattern) {
    const std::string_view server = server_segment(pattern);
    if (!is_literal(pattern) || known.tools.contains(std::string(server))) return;
    if (config.servers.contains(server)) names.insert(pattern);
  };
  for (const auto& [name, rule] : config.rules) {
    if (rule.target != RuleTarget::tools) continue;
    for (const std::string& pattern : rule.patterns)
      add(pattern);
  }
  for (const ToolProfile& profile : config.tools)
    add(profile.pattern);
  return names.size();
}

/// Compares the policy with its lock file and, if they are asked, with the servers.
void compare(const CheckOptions& options, const Config& config, const Launcher& launcher,
             Findings& findings) {
  const PinnedDefinitions pinned(config);
  Known known{.names = pinned.names(), .tools = pinned.tools()};
  if (options.servers == CheckOptions::Servers::ask) ask(config, launcher, known, findings);
  findings.label(CheckRule::server);
  std::ranges::move(find_unknown_names(config, known.names), std::back_inserter(findings.problems));
  findings.label(CheckRule::unknown_name);
  findings.unverified_names = count_unverified(config, known.names);
  std::ranges::move(find_schema_problems(config, known.tools),
                    std::back_inserter(findings.problems));
  findings.label(CheckRule::tool_schema);
  std::ranges::move(find_rule_problems(config, known.tools), std::back_inserter(findings.problems));
  findings.label(CheckRule::rule);
}

/// Nothing where no gateway has kept what it loaded, or that cannot be read: `find_widening` says
/// so.
std::vector<std::string> find_restart_keys(const Config& config) {
  const auto last = load_last_loaded(config.audit.file);
  if (!last.has_value() || !last->has_value()) return {};
  return restart_keys((*last)->config, config);
}

/// The loader's problems. If it finds no error, also those of the schema alone, and doubts. For one
/// mistake the schema has more and worse messages.
Findings find_problems(const CheckOptions& options, const LoadedConfig& loaded,
                       const Launcher& launcher) {
  Findings findings{.problems = loaded.problems,
                    .memory = std::make_unique<MemoryBudget>(loaded.config.process.memory_max),
                    .servers = {}};
  findings.label(CheckRule::invalid_configuration);
  if (!loaded.usable()) return findings;
  std::ranges::move(check_against_schema(options.file), std::back_inserter(findings.problems));
  findings.label(CheckRule::invalid_configuration);
  std::ranges::move(review_config_and_files(loaded.config, launcher),
                    std::back_inserter(findings.problems));
  findings.label(CheckRule::doubtful_configuration);
  const bool is_usable = count(findings.problems, Severity::error) == 0;
  if (is_usable) {
    compare(options, loaded.config, launcher, findings);
    if (options.asks_issuers) ask_providers(loaded.config, findings);
    findings.label(CheckRule::identity_provider);
    findings.widening = find_widening(
        loaded.config, {.tries_max = kComparedCallsMax, .progress = options.progress});
    std::ranges::copy(findings.widening->problems, std::back_inserter(findings.problems));
    findings.label(CheckRule::wider_policy);
    findings.needs_restart = find_restart_keys(loaded.config);
  }
  return findings;
}

/// Whether the absence of warnings means that no permission is wider.
std::string compared_note(const PolicyWidening& widening) {
  return widening.why_not.empty()
             ? "note: compared with " + widening.compared_with
             : "note: not compared with what was loaded last: " + widening.why_not;
}

/// The number of tools of each server that answered.
void write_servers(const std::map<std::string, AskedServer>& servers, const CommandOutput& output) {
  for (const auto& [name, server] : servers) {
    if (!server.is_known) continue;
    const std::string quarantined =
        server.quarantined.empty() ? ""
                                   : fmt::format(", {} quarantined", server.quarantined.size());
    output.results << fmt::format("server {}: {}{}, {}\n", name,
                                  format_count(server.tools.size(), "tool"), quarantined,
                                  fmt::join(server.eras, " and "));
    for (const auto& [tool, reason] : server.quarantined) {
      // Invalid tools are among the problems.
      if (std::ranges::find(server.no_tools, tool) != server.no_tools.end()) continue;
      output.results << fmt::format("  {} is quarantined: {}\n", printable(without_secrets(tool)),
                                    printable(without_secrets(reason)));
    }
  }
}

void write_text(const std::string& file, const Config& config, const Findings& findings,
                const CommandOutput& output) {
  const std::vector<ConfigProblem>& problems = findings.problems;
  write_problems(problems, output);
  const std::size_t errors = count(problems, Severity::error);
  const std::size_t warnings = count(problems, Severity::warning);
  if (errors != 0) {
    output.results << fmt::format("{}: {}, {}\n", file, format_count(errors, "error"),
                                  format_count(warnings, "warning"));
    return;
  }
  output.results << fmt::format(
      "{}: {}, {}, {}, {}, {}\n", file, findings.is_well ? "ok" : "not ok with --strict",
      format_count(config.servers.size(), "server"), format_count(config.rules.size(), "rule"),
      format_count(config.limits.size(), "limit"), format_count(warnings, "warning"));
  for (const std::string& line : role_lines(config))
    output.results << line << '\n';
  for (const auto& [name, limit] : config.limits)
    output.results << "limit " << format_limit(limit) << '\n';
  write_servers(findings.servers, output);
  for (const AskedIssuer& issuer : findings.issuers) {
    if (issuer.is_right) output.results << issuer.name << ": " << issuer.answer << '\n';
  }
  output.results << kLimitScope << '\n';
  if (findings.unverified_names > 0) {
    output.results << fmt::format(
        "note: {} of tools not verified: no list of their server is known; check --servers asks "
        "it, pin keeps it\n",
        format_count(findings.unverified_names, "name"));
  }
  if (findings.widening.has_value()) output.results << compared_note(*findings.widening) << '\n';
  if (!findings.needs_restart.empty()) {
    output.results << fmt::format(
        "note: a reload refuses this file: a change of {} needs a restart\n",
        fmt::join(findings.needs_restart, ", "));
  }
  const std::string captured = capture_note(config);
  if (!captured.empty()) output.results << captured << '\n';
}

JsonObject server_json(const std::string& name, const AskedServer& server) {
  JsonObject json;
  json.add("name", name);
  if (server.is_known) {
    json.add("eras", server.eras);
    json.add("tools", server.tools);
  } else {
    json.add("failure", server.failure);
  }
  return json;
}

/// Each quarantined tool by itself. The sentences about them are for people.
std::vector<JsonObject> quarantined_json(const std::map<std::string, AskedServer>& servers) {
  std::vector<JsonObject> all;
  for (const auto& [name, server] : servers) {
    for (const auto& [tool, reason] : server.quarantined) {
      JsonObject& json = all.emplace_back();
      json.add("server", name);
      json.add("tool", tool);
      json.add("reason", reason);
    }
  }
  return all;
}

void write_json(const std::string& file, const Config& config, const Findings& findings,
                const CommandOutput& output) {
  const std::vector<ConfigProblem>& problems = findings.problems;
  const std::size_t errors = count(problems, Severity::error);
  JsonObject json;
  json.add("file", file);
  json.add_flag("ok", findings.is_well);
  json.add("errors", errors);
  json.add("warnings", count(problems, Severity::warning));
  json.add("limit_scope", "process");
  if (findings.widening.has_value()) {
    const PolicyWidening& widening = *findings.widening;
    if (!widening.compared_with.empty()) json.add("compared_with", widening.compared_with);
    if (!widening.why_not.empty()) json.add("not_compared", widening.why_not);
    json.add("needs_restart", findings.needs_restart);
  }
  std::vector<JsonObject> limits;
  // A configuration with errors has no effective limits.
  for (const auto& [name, limit] : config.limits) {
    if (errors == 0) limits.push_back(limit_json(limit));
  }
  json.add("limits", limits);
  if (errors == 0) json.add("roles", roles_json(config));
  json.add("unverified_names", findings.unverified_names);
  if (config.capture.has_value()) json.add("whole_calls_in", config.capture->file);
  std::vector<JsonObject> servers;
  servers.reserve(findings.servers.size());
  for (const auto& [name, server] : findings.servers)
    servers.push_back(server_json(name, server));
  if (!servers.empty()) {
    json.add("servers", servers);
    json.add("quarantined", quarantined_json(findings.servers));
  }
  std::vector<JsonObject> issuers;
  for (const AskedIssuer& issuer : findings.issuers) {
    JsonObject& one = issuers.emplace_back();
    one.add("name", issuer.name);
    one.add("url", issuer.url);
    one.add_flag("ok", issuer.is_right);
    one.add("answer", issuer.answer);
  }
  if (!issuers.empty()) json.add("issuers", issuers);
  json.add("problems", problems_json(problems));
  output.results << json.text() << '\n';
}

void write(const CheckOptions& options, const Config& config, const Findings& findings,
           const CommandOutput& output) {
  constexpr std::string_view kCommand = "bartizan check";
  switch (options.report) {
    case ReportFormat::github:
      output.results << problems_github(findings.problems);
      return;
    case ReportFormat::sarif:
      output.results << problems_sarif(findings.problems, findings.rules, kCheckRules, kCommand);
      return;
    case ReportFormat::junit:
      output.results << problems_junit(findings.problems, kCommand, options.file,
                                       options.is_strict);
      return;
    case ReportFormat::plain:
    case ReportFormat::markdown:
      break;
  }
  const bool is_json = output.format == OutputFormat::json;
  (is_json ? write_json : write_text)(options.file, config, findings, output);
}

}  // namespace

int check_configuration(const CheckOptions& options, const Launcher& launcher,
                        const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.file);
  Findings findings = find_problems(options, loaded, launcher);
  const bool has_errors = count(findings.problems, Severity::error) != 0;
  findings.is_well = options.is_strict ? findings.problems.empty() : !has_errors;
  write(options, loaded.config, findings, output);
  return finish(output, findings.is_well ? kExitDone : kExitFailed);
}

}  // namespace bartizan
