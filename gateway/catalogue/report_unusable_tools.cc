#include "gateway/catalogue/report_unusable_tools.h"

#include <array>
#include <utility>
#include <vector>

#include "gateway/catalogue/quarantine.h"
#include "gateway/runtime/log.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The most unusable entries of one list that are logged individually.
constexpr std::size_t kTold = limits::quarantined_told_max;

bool is_quarantined_alike(const ServerList* list, const ListedEntry& entry) {
  const ListedEntry* other = list == nullptr ? nullptr : list->find(entry.name);
  return other != nullptr && other->quarantined && other->flaw == entry.flaw;
}

/// Logs how many more there are.
void tell_further(const std::string& server, std::size_t found, std::string_view what) {
  if (found <= kTold) return;
  log(LogLevel::warning, "quarantined",
      {{"server", server}, {"detail", std::to_string(found - kTold) + std::string(what)}});
}

/// A tool's name if it is valid. For other kinds, whose names are URIs, its beginning.
std::string told_name(ListKind kind, const ListedEntry& entry) {
  // The log contains no secrets, and this may be one.
  if (entry.is_suspect) return "(not shown)";
  if (kind == ListKind::tools) return shown_name(entry);
  return std::string(utf8_head(entry.name, limits::exposed_name_bytes_max));
}

void tell_entries(Loop& loop, const std::string& server, ListKind kind, const ServerList& list,
                  const ServerList* before) {
  std::size_t told = 0;
  for (const std::size_t place : list.flawed) {
    const ListedEntry& entry = list.entries[place];
    if (!entry.quarantined || is_quarantined_alike(before, entry)) continue;
    if (kind == ListKind::tools) {
      loop.metrics().add(Metric::tools_unusable,
                         std::array<std::string_view, 2>{server, "not_a_tool"});
    }
    if (++told > kTold) continue;
    log(LogLevel::warning, "quarantined",
        {{"server", server},
         {"name", told_name(kind, entry)},
         {"detail", entry.is_suspect ? std::string() : entry.flaw}});
  }
  tell_further(server, told, " further entries cannot be used");
}

/// A log message about the schemas of one tool.
struct SchemaTale {
  std::string_view event;
  std::string detail;
  std::string_view hint = {};
  LogLevel level = LogLevel::warning;
};

std::vector<SchemaTale> tales_of(const ToolSchemas& schemas) {
  constexpr std::string_view kAccept =
      "untranslatable_patterns = \"accept\" takes it without the pattern";
  std::vector<SchemaTale> tales;
  if (std::string flaw = schemas.flaw(); !flaw.empty()) {
    // Policy decides whether it is quarantined; it may accept the tool without the pattern.
    const bool is_reducible = schemas.is_usable(SchemaOptions::Untranslatable::leave_out);
    tales.push_back({is_reducible ? "pattern not translatable" : "quarantined", std::move(flaw),
                     is_reducible ? kAccept : ""});
  }
  if (std::string flaw = schemas.output_flaw(); !flaw.empty()) {
    tales.push_back({"output schema cannot be used", std::move(flaw),
                     "clients are not listed it, and structured content is withheld; "
                     "[server.NAME] output_schema = \"warn\" lets it pass"});
  }
  for (std::string& note : schemas.notes())
    tales.push_back({"schema of an earlier draft", std::move(note), "", LogLevel::info});
  return tales;
}

void tell_schemas(Loop& loop, const std::string& server, const ServerList& list) {
  std::size_t told = 0;
  for (const std::size_t place : list.newly_flawed) {
    const ListedEntry& entry = list.entries[place];
    const ToolSchemas& schemas = *entry.tool->schemas;
    if (const SchemaError* flaw = schemas.input.flaw()) {
      loop.metrics().add(Metric::tools_unusable,
                         std::array<std::string_view, 2>{server, text(flaw->flaw)});
    }
    if (++told > kTold) continue;
    for (const SchemaTale& tale : tales_of(schemas)) {
      log(tale.level, tale.event,
          {{"server", server},
           {"name", told_name(ListKind::tools, entry)},
           {"detail", entry.is_suspect ? std::string() : tale.detail},
           {"hint", std::string(tale.hint)}});
    }
  }
  tell_further(server, told, " further tools have flaws");
}

bool was_repeated(const ServerList* list, std::string_view name) {
  if (list == nullptr) return false;
  const auto found = list->by_name.find(name);
  return found != list->by_name.end() && list->repeated.contains(found->second);
}

/// Logs oddities of a whole list that do not make it unusable.
void tell_oddities(const std::string& server, ListKind kind, const ServerList& list,
                   const ServerList* before) {
  std::size_t told = 0;
  for (const std::size_t place : list.repeated) {
    const ListedEntry& entry = list.entries[place];
    if (was_repeated(before, entry.name) || ++told > kTold) continue;
    log(LogLevel::warning, "listed twice",
        {{"server", server},
         {"name", told_name(kind, entry)},
         {"detail", "the first entry of that name stands"}});
  }
  if (list.is_circular && (before == nullptr || !before->is_circular)) {
    log(LogLevel::warning, "list goes in a circle",
        {{"server", server},
         {"list", std::string(list_method(kind))},
         {"detail", "the server gave out a cursor twice; its list is what it had until then"}});
  }
}

}  // namespace

void report_unusable_tools(Loop& loop, const std::string& server, ListKind kind,
                           const ServerList& list, const ServerList* before) {
  tell_entries(loop, server, kind, list, before);
  tell_schemas(loop, server, list);
  tell_oddities(server, kind, list, before);
}

}  // namespace bartizan
