#include "gateway/command/ask_servers.h"

#include <atomic>
#include <chrono>
#include <utility>

#include "gateway/catalogue/catalogue.h"
#include "gateway/catalogue/quarantine.h"
#include "gateway/catalogue/schema_cache.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/server_definition.h"
#include "gateway/upstream/upstream_set.h"
#include "gateway/worker/worker.h"
#include "policy/definition/diff_definitions.h"
#include "policy/redact/redaction_mark.h"
#include "policy/redact/redactor.h"
#include "policy/sanitise/sanitiser.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// The caller of instances per principal or session.
constexpr std::string_view kAsker = "check";
constexpr std::chrono::milliseconds kLookAgain{50};

Task<Result<void>> record_nothing(const InstanceKey&, std::string) {
  co_return Result<void>();
}

std::vector<std::string> names_in(const ServerList* list) {
  std::vector<std::string> names;
  if (list == nullptr) return names;
  for (const ListedEntry& entry : list->entries)
    names.push_back(entry.name);
  return names;
}

AskedServer read_lists(const ToolProfiles& profiles, const std::string& server,
                       const ServerList& tools, const ServerList* prompts) {
  AskedServer asked{.is_known = true,
                    .failure = {},
                    .callable = 0,
                    .tools = names_in(&tools),
                    .prompts = names_in(prompts),
                    .quarantined = {},
                    .no_tools = {},
                    .definitions = {}};
  for (const ListedEntry& entry : tools.entries) {
    const std::string why =
        quarantine_reason(profiles, server, entry,
                          [](const PinnedTool& pinned, const ToolDefinition& tool) {
                            return difference_text(pinned.definition, tool.raw);
                          })
            .text();
    if (!why.empty()) {
      asked.quarantined.emplace(shown_name(entry), why);
    } else {
      ++asked.callable;
    }
    if (entry.quarantined) {
      asked.no_tools.insert(shown_name(entry));
    } else if (entry.tool != nullptr) {
      asked.definitions.push_back(entry.tool);
    }
  }
  return asked;
}

class Asking {
 public:
  Asking(const Config& config, ServerDefinitions servers, MemoryBudget& memory,
         const Launcher& launcher, std::shared_ptr<const ScanDatabase> database)
      : profiles_(config, {}),
        redactions_(config, database),
        sanitisings_(config),
        redactor_(std::move(database), HashSeed()),
        servers_(std::move(servers)),
        memory_(memory),
        launcher_(launcher) {
    upstreams_.serve({.definitions = servers_, .revision = 1, .others_end = {}});
    upstreams_.set_peers({&upstreams_});
  }

  std::map<std::string, AskedServer> run() {
    for (const auto& [name, definition] : servers_)
      spawn(loop_, ask(definition, asked_[name]));
    spawn(loop_, end());
    loop_.run();
    return std::move(asked_);
  }

 private:
  UpstreamEvents events() {
    UpstreamEvents events;
    events.message = [](const InstanceKey&, ReceivedMessage) {};
    events.overflow = [](const InstanceKey&, ReceivedMessage) {};
    events.state = [](const InstanceKey&, std::string_view) {};
    events.record_gateway_message = record_nothing;
    events.dropped = [](const InstanceKey&, std::string_view) {};
    events.said = [this](const InstanceKey& key, std::string_view line) {
      const RedactionScope scope{
          .carrier = Carrier::records, .server = key.server, .now = seconds_now()};
      std::string seen(line);
      if (const std::optional<Sanitising> wanted = sanitisings_.find(scope)) {
        Sanitisation sanitised = sanitise(*wanted, line);
        if (sanitised.is_withheld) return void(last_lines_.erase(key.server));
        if (sanitised.left.has_value()) seen = std::move(*sanitised.left);
      }
      const Redaction redaction = redactor_.redact(redactions_, scope, seen);
      if (redaction.is_withheld) return void(last_lines_.erase(key.server));
      std::string left;
      append_redacted(left, seen, redaction.edits);
      log_server_line(key.server, left);
      if (!left.empty()) last_lines_[key.server] = std::move(left);
    };
    events.children = &children_;
    return events;
  }

  /// Lists in the era that most servers support, then in the other. If a server introduced itself,
  /// the error after that is more useful than its refusal of the other era.
  Task<void> ask(ServerDefinitionPtr server, AskedServer& asked) {
    std::vector<std::string> eras;
    for (const Era era : {Era::legacy, Era::modern}) {
      const UpstreamHandle upstream =
          upstreams_.handle(server, {.principal = kAsker, .session = kAsker, .era = era});
      const std::shared_ptr<Upstream> instance = upstreams_.find_or_make(upstream.key(), server);
      if (instance == nullptr) {
        if (asked.failure.empty()) asked.failure = "it was not asked in time";
        break;
      }
      const Result<ServerHandshake> introduction = co_await instance->introduction();
      if (!introduction.has_value()) {
        if (asked.failure.empty() && !asked.is_known) asked.failure = introduction.error().detail;
        continue;
      }
      const bool was_introduced = !eras.empty();
      eras.emplace_back(era == Era::legacy ? "legacy" : "modern");
      if (asked.is_known) continue;
      Result<ServerListPtr> tools = co_await catalogue_.get(upstream, ListKind::tools);
      if (!tools.has_value()) {
        if (!was_introduced) asked.failure = tools.error().detail;
        continue;
      }
      const Result<ServerListPtr> prompts = co_await catalogue_.get(upstream, ListKind::prompts);
      asked = read_lists(profiles_, server->config.name, **tools, prompts.value_or(nullptr).get());
    }
    asked.eras = std::move(eras);
    const auto last = last_lines_.find(server->config.name);
    if (!asked.failure.empty() && last != last_lines_.end()) {
      constexpr std::size_t shown_max = 200;
      // The text may be shown on a terminal.
      asked.failure += "; the last line of its standard error: " +
                       json_string_inside(marked_head(last->second, shown_max));
    }
    if (++answered_ == servers_.size()) all_answered_.notify();
  }

  /// Ends the servers after all have answered. Waits for children, so that none is left running.
  Task<void> end() {
    // Each era needs an introduction and a list.
    const auto two_eras = 4 * limits::server_start_deadline;
    if (!servers_.empty()) co_await all_answered_.wait(two_eras);
    upstreams_.stop();
    const Clock::time_point last = steady_now() + 2 * limits::server_stop_grace + kLookAgain;
    Signal never(loop_);
    while (children_ > 0 && steady_now() < last)
      co_await never.wait(kLookAgain);
    loop_.stop();
  }

  const ToolProfiles profiles_;
  const RedactionRules redactions_;
  const SanitisingRules sanitisings_;
  Redactor redactor_;
  ServerDefinitions servers_;
  std::map<std::string, AskedServer> asked_;
  std::map<std::string, std::string> last_lines_;  ///< Of their standard error, redacted.
  std::atomic<std::uint32_t> children_ = 0;
  MemoryBudget& memory_;
  const Launcher& launcher_;
  SchemaCache schemas_{memory_};
  SeenTools seen_{memory_};
  std::size_t answered_ = 0;
  Loop loop_{0};
  Signal all_answered_{loop_};
  UpstreamSet upstreams_{loop_, memory_, launcher_, events()};
  // Nobody sees these lists, so they are neither searched for secrets nor recorded.
  Catalogue catalogue_{loop_,
                       memory_,
                       schemas_,
                       seen_,
                       [](JsonValue) { return false; },
                       record_nothing,
                       [](const std::string&, ListKind, const ServerList&) {}};
};

}  // namespace

Result<std::map<std::string, AskedServer>> ask_servers(const Config& config, MemoryBudget& memory,
                                                       const Launcher& launcher) {
  Result<ServerDefinitions> servers = define_servers(config, nullptr, 1);
  if (!servers.has_value()) return std::unexpected(servers.error());
  Result<std::shared_ptr<const ScanDatabase>> database = compile_scan_database(config);
  if (!database.has_value()) return std::unexpected(database.error());
  return Asking(config, std::move(*servers), memory, launcher, std::move(*database)).run();
}

}  // namespace bartizan
