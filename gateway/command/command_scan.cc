#include "gateway/command/command_scan.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "config/load/lock_file.h"
#include "config/parse_units.h"
#include "gateway/command/ask_servers.h"
#include "gateway/command/command_wrap.h"
#include "gateway/command/format_finding.h"
#include "gateway/runtime/log.h"
#include "policy/definition/scan_servers.h"
#include "schemas/json/json.h"

#include "policy/text/printable.h"

namespace bartizan {
namespace {

constexpr JsonLimits kScanLimits{.bytes_max = limits::response_bytes_max,
                                 .values_max = limits::response_values_max,
                                 .numbers = JsonLimits::Numbers::keep_as_text};

/// One definition, with its source text.
struct Definition {
  std::string server;
  std::unique_ptr<Bytes> bytes;
  JsonDocument document;
};

/// The approval values of a tool that a program lists.
struct ListedTool {
  std::string name;
  std::string fingerprint;
  bool says_read_only = false;
};

/// The definitions to scan, and their approvals.
struct Scanned {
  std::vector<Definition> definitions;
  PinnedTools approved;
  std::vector<ListedTool> listed;     ///< By a program started for this scan.
  std::vector<std::string> failures;  ///< Servers that did not list, and why.
  std::vector<std::string> notes;     ///< Omissions.
  std::string mistake;                ///< Why nothing can be scanned.

  void add(const std::string& server, std::string_view entry) {
    Definition definition{
        .server = server, .bytes = std::make_unique<Bytes>(std::string(entry)), .document = {}};
    const Result<JsonValue> read = definition.document.read(*definition.bytes, kScanLimits);
    if (read.has_value() && read->is(JsonType::object)) {
      definitions.push_back(std::move(definition));
    } else {
      failures.push_back(fmt::format("left out: an entry of {} is not a tool definition{}", server,
                                     read.has_value() ? "" : ", nor JSON that can be read"));
    }
  }
};

void add_pinned(Scanned& scanned, const PinnedTools& tools) {
  for (const auto& [server, of_server] : tools) {
    for (const auto& [name, tool] : of_server)
      scanned.add(server, tool.definition);
  }
}

/// A lock file; or a result of `tools/list`, with or without its envelope, or only its `tools`.
Scanned read_json(const ScanOptions& options, const std::string& text) {
  Scanned scanned;
  const Bytes bytes{std::string_view(text)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kScanLimits);
  if (!root.has_value()) {
    scanned.mistake = "is not JSON that can be read";
    return scanned;
  }
  if (root->find("servers") && root->find("version")) {
    Problems problems;
    const Position where{.file = problems.add_file(options.file)};
    add_pinned(scanned, parse_lock_file(text, options.file, where, problems).tools);
    for (const ConfigProblem& problem : problems.sorted())
      scanned.mistake += (scanned.mistake.empty() ? "" : "; ") + problem.message;
    return scanned;
  }
  const JsonValue result = root->find("result") ? root->find("result") : *root;
  const JsonValue tools = result.is(JsonType::array) ? result : result.find("tools");
  if (!tools.is(JsonType::array)) {
    scanned.mistake =
        "is neither a lock file nor a result of tools/list; a configuration's name ends in .toml";
    return scanned;
  }
  for (const JsonValue tool : tools)
    scanned.add(options.file, tool.raw());
  return scanned;
}

void ask_all(Scanned& scanned, const Config& config, const Launcher& launcher) {
  // Problems with servers' lists are reported in the results; log lines would mix with them.
  start_log(LogConfig::Level::error);
  MemoryBudget memory(config.process.memory_max);
  const auto asked = ask_servers(config, memory, launcher);
  if (!asked.has_value()) return scanned.failures.push_back(asked.error().detail);
  for (const auto& [name, server] : *asked) {
    if (!server.is_known) {
      scanned.failures.push_back(
          fmt::format("server \"{}\" did not list its tools: {}", name, server.failure));
    }
    for (const auto& definition : server.definitions) {
      if (!definition->raw.empty()) {
        scanned.add(name, definition->raw);
        scanned.listed.push_back(
            {definition->name, definition->fingerprint, definition->hints.read_only});
        continue;
      }
      scanned.failures.push_back(
          fmt::format("{}/{} cannot be scanned: {}", name, definition->name,
                      definition->schemas == nullptr ? "" : definition->schemas->flaw()));
    }
    for (const std::string& tool : server.no_tools) {
      const auto why = server.quarantined.find(tool);
      scanned.failures.push_back(fmt::format("{}/{} is not a tool: {}", name, tool,
                                             why == server.quarantined.end() ? "" : why->second));
    }
  }
}

Scanned read_config(const ScanOptions& options, const Launcher& launcher,
                    const CommandOutput& output) {
  Scanned scanned;
  const LoadedConfig loaded = load_config_to_pin(options.file);
  if (!loaded.usable()) {
    for (const ConfigProblem& problem : loaded.problems)
      output.problems << text(problem) << '\n';
    scanned.mistake = "cannot be used";
    return scanned;
  }
  scanned.approved = loaded.config.pins.tools;
  if (options.servers == ScanOptions::Servers::ask) {
    ask_all(scanned, loaded.config, launcher);
  } else if (!loaded.config.sources->lock.has_value()) {
    scanned.mistake = "names no existing lock file; `bartizan pin` writes one";
  } else {
    add_pinned(scanned, loaded.config.pins.tools);
  }
  return scanned;
}

/// The lists of one server, started as by `wrap`.
Scanned read_program(const WrapOptions& program, const Launcher& launcher) {
  Scanned scanned;
  const Result<Config> config = wrap_config_here(program);
  if (config.has_value()) {
    ask_all(scanned, *config, launcher);
  } else {
    scanned.mistake = "cannot be started: " + config.error().detail;
  }
  return scanned;
}

Scanned read(const ScanOptions& options, const Launcher& launcher, const CommandOutput& output) {
  if (options.program.has_value()) return read_program(*options.program, launcher);
  if (options.file.ends_with(".toml")) return read_config(options, launcher, output);
  std::ifstream file(options.file, std::ios::binary);
  if (!file) {
    Scanned scanned;
    scanned.mistake = "cannot be read";
    return scanned;
  }
  std::string text;
  text.assign(std::istreambuf_iterator<char>(file), {});
  return read_json(options, text);
}

std::size_t count(const std::vector<LocatedFinding>& findings, FindingSeverity severity) {
  return static_cast<std::size_t>(std::ranges::count_if(
      findings,
      [severity](const LocatedFinding& found) { return found.finding.severity == severity; }));
}

void write_text(const Scanned& scanned, const std::vector<LocatedFinding>& findings,
                const CommandOutput& output) {
  for (const LocatedFinding& found : findings)
    output.results << format_finding(found) << '\n';
  output.results << fmt::format(
      "{} scanned: {} high, {} medium, {} low\n", format_count(scanned.definitions.size(), "tool"),
      count(findings, FindingSeverity::high), count(findings, FindingSeverity::medium),
      count(findings, FindingSeverity::low));
}

/// The options that approve the tools with the read-only hint. A person must read the tools first.
void write_approvals(const Scanned& scanned, const CommandOutput& output) {
  std::string options;
  std::size_t number = 0;
  for (const ListedTool& tool : scanned.listed) {
    if (!tool.says_read_only) continue;
    options += fmt::format("  --approve {}={}\n", printable(tool.name), tool.fingerprint);
    ++number;
  }
  if (number == 0) return;
  output.results << fmt::format(
      "{} {} to be read-only. Read the definitions first. These options of `bartizan wrap` then\n"
      "approve them, and --read-only permits no other tool:\n{}",
      format_count(number, "tool"), number == 1 ? "claims" : "claim", options);
}

void write_json(const Scanned& scanned, const std::vector<LocatedFinding>& findings,
                const CommandOutput& output) {
  JsonObject json;
  json.add("tools", scanned.definitions.size());
  std::vector<JsonObject> all;
  all.reserve(findings.size());
  for (const LocatedFinding& found : findings)
    all.push_back(finding_json(found));
  json.add("findings", all);
  std::vector<JsonObject> listed;
  for (const ListedTool& tool : scanned.listed) {
    JsonObject& object = listed.emplace_back();
    object.add("tool", tool.name);
    object.add("fingerprint", tool.fingerprint);
    object.add_flag("says_read_only", tool.says_read_only);
  }
  if (!listed.empty()) json.add("listed", listed);
  json.add("failures", scanned.failures);
  json.add("notes", scanned.notes);
  output.results << json.text() << '\n';
}

}  // namespace

int scan_tools(const ScanOptions& options, const Launcher& launcher, const CommandOutput& output) {
  const Scanned scanned = read(options, launcher, output);
  if (!scanned.mistake.empty()) {
    output.problems << fmt::format("bartizan scan: {} {}\n", options.file, scanned.mistake);
    return finish(output, kExitUsage);
  }
  std::vector<ScannedTool> tools;
  tools.reserve(scanned.definitions.size());
  for (const Definition& definition : scanned.definitions)
    tools.push_back({definition.server, definition.document.root()});
  const std::vector<LocatedFinding> findings = scan_servers(tools, scanned.approved);
  for (const std::string& failure : scanned.failures)
    output.problems << "bartizan scan: " << printable(failure) << '\n';
  for (const std::string& note : scanned.notes)
    output.problems << "bartizan scan: " << printable(note) << '\n';
  if (options.report == ScanOptions::Report::sarif) {
    output.results << findings_sarif(findings, options.file) << '\n';
  } else if (output.format == OutputFormat::json) {
    write_json(scanned, findings, output);
  } else {
    write_text(scanned, findings, output);
    if (options.program.has_value()) write_approvals(scanned, output);
  }
  const bool fails = !scanned.failures.empty() ||
                     std::ranges::any_of(findings, [&options](const LocatedFinding& found) {
                       return found.finding.severity >= options.fails_from;
                     });
  return finish(output, fails ? kExitFailed : kExitDone);
}

}  // namespace bartizan
