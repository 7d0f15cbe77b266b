#include "gateway/review/machine_problems.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load/load_config.h"
#include "gateway/facts/disk_facts.h"
#include "gateway/identity/approval_keys.h"
#include "gateway/identity/socket_peer.h"
#include "gateway/net/client_authorities.h"
#include "gateway/net/listener.h"
#include "gateway/process/find_program.h"
#include "gateway/process/package_runner_env.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

/// Collects what one machine lacks.
class MachineReview {
 public:
  MachineReview(const Config& config, const Launcher& launcher, MachineQuestion question)
      : config_(config), launcher_(launcher), question_(question) {}

  std::vector<ConfigProblem> run() && {
    review_secret(config_.audit.digest_key);
    review_record();
    review_capture();
    review_state();
    review_approvals();
    review_heads();
    for (const auto& [name, sink] : config_.exports) {
      review_secret(sink.token);
      review_secret(sink.password);
      review_authorities(sink.ca_file, sink.where);
    }
    for (const auto& [name, alert] : config_.alerts)
      review_alert(alert);
    for (const IssuerConfig& issuer : config_.auth.issuers) {
      if (issuer.introspection.has_value()) review_client(issuer.introspection->client);
    }
    for (const FrontDoorConfig& door : config_.auth.front_doors)
      review_client(door.client);
    review_tls(config_.listen.tls, config_.listen.where);
    if (config_.console.has_value()) review_tls(config_.console->tls, config_.console->where);
    for (const auto& [name, socket] : config_.sockets)
      review_socket(socket);
    for (const auto& [name, path] : config_.paths) {
      if (path.resolve == PathConfig::Resolve::filesystem) {
        review_resolution(path);
      } else if (!fs::is_directory(path.root, ignored_)) {
        warn(path.where, fmt::format("the root \"{}\" is not a folder on this machine", path.root),
             "make it, or name the folder that the server reads");
      }
    }
    for (const auto& [name, server] : config_.servers)
      review_server(server);
    return std::move(problems_);
  }

 private:
  void warn(const Position& where, std::string message, std::string hint = {}) {
    problems_.push_back({.severity = ConfigProblem::Severity::warning,
                         .where = text(config_, where),
                         .message = std::move(message),
                         .hint = std::move(hint)});
  }

  /// Every call would be refused, so this is an error: no such policy replaces a working one.
  void review_resolution(const PathConfig& path) {
    const Result<void> probed = probe_root(path.root);
    if (probed.has_value()) return;
    problems_.push_back(
        {.severity = ConfigProblem::Severity::error,
         .where = text(config_, path.where),
         .message = fmt::format("resolve = \"filesystem\" of [path.{}] with the root \"{}\" cannot "
                                "work on this machine: {}",
                                path.name, path.root, probed.error().detail),
         .hint =
             "mend that, or write resolve = \"lexical\", which does not look where links lead"});
  }

  void review_secret(const SecretReference& secret) {
    if (secret.kind == SecretReference::Kind::none) return;
    const Result<SecretText> read = read_secret(secret);
    if (read.has_value()) return;
    if (!is_open_to_everyone(secret)) return warn(secret.where, read.error().detail);
    // Everybody on the machine could have read it.
    problems_.push_back({.severity = ConfigProblem::Severity::error,
                         .where = text(config_, secret.where),
                         .message = read.error().detail,
                         .hint = "and put another secret in its place"});
  }

  void review_client(const ProviderClient& client) {
    review_secret(client.secret);
    review_secret(client.key);
  }

  /// Whether this account may use a file or folder so. Input: `R_OK` and the like.
  static bool may(const fs::path& file, int use) {
    return ::faccessat(AT_FDCWD, file.c_str(), use, AT_EACCESS) == 0;
  }

  void review_record() {
    const fs::path record = config_.audit.file;
    if (record.empty()) return;
    if (fs::is_directory(record, ignored_)) {
      warn(config_.audit.where,
           fmt::format("the record \"{}\" is a folder on this machine", config_.audit.file),
           "name a file in it, such as audit.jsonl");
    } else if (!fs::is_directory(record.parent_path(), ignored_)) {
      warn(config_.audit.where,
           fmt::format("the folder of the record \"{}\" does not exist on this machine",
                       config_.audit.file),
           "make it: the gateway makes the file, never a folder");
    } else if (!may(record.parent_path(), W_OK | X_OK)) {
      warn(config_.audit.where,
           fmt::format("the folder of the record \"{}\" cannot be written by this account",
                       config_.audit.file),
           "let the gateway's account write there, or run check as that account");
    }
  }

  void review_capture() {
    if (!config_.capture.has_value() || config_.capture->file.empty()) return;
    const fs::path folder = fs::path(config_.capture->file).parent_path();
    if (fs::is_directory(folder, ignored_)) return;
    warn(config_.capture->where,
         fmt::format("the folder of the capture \"{}\" does not exist on this machine",
                     config_.capture->file),
         "make it: the gateway makes the file, never a folder");
  }

  void review_state() {
    if (!config_.state.has_value() || config_.state->file.empty()) return;
    const std::string& file = config_.state->file;
    const fs::path folder = fs::path(file).parent_path();
    const auto lacks = [&](std::string_view what, std::string hint) {
      warn(config_.state->where, fmt::format("the {} on this machine", what), std::move(hint));
    };
    if (fs::is_directory(file, ignored_)) {
      lacks(fmt::format("state file \"{}\" is a folder", file),
            "name a file in it, such as state.db");
    } else if (!fs::is_directory(folder, ignored_)) {
      lacks(fmt::format("folder of the state file \"{}\" does not exist", file),
            "make it: the gateway makes the file, never a folder");
    } else if (!may(folder, W_OK | X_OK)) {
      lacks(fmt::format("folder of the state file \"{}\" cannot be written", file),
            "let the gateway's account write there: parts of the file come and go beside it");
    }
  }

  void review_approvals() {
    const ApprovalsConfig& approvals = config_.approvals;
    for (ApprovalKeyProblem& problem : read_approval_keys(approvals).problems) {
      warn(problem.where, std::move(problem.detail), std::move(problem.hint));
      if (problem.is_error) problems_.back().severity = ConfigProblem::Severity::error;
    }
    if (!approvals.webhook.has_value()) return;
    review_secret(approvals.webhook->secret);
    review_authorities(approvals.webhook->ca_file, approvals.webhook->where);
  }

  void review_authorities(const std::string& ca_file, const Position& where) {
    if (ca_file.empty() || ::access(ca_file.c_str(), R_OK) == 0) return;
    warn(where, fmt::format("tls_ca \"{}\" cannot be read on this machine", ca_file));
  }

  void review_heads() {
    if (!config_.audit.heads.has_value()) return;
    const SignedHeadConfig& heads = *config_.audit.heads;
    review_secret(heads.key);
    const fs::path folder = fs::path(heads.file).parent_path();
    if (!heads.file.empty() && !fs::is_directory(folder, ignored_)) {
      warn(heads.where,
           fmt::format("the folder of the signed heads \"{}\" does not exist on this machine",
                       heads.file),
           "make it: the gateway makes the file, never a folder");
    }
    review_command(heads.command, "[audit.heads]", heads.where);
  }

  void review_alert(const AlertConfig& alert) {
    review_secret(alert.secret);
    review_authorities(alert.ca_file, alert.where);
    review_command(alert.command, fmt::format("[alert.{}]", alert.name), alert.where);
  }

  /// A program that the gateway itself runs by its path.
  void review_command(const std::vector<std::string>& command, std::string_view table,
                      const Position& where) {
    if (command.empty() || ::access(command.front().c_str(), X_OK) == 0) return;
    warn(where, fmt::format("the program \"{}\" of {} cannot be run on this machine",
                            command.front(), table));
  }

  void review_tls(const std::optional<TlsConfig>& tls, const Position& where) {
    if (!tls.has_value()) return;
    if (is_open_to_everyone(tls->key)) return review_secret(tls->key);
    const auto made = make_server_tls(*tls);
    if (!made.has_value()) {
      warn(where, made.error().detail);
      // Files that are here and do not fit refuse a start; those that are absent are elsewhere.
      const bool are_here = may(tls->cert, R_OK) && (tls->key.kind != SecretReference::Kind::file ||
                                                     may(tls->key.name, R_OK));
      if (are_here) problems_.back().severity = ConfigProblem::Severity::error;
    }
    std::string old_list = find_list_that_is_over(*tls, seconds_now());
    if (!old_list.empty()) {
      warn(where, std::move(old_list),
           "replace it: until then all certificates of its authority are refused");
    }
  }

  void review_socket(const SocketConfig& socket) {
    review_tls(socket.tls, socket.where);
    const fs::path folder = fs::path(socket.path).parent_path();
    if (!socket.path.empty() && !fs::is_directory(folder, ignored_)) {
      warn(socket.where,
           fmt::format("the folder of the socket \"{}\" does not exist on this machine",
                       socket.path),
           "make it: the gateway makes the socket, never a folder");
    }
    for (const auto& [account, principal] : socket.users) {
      if (!socket_peer_of(account).empty()) continue;
      warn(socket.where,
           fmt::format("the account \"{}\", which [socket.{}] lets in as \"{}\", does not exist on "
                       "this machine",
                       account, socket.name, principal),
           "make it, or write its number");
    }
  }

  void review_server(const ServerConfig& server) {
    review_secret(server.bearer);
    review_secret(server.password);
    for (const ServerHeader& header : server.headers)
      review_secret(header.secret);
    for (const auto& [variable, secret] : server.env_secrets)
      review_secret(secret);
    for (const std::string& name : server.env_allow) {
      if (std::getenv(name.c_str()) != nullptr) continue;  // NOLINT(concurrency-mt-unsafe)
      // Proxy variables are passed on if they exist; their absence is not a problem.
      if (is_fetch_variable(name)) continue;
      warn(server.where,
           fmt::format("the variable \"{}\" is to be passed to server \"{}\" and is not set here",
                       name, server.name),
           hint("set it for the gateway, or take it out",
                "set it in the env of the client's entry, or take --env " + name + " out"));
    }
    if (!server.cwd.empty() && !fs::is_directory(server.cwd, ignored_)) {
      const bool is_unfilled = server.cwd.contains("/~") || server.cwd.contains("${");
      warn(server.where, fmt::format("the cwd \"{}\" does not exist on this machine", server.cwd),
           is_unfilled ? "nobody fills in ~ or ${…} here: write the whole path" : "");
    }
    review_start_of_paths(server);
    review_authorities(server.ca_file, server.where);
    if (!server.command.empty()) review_program(server);
    if (server.sandbox != SandboxConfig()) review_sandbox(server);
  }

  /// A file server may start relative paths in a folder of its arguments, not in its `cwd`. The
  /// path rules would then judge another file than the server opens (CWE-706).
  void review_start_of_paths(const ServerConfig& server) {
    const bool is_judged_so = std::ranges::any_of(
        config_.paths, [](const auto& named) { return named.second.base.empty(); });
    if (!is_judged_so || server.cwd.empty()) return;
    for (std::size_t i = 1; i < server.command.size(); ++i) {
      const std::string& argument = server.command[i];
      if (!argument.starts_with('/') || !fs::is_directory(argument, ignored_)) continue;
      if (fs::equivalent(argument, server.cwd, ignored_)) return;
      warn(server.where,
           fmt::format("relative paths are judged from the cwd \"{}\" of server \"{}\", whose "
                       "command names the folder \"{}\": the server may start them there",
                       server.cwd, server.name, argument),
           "make them one folder, or leave cwd out: relative paths are then refused");
      return;
    }
  }

  void review_sandbox(const ServerConfig& server) {
    const Environment environment{server.env.begin(), server.env.end()};
    // A missing program is reported separately.
    if (!find_program(server.command.front(), environment).has_value()) return;
    const Result<void> probed = launcher_.probe({.command = server.command,
                                                 .cwd = server.cwd,
                                                 .environment = environment,
                                                 .sandbox = server.sandbox});
    if (probed.has_value()) return;
    warn(server.where,
         fmt::format("server \"{}\" cannot start: {}", server.name, probed.error().detail));
    problems_.back().severity = question_.sandbox;
  }

  void review_program(const ServerConfig& server) {
    const Result<std::string> found =
        find_program(server.command.front(), {server.env.begin(), server.env.end()});
    if (!found.has_value()) {
      warn(server.where, found.error().detail + " on this machine",
           hint("write its whole path, or give the server a PATH in env", "write its whole path"));
    }
    const std::vector<std::string> withheld = withheld_variables(server, environment_names());
    if (withheld.empty()) return;
    warn(server.where,
         fmt::format("\"{}\" fetches packages, and server \"{}\" is not given {}, set here",
                     server.command.front(), server.name, fmt::join(withheld, ", ")),
         hint(fmt::format("write env_allow = [\"{}\"]", fmt::join(withheld, "\", \"")),
              fmt::format("write --env {}", fmt::join(withheld, " --env "))));
  }

  std::string hint(std::string for_file, std::string for_options) const {
    return question_.written_in == WrittenIn::file ? std::move(for_file) : std::move(for_options);
  }

  const Config& config_;
  const Launcher& launcher_;
  MachineQuestion question_;
  std::vector<ConfigProblem> problems_;
  std::error_code ignored_;
};

}  // namespace

std::vector<ConfigProblem> find_machine_problems(const Config& config, const Launcher& launcher,
                                                 MachineQuestion question) {
  return MachineReview(config, launcher, question).run();
}

}  // namespace bartizan
