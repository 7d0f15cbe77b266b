#include "gateway/catalogue/seen_tools.h"

#include <algorithm>
#include <utility>

#include "policy/definition/diff_definitions.h"
#include "policy/definition/scan_definition.h"
#include "policy/definition/scan_servers.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kPointerBytes = 120;
/// A larger definition is not kept; then only the fact of a difference is known.
constexpr std::size_t kTextBytesMax = std::size_t{64} << 10;
/// Overhead of a map's node, a string and a count.
constexpr std::size_t kEntryBytes = 256;

SeenTools::Standing beyond_bounds() {
  static const auto kBeyond = std::make_shared<const ToolStanding>(
      ToolStanding{.kind = ToolStanding::Kind::changed,
                   .difference = "the server listed more tools than the gateway remembers: pin its "
                                 "tools, or restart the gateway"});
  return kBeyond;
}

SeenTools::Standing of_another_program() {
  static const auto kGone = std::make_shared<const ToolStanding>(
      ToolStanding{.kind = ToolStanding::Kind::changed,
                   .difference = "its server's configuration has changed since"});
  return kGone;
}

std::size_t bytes_of(const ToolStanding& standing) {
  std::size_t bytes = 2 * kEntryBytes + standing.difference.size() + standing.danger.size() +
                      standing.danger_at.size() + standing.danger_beyond_v1.size() +
                      standing.look.size();
  for (const std::string& word : standing.directed)
    bytes += word.size() + sizeof(std::string);
  return bytes;
}

bool is_taken(const ToolStanding& standing) {
  return standing.kind == ToolStanding::Kind::first || standing.released_over.has_value();
}

}  // namespace

bool SeenTools::is_present(const SeenServer& server) const {
  if (!present_.has_value()) return true;
  const auto found = present_->find(server.name);
  return found != present_->end() && found->second == server.program;
}

SeenTools::Server& SeenTools::server_of(const SeenServer& server) {
  auto named = servers_.find(server.name);
  if (named == servers_.end()) named = servers_.try_emplace(std::string(server.name)).first;
  auto found = named->second.find(server.program);
  if (found == named->second.end())
    found = named->second.try_emplace(std::string(server.program)).first;
  return found->second;
}

SeenTools::Known SeenTools::find_known(const Server& server, const ToolDefinition& tool) {
  const auto seen = server.tools.find(tool.name);
  if (seen == server.tools.end()) {
    const bool has_room = server.tools.size() < limits::catalogue_entries_max;
    return {.standing = has_room ? nullptr : beyond_bounds(), .is_first = true, .first = nullptr};
  }
  const std::vector<Version>& versions = seen->second.versions;
  const auto version = std::ranges::find(versions, tool.fingerprint, &Version::fingerprint);
  return {.standing = version == versions.end() ? nullptr : version->standing,
          .is_first = false,
          .first = seen->second.first};
}

ToolStanding SeenTools::read(const SeenServer& server, const ToolDefinition& tool,
                             JsonValue entry) const {
  ToolStanding standing;
  const auto findings =
      scan_definition(entry, DefinitionPart::fingerprinted, server.volatile_members);
  if (const ScanFinding* danger = first_danger(findings)) {
    standing.danger = sentence(*danger);
    standing.danger_at = utf8_head(danger->pointer, kPointerBytes);
  }
  const auto beyond = scan_definition(entry, DefinitionPart::beyond_v1, server.volatile_members);
  if (const ScanFinding* danger = first_danger(beyond)) {
    standing.danger_beyond_v1 = sentence(*danger);
  }
  standing.look = looks_.skeleton(tool.name);
  for (ToolMention& mention : find_mentions(entry)) {
    if (mention.severity == FindingSeverity::high)
      standing.directed.push_back(std::move(mention.word));
  }
  return standing;
}

SeenTools::Standing SeenTools::take(const SeenServer& server, const ToolDefinition& tool,
                                    JsonValue entry) {
  Standing standing = take_fingerprinted(server, tool, entry);
  // The part outside the fingerprint may differ each time, so it is searched each time.
  const auto findings = scan_definition(entry, DefinitionPart::beside, server.volatile_members);
  const ScanFinding* danger = first_danger(findings);
  if (standing == nullptr || danger == nullptr) return standing;
  ToolStanding warned = *standing;
  warned.danger_beside = sentence(*danger);
  return std::make_shared<const ToolStanding>(std::move(warned));
}

SeenTools::Standing SeenTools::take_fingerprinted(const SeenServer& server,
                                                  const ToolDefinition& tool, JsonValue entry) {
  std::optional<ToolStanding> standing;
  Known compared;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_present(server)) return of_another_program();
      Server& of = server_of(server);
      const Known known = find_known(of, tool);
      if (known.standing != nullptr) return known.standing;
      // Another thread may have been the first meanwhile.
      if (standing.has_value() && known == compared) {
        return keep(of, tool, entry, std::make_shared<const ToolStanding>(*std::move(standing)));
      }
      compared = known;
    }
    // Without the lock: others must not wait while a long text is read.
    if (!standing.has_value()) standing = read(server, tool, entry);
    if (compared.is_first) continue;
    standing->kind = ToolStanding::Kind::changed;
    standing->difference = compared.first == nullptr ? "the whole definition"
                                                     : difference_text(*compared.first, entry.raw(),
                                                                       server.volatile_members);
  }
}

bool SeenTools::make_room(Server& server, std::size_t bytes) {
  if (!hold(memory_, server.memory, server.bytes + bytes)) return false;
  server.bytes += bytes;
  return true;
}

void SeenTools::keep_text(Server& server, Seen& seen, std::string_view raw) {
  const bool has_room =
      raw.size() <= kTextBytesMax && server.bytes + raw.size() <= limits::seen_bytes_max;
  if (has_room && make_room(server, raw.size()))
    seen.first = std::make_shared<const std::string>(raw);
}

void SeenTools::forget_oldest(Server& server, Seen& seen, std::string_view name) {
  if (seen.versions.size() < limits::tool_versions_max) return;
  const auto oldest = std::ranges::find_if(
      seen.versions, [](const Version& version) { return !is_taken(*version.standing); });
  // INVARIANT: fewer versions are accepted than kept, so one is found.
  server.bytes -=
      bytes_of(*oldest->standing) + oldest->fingerprint.size() + name.size() + kEntryBytes;
  seen.versions.erase(oldest);
}

SeenTools::Standing SeenTools::keep(Server& server, const ToolDefinition& tool, JsonValue entry,
                                    Standing standing) {
  const std::size_t bytes =
      bytes_of(*standing) + tool.fingerprint.size() + tool.name.size() + kEntryBytes;
  if (const auto known = server.tools.find(tool.name); known != server.tools.end()) {
    forget_oldest(server, known->second, tool.name);
  }
  if (server.bytes + bytes > limits::seen_bytes_max) return beyond_bounds();
  if (!make_room(server, bytes)) return nullptr;
  const auto [found, is_new] = server.tools.try_emplace(tool.name);
  Seen& seen = found->second;
  if (is_new) keep_text(server, seen, entry.raw());
  seen.versions.push_back({tool.fingerprint, standing});
  return standing;
}

std::vector<SeenTools::Version*> SeenTools::versions_of(std::string_view server,
                                                        std::string_view tool,
                                                        std::string_view fingerprint) {
  std::vector<Version*> found;
  const auto named = servers_.find(server);
  if (named == servers_.end()) return found;
  for (auto& [program, of] : named->second) {
    const auto seen = of.tools.find(tool);
    if (seen == of.tools.end()) continue;
    std::vector<Version>& versions = seen->second.versions;
    const auto version = std::ranges::find(versions, fingerprint, &Version::fingerprint);
    if (version == versions.end()) continue;
    found.push_back(&*version);
  }
  return found;
}

/// Ends the releases that were made under another lock file.
void SeenTools::end_void_releases(std::string_view server, std::string_view tool,
                                  const std::string& pinned) {
  const auto named = servers_.find(server);
  if (named == servers_.end()) return;
  for (auto& [program, of] : named->second) {
    const auto seen = of.tools.find(tool);
    if (seen == of.tools.end()) continue;
    for (Version& version : seen->second.versions) {
      if (version.standing->released_over.value_or(pinned) == pinned) continue;
      ToolStanding ended = *version.standing;
      ended.released_over.reset();
      version.standing = std::make_shared<const ToolStanding>(std::move(ended));
    }
  }
}

SeenTools::Released SeenTools::find_locked(std::string_view server, std::string_view tool,
                                           std::string_view fingerprint) {
  const auto named = servers_.find(server);
  if (named == servers_.end()) return Released::unknown_tool;
  auto answer = Released::unknown_tool;
  for (const auto& [program, of] : named->second) {
    const auto seen = of.tools.find(tool);
    if (seen == of.tools.end()) continue;
    const std::vector<Version>& versions = seen->second.versions;
    const auto version = std::ranges::find(versions, fingerprint, &Version::fingerprint);
    if (version == versions.end()) {
      if (answer == Released::unknown_tool) answer = Released::unknown_fingerprint;
      continue;
    }
    const auto taken =
        std::ranges::count_if(versions, [](const Version& one) { return is_taken(*one.standing); });
    const bool is_full = !is_taken(*version->standing) &&
                         static_cast<std::size_t>(taken) >= limits::tool_versions_taken_max;
    if (is_full) return Released::too_many;
    answer = Released::done;
  }
  return answer;
}

SeenTools::Released SeenTools::find(std::string_view server, std::string_view tool,
                                    std::string_view fingerprint, const std::string& pinned) {
  const std::lock_guard lock(mutex_);
  end_void_releases(server, tool, pinned);
  return find_locked(server, tool, fingerprint);
}

SeenTools::Released SeenTools::release(std::string_view server, std::string_view tool,
                                       std::string_view fingerprint, const std::string& pinned) {
  const std::lock_guard lock(mutex_);
  end_void_releases(server, tool, pinned);
  const Released answer = find_locked(server, tool, fingerprint);
  if (answer != Released::done) return answer;
  for (Version* version : versions_of(server, tool, fingerprint)) {
    ToolStanding released = *version->standing;
    released.released_over = pinned;
    version->standing = std::make_shared<const ToolStanding>(std::move(released));
  }
  return Released::done;
}

bool SeenTools::is_unreported(std::string_view server, std::string_view tool,
                              std::string_view why) {
  const std::string all = std::string(tool) + ' ' + std::string(why);
  const std::lock_guard lock(mutex_);
  auto told = told_.find(server);
  if (told == told_.end()) told = told_.try_emplace(std::string(server)).first;
  if (told->second.size() >= limits::told_reasons_max) told->second.clear();
  return told->second.insert(std::hash<std::string>()(all)).second;
}

void SeenTools::keep_only(const ServerDefinitions& servers) {
  const std::lock_guard lock(mutex_);
  present_.emplace();
  for (const auto& [name, definition] : servers)
    present_->emplace(name, definition->program);
  std::erase_if(servers_, [&servers](const auto& named) { return !servers.contains(named.first); });
  std::erase_if(told_, [&servers](const auto& told) { return !servers.contains(told.first); });
  for (auto& [name, programs] : servers_) {
    const std::string& present = servers.find(name)->second->program;
    std::erase_if(programs, [&present](const auto& entry) { return entry.first != present; });
  }
}

}  // namespace bartizan
