#include "gateway/worker/report_unapproved_tools.h"

#include <array>
#include <string_view>

#include "gateway/runtime/log.h"
#include "gateway/worker/redact_text.h"
#include "policy/check/check_pin.h"

namespace bartizan {
namespace {

/// How somebody approves it: by a lock file, or where the command line is the configuration, there.
std::string_view hint_for(const Worker& worker, const ToolDefinition& tool,
                          std::string_view registration_flaw) {
  if (!registration_flaw.empty()) {
    return "bartizan registrations list CONFIG shows it, and approve takes it; "
           "docs/other-protocols.md";
  }
  // What may change each time nobody can approve.
  if (tool.standing != nullptr && !tool.standing->danger_beside.empty()) return "";
  return worker.snapshot->config.sources == nullptr
             ? "where it may be used all the same: bartizan wrap --approve NAME=FINGERPRINT"
             : "bartizan pin CONFIG shows it, and approves it with --accept; docs/pinning.md";
}

std::string tell_no_difference(const PinnedTool&, const ToolDefinition&) {
  return {};
}

/// Tells of names that somebody approved and the server does not have: mistyped, or taken away.
void tell_unlisted(Worker& worker, const std::string& server, const ServerList& list) {
  const auto& pins = worker.snapshot->config.pins.tools;
  const auto approved = pins.find(server);
  if (approved == pins.end()) return;
  std::size_t told = 0;
  std::size_t further = 0;
  for (const auto& [name, pin] : approved->second) {
    if (list.find(name) != nullptr) continue;
    if (told >= limits::quarantined_told_max) {
      ++further;
      continue;
    }
    if (!worker.gateway.seen_tools.is_unreported(server, name, "not listed")) continue;
    ++told;
    log(LogLevel::warning, "approved_but_not_listed",
        {{"server", server},
         {"name", name},
         {"detail",
          "somebody approved a tool of that name, and this list of the server has none"}});
  }
  if (further == 0) return;
  log(LogLevel::warning, "approved_but_not_listed",
      {{"server", server},
       {"detail",
        std::to_string(further) + " further names that somebody approved are not listed"}});
}

}  // namespace

void report_unapproved_tools(Worker& worker, const std::string& server, const ServerList& list) {
  tell_unlisted(worker, server, list);
  const ToolProfiles& profiles = worker.snapshot->policy->profiles();
  std::size_t told = 0;
  for (const ListedEntry& entry : list.entries) {
    if (entry.tool == nullptr || keeps_pin(profiles, server, *entry.tool)) continue;
    // What is beyond that many is counted each time, and told once there is room.
    if (told >= limits::quarantined_told_max) {
      ++told;
      continue;
    }
    // Both definitions are read of the few that are told of only.
    const PinnedTool* pinned = profiles.find_pin(server, entry.name);
    const std::string news = pin_flaw(profiles, server, *entry.tool, tell_no_difference).what +
                             (pinned == nullptr ? std::string() : pinned->fingerprint);
    if (!worker.gateway.seen_tools.is_unreported(server, entry.name, news)) continue;
    ++told;
    const PinFlaw why = pin_flaw(profiles, server, *entry.tool,
                                 [&worker](const PinnedTool& its_pin, const ToolDefinition& tool) {
                                   return worker.pin_differences.find(its_pin, tool);
                                 });
    worker.loop.metrics().add(Metric::tools_unusable,
                              std::array<std::string_view, 2>{server, "not_approved"});
    // The log holds no secrets, and what the server wrote may be one.
    const bool is_suspect = worker.catalogue.is_suspect(entry);
    log(LogLevel::warning, "quarantined",
        {{"server", server},
         {"name", redact_line(worker, server, shown_name(entry))},
         {"detail", is_suspect ? why.what : why.text()},
         {"hint", std::string(hint_for(worker, *entry.tool,
                                       profiles.registration_flaw(server, entry.name)))}});
  }
  if (told <= limits::quarantined_told_max) return;
  log(LogLevel::warning, "quarantined",
      {{"server", server},
       {"detail", std::to_string(told - limits::quarantined_told_max) +
                      " further tools are not what was approved"}});
}

void report_unapproved_tools(Worker& worker) {
  for (const auto& [server, list] : worker.catalogue.newest(ListKind::tools))
    report_unapproved_tools(worker, server, *list);
}

}  // namespace bartizan
