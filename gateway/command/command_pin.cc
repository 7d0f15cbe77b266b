#include "gateway/command/command_pin.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "config/load/lock_file.h"
#include "config/parse_units.h"
#include "config/problems.h"
#include "gateway/command/ask_servers.h"
#include "gateway/command/format_finding.h"
#include "gateway/command/format_lock.h"
#include "gateway/process/write_file.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/server_identity.h"
#include "policy/definition/definition_secrets.h"
#include "policy/definition/diff_locks.h"
#include "policy/text/match.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

#include "policy/text/printable.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

/// The existing lock file, and the new one.
struct Pinning {
  fs::path file;
  bool is_there = false;                   ///< Whether the lock file exists.
  bool is_about_nothing = false;           ///< `--tool` matches no tool.
  std::optional<std::string> before = {};  ///< Its bytes.
  LockFile older;
  LockFile newer;
  std::vector<std::string> notes;
  std::vector<std::string> failures;
  std::vector<LockChange> changes = {};
  std::string text = {};

  std::string digest() const { return sha256_hex(text); }
  std::size_t count(FindingSeverity severity) const {
    return static_cast<std::size_t>(std::ranges::count(changes, severity, &LockChange::severity));
  }
};

bool holds_secret(const std::string& definition) {
  const Bytes bytes(definition);
  JsonDocument document;
  const Result<JsonValue> entry = document.read(bytes, kResponseLimits);
  return entry.has_value() && !find_held_secrets(*entry).empty();
}

/// The part of a definition that a lock file stores.
std::string approved_text(const std::string& definition,
                          std::span<const std::string> volatile_members) {
  const Bytes bytes(definition);
  JsonDocument document;
  const Result<JsonValue> entry = document.read(bytes, kResponseLimits);
  return fingerprinted_text(entry.value_or(JsonValue()), volatile_members);
}

/// Whether every known member of an identity is unchanged.
bool is_still(const ServerIdentity& was, const ServerIdentity& is) {
  const auto is_same = [](const auto& one, const auto& other) {
    return one.empty() || one == other;
  };
  return is_same(was.program, is.program) && is_same(was.arguments, is.arguments) &&
         is_same(was.files, is.files) && is_same(was.package, is.package) &&
         is_same(was.version, is.version) && is_same(was.integrity, is.integrity) &&
         is_same(was.image, is.image) && is_same(was.origin, is.origin) &&
         is_same(was.target, is.target) && is_same(was.certificate_key, is.certificate_key);
}

class PinTools {
 public:
  PinTools(const PinOptions& options, const Launcher& launcher, Config config)
      : options_(options),
        launcher_(launcher),
        config_(std::move(config)),
        wanted_(options.tool),
        wanted_servers_(options.tool.substr(0, options.tool.find('/'))) {}

  Pinning run() {
    begin();
    std::map<std::string, ServerConfig, std::less<>> asked;
    for (auto& [name, server] : config_.servers) {
      const bool is_wanted =
          (options_.server.empty() || options_.server == name) && wanted_servers_.matches(name);
      if (is_wanted && identify(name, server)) asked.emplace(name, server);
    }
    config_.servers = std::move(asked);
    ask();
    identify_fetched();
    review_wanted();
    pinning_.text = write_lock_file(pinning_.newer);
    pinning_.changes = diff_locks(pinning_.older, pinning_.newer);
    return std::move(pinning_);
  }

 private:
  void begin() {
    config_.pins.mode = PinsConfig::Mode::locked;  // Servers are held to their keys in any case.
    pinning_.file = config_.pins.file.empty()
                        ? fs::absolute(options_.config).parent_path() / "bartizan.lock"
                        : fs::path(config_.pins.file);
    if (config_.pins.file.empty()) {
      pinning_.notes.emplace_back(
          "the configuration does not use the lock file yet: write [pins] file = "
          "\"bartizan.lock\"");
    }
    pinning_.before = config_.pins.file.empty() ? read_unnamed() : config_.sources->lock;
    pinning_.is_there = pinning_.before.has_value();
    if (pinning_.is_there) {
      Problems problems;
      const Position where{.file = problems.add_file(pinning_.file.string())};
      pinning_.older = parse_lock_file(*pinning_.before, pinning_.file.string(), where, problems,
                                       config_.pins.volatile_members);
      // Problems of a lock file in `[pins]` were reported with the configuration.
      for (const ConfigProblem& problem : problems.sorted())
        pinning_.failures.push_back(text(problem));
    }
    pinning_.newer = pinning_.older;
  }

  /// An existing lock file at the output path that `[pins]` does not name yet.
  std::optional<std::string> read_unnamed() const {
    std::ifstream file(pinning_.file, std::ios::binary);
    if (!file) return std::nullopt;
    std::string bytes(limits::lock_bytes_max + 1, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
  }

  /// A pattern that matches nothing would look like one without changes.
  void review_wanted() {
    if (options_.tool == PinOptions().tool || !pinning_.failures.empty()) return;
    const auto meets = [this](const LockFile& lock) {
      return std::ranges::any_of(lock.tools, [this](const auto& server) {
        return std::ranges::any_of(server.second, [&](const auto& tool) {
          return wanted_.matches(server.first + "/" + tool.first);
        });
      });
    };
    if (meets(pinning_.older) || meets(pinning_.newer)) return;
    pinning_.is_about_nothing = true;
    pinning_.failures.push_back(
        fmt::format("--tool \"{}\" matches no listed or pinned tool: write SERVER/TOOL, with the "
                    "tool's name at the server and * for any letters",
                    options_.tool));
  }

  void fail_server(const std::string& name, std::string_view why) {
    pinning_.failures.push_back(fmt::format("server \"{}\": {}", name, why));
  }

  /// Adds the server's identity to the new file. Returns whether the server may be asked for its
  /// lists.
  bool identify(const std::string& name, ServerConfig& server) {
    Result<IdentifiedServer> found = identify_server(server);
    if (!found.has_value()) {
      fail_server(name, found.error().detail);
      return false;
    }
    for (const std::string& note : found->notes)
      pinning_.notes.push_back(fmt::format("server \"{}\": {}", name, note));
    if (!server.url.empty()) {
      const Result<std::string> key = ask_certificate_key(server);
      if (!key.has_value()) {
        fail_server(name, key.error().detail);
        return false;
      }
      found->identity.certificate_key = *key;
    }
    keep_unknown(name, found->identity);
    // The lists must come from the holder of the pinned key; otherwise the server is not asked.
    config_.pins.certificate_keys.insert_or_assign(name, found->identity.certificate_key);
    const bool is_approved = approves(name, *found);
    pinning_.newer.identities[name] = found->identity;
    if (found->executables.empty()) {
      pinning_.newer.executables.erase(name);
    } else {
      pinning_.newer.executables[name] = found->executables;
    }
    if (!is_approved) {
      pinning_.notes.push_back(fmt::format(
          "server \"{}\" was not asked for its tools: accept its identity first", name));
      return false;
    }
    for (auto& [path, digest] : server.executables)
      digest = found->executables.at(path);
    return true;
  }

  /// Members that are unknown on this machine, or that a person removed, stay as they were.
  /// Examples are a package that was not fetched yet, and a certificate whose key changes.
  void keep_unknown(const std::string& name, ServerIdentity& identity) {
    const auto known = pinning_.older.identities.find(name);
    if (known == pinning_.older.identities.end()) return;
    const ServerIdentity& was = known->second;
    const bool is_package = !identity.package.empty() && was.package == identity.package &&
                            was.version == identity.version;
    if (is_package && (identity.integrity.empty() || was.integrity.empty())) {
      identity.integrity = was.integrity;
    }
    if (was.origin == identity.origin && was.certificate_key.empty()) {
      identity.certificate_key.clear();
    }
  }

  /// A package runner fetches missing packages at the first start of its server.
  void identify_fetched() {
    for (const auto& [name, server] : config_.servers) {
      ServerIdentity& identity = pinning_.newer.identities[name];
      const bool is_known = pinning_.older.identities.contains(name);
      if (is_known || identity.package.empty() || !identity.integrity.empty()) continue;
      const Result<IdentifiedServer> again = identify_server(server);
      if (again.has_value() && again->identity.package == identity.package &&
          again->identity.version == identity.version) {
        identity.integrity = again->identity.integrity;
      }
    }
  }

  /// Whether the server's identity is the approved one, or none was ever approved.
  bool approves(const std::string& name, const IdentifiedServer& found) const {
    if (!pinning_.is_there) return true;
    const auto files = pinning_.older.executables.find(name);
    const PinnedFiles approved =
        files == pinning_.older.executables.end() ? PinnedFiles() : files->second;
    const bool has_files = std::ranges::all_of(found.executables, [&approved](const auto& file) {
      const auto known = approved.find(file.first);
      return known != approved.end() && known->second == file.second;
    });
    const auto identity = pinning_.older.identities.find(name);
    return has_files && (identity == pinning_.older.identities.end() ||
                         is_still(identity->second, found.identity));
  }

  void ask() {
    if (config_.servers.empty()) return;
    // Problems with servers' lists are reported in the results; log lines would mix with them.
    start_log(LogConfig::Level::error);
    MemoryBudget memory(config_.process.memory_max);
    const auto asked = ask_servers(config_, memory, launcher_);
    if (!asked.has_value()) return pinning_.failures.push_back(asked.error().detail);
    for (const auto& [name, server] : *asked) {
      if (!server.is_known) {
        fail_server(name, server.failure);
        continue;
      }
      take_tools(name, server);
    }
  }

  void take_tools(const std::string& name, const AskedServer& server) {
    PinnedServer& tools = pinning_.newer.tools[name];
    std::erase_if(tools,
                  [&](const auto& tool) { return wanted_.matches(name + "/" + tool.first); });
    for (const std::string& tool : server.no_tools) {
      pinning_.notes.push_back(fmt::format("left out: {}/{} is not a usable tool", name, tool));
    }
    for (const auto& definition : server.definitions) {
      if (!wanted_.matches(name + "/" + definition->name)) continue;
      if (definition->raw.empty()) {
        pinning_.notes.push_back(
            fmt::format("left out: {}/{} has schemas that cannot be used", name, definition->name));
        continue;
      }
      const std::string text = approved_text(definition->raw, config_.pins.volatile_members);
      if (holds_secret(text)) {
        pinning_.notes.push_back(
            fmt::format("the definition of {}/{} contains a secret, which the lock file has in "
                        "clear: remove it at the server before others can read the file",
                        name, definition->name));
      }
      tools[definition->name] = {.fingerprint = definition->fingerprint,
                                 .definition = text,
                                 .hints = {},
                                 .is_approved = true};
    }
  }

  const PinOptions& options_;
  const Launcher& launcher_;
  Config config_;
  Glob wanted_;
  Glob wanted_servers_;
  Pinning pinning_;
};

void write_text(const Pinning& pinning, const PinOptions& options, const CommandOutput& output) {
  if (!pinning.is_there && options.then == PinOptions::Then::write && !pinning.is_about_nothing) {
    return write_first_lock(pinning.file.string(), pinning.newer, output);
  }
  for (const LockChange& change : pinning.changes)
    output.results << format_finding(change, pinning.older, pinning.newer) << '\n';
  output.results << fmt::format(
      "{}: {} ({} high, {} medium, {} low)\n", pinning.file.string(),
      format_count(pinning.changes.size(), "difference"), pinning.count(FindingSeverity::high),
      pinning.count(FindingSeverity::medium), pinning.count(FindingSeverity::low));
}

/// The result for the file, for `--json`.
enum class Became : std::uint8_t { unchanged, written, not_written };

void write_json(const Pinning& pinning, Became became, const CommandOutput& output) {
  JsonObject json;
  json.add("file", pinning.file.string());
  json.add_flag("written", became == Became::written);
  json.add("digest", pinning.digest());
  std::vector<JsonObject> changes;
  changes.reserve(pinning.changes.size());
  for (const LockChange& change : pinning.changes)
    changes.push_back(finding_json(change, pinning.older, pinning.newer));
  json.add("differences", changes);
  json.add("failures", pinning.failures);
  json.add("notes", pinning.notes);
  output.results << json.text() << '\n';
}

/// Why the lock file could not be written; empty after success.
std::string write_lock(const Pinning& pinning, const PinOptions& options) {
  if (pinning.text.size() > limits::lock_bytes_max) {
    return fmt::format("{} would be larger than a lock file may be: nothing was written",
                       pinning.file.string());
  }
  // An unreadable lock file would stop every gateway.
  Problems problems;
  const Position where{.file = problems.add_file(pinning.file.string())};
  parse_lock_file(pinning.text, pinning.file.string(), where, problems);
  if (const auto found = problems.sorted(); !found.empty()) {
    return fmt::format("the new file could not be read again, so nothing was written: {}",
                       printable(found.front().message));
  }
  const std::error_code error =
      replace_file(pinning.file, pinning.before, pinning.text, options.config);
  if (!error) return {};
  if (error == std::errc::operation_canceled) {
    return fmt::format("{} was changed meanwhile: nothing was written; run this again",
                       pinning.file.string());
  }
  return fmt::format("{} cannot be written: {}", pinning.file.string(), error.message());
}

/// Whether writing is allowed: no change of an existing file, and no suspicious definition, goes
/// unseen.
bool may_write(const Pinning& pinning, const PinOptions& options) {
  if (pinning.is_about_nothing) return false;
  if (!options.accept.empty()) return options.accept == pinning.digest();
  return pinning.changes.empty() ||
         (!pinning.is_there && pinning.count(FindingSeverity::high) == 0);
}

/// Quotes an argument for a shell.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word)
    c == '\'' ? quoted.append("'\\''") : quoted.append(1, c);
  return quoted + "'";
}

/// The command that approves exactly the shown changes.
std::string accepting(const Pinning& pinning, const PinOptions& options) {
  std::string command = "bartizan pin " + shell_word(options.config);
  if (!options.server.empty()) command += " --server " + shell_word(options.server);
  if (options.tool != PinOptions().tool) command += " --tool " + shell_word(options.tool);
  return command + " --accept " + pinning.digest();
}

std::string what_to_do(const Pinning& pinning, const PinOptions& options) {
  if (!options.accept.empty()) {
    return fmt::format("the differences are not those of {}: look at them, and accept {}",
                       options.accept, pinning.digest());
  }
  return "nothing was written; to approve exactly this: " + accepting(pinning, options);
}

/// Writes the file if allowed. Returns the exit code.
int end(const Pinning& pinning, const PinOptions& options, const CommandOutput& output) {
  Became became = Became::unchanged;
  std::string problem;
  const bool is_same = pinning.is_there && pinning.changes.empty();
  const bool is_wanted = options.then == PinOptions::Then::write && !is_same;
  if (is_wanted && may_write(pinning, options)) {
    problem = write_lock(pinning, options);
    became = problem.empty() ? Became::written : Became::not_written;
  } else if (is_wanted) {
    became = Became::not_written;
    if (!pinning.is_about_nothing) problem = what_to_do(pinning, options);
  } else if (options.then == PinOptions::Then::diff && !pinning.changes.empty()) {
    output.problems << "to approve exactly this: " << accepting(pinning, options) << '\n';
  }
  if (output.format == OutputFormat::json) {
    write_json(pinning, became, output);
  } else {
    write_text(pinning, options, output);
    if (became == Became::written) output.results << "written\n";
    for (const std::string& note : pinning.notes)
      output.problems << "note: " << printable(note) << '\n';
  }
  for (const std::string& failure : pinning.failures)
    output.problems << "bartizan pin: " << printable(failure) << '\n';
  if (!problem.empty()) output.problems << "bartizan pin: " << problem << '\n';
  const bool differs =
      options.then == PinOptions::Then::check && (!pinning.is_there || !pinning.changes.empty());
  const bool is_well = pinning.failures.empty() && became != Became::not_written && !differs;
  return finish(output, is_well ? kExitDone : kExitFailed);
}

}  // namespace

int pin_tools(const PinOptions& options, const Launcher& launcher, const CommandOutput& output) {
  LoadedConfig loaded = load_config_to_pin(options.config);
  if (!loaded.usable()) {
    for (const ConfigProblem& problem : loaded.problems)
      output.problems << text(problem) << '\n';
    return finish(output, kExitUsage);
  }
  if (!options.server.empty() && !loaded.config.servers.contains(options.server)) {
    output.problems << fmt::format("bartizan pin: {} has no server \"{}\"\n", options.config,
                                   options.server);
    return finish(output, kExitUsage);
  }
  return end(PinTools(options, launcher, std::move(loaded.config)).run(), options, output);
}

}  // namespace bartizan
