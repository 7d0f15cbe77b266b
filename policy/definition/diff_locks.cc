#include "policy/definition/diff_locks.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "policy/definition/definition_secrets.h"
#include "policy/definition/diff_definitions.h"
#include "policy/definition/scan_definition.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

using enum FindingSeverity;

/// The value of a name, or an empty one.
template <class Map>
typename Map::mapped_type part_of(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}

template <class Map>
void add_names(std::set<std::string>& names, const Map& map) {
  for (const auto& [name, value] : map)
    names.insert(name);
}

class LockDiff {
 public:
  LockDiff(const LockFile& older, const LockFile& newer) : older_(older), newer_(newer) {}

  std::vector<LockChange> run() {
    std::set<std::string> servers;
    for (const LockFile* lock : {&older_, &newer_}) {
      add_names(servers, lock->tools);
      add_names(servers, lock->executables);
      add_names(servers, lock->identities);
    }
    for (const std::string& server : servers) {
      server_ = server;
      compare_identities(part_of(older_.identities, server), part_of(newer_.identities, server));
      compare_files(part_of(older_.executables, server), part_of(newer_.executables, server),
                    "/executables");
      compare_tools(part_of(older_.tools, server), part_of(newer_.tools, server));
    }
    return std::move(changes_);
  }

 private:
  void add(FindingSeverity severity, std::string tool, std::string pointer, std::string what) {
    changes_.push_back({severity, server_, std::move(tool), std::move(pointer), std::move(what)});
  }

  /// A value that a server did not have before is not a change of the server.
  void compare_text(FindingSeverity severity, const std::string& pointer, const std::string& was,
                    const std::string& is) {
    if (was == is) return;
    if (was.empty()) return add(low, "", pointer, "is new");
    add(severity, "", pointer, is.empty() ? "is gone" : "is another");
  }

  void compare_identities(const ServerIdentity& was, const ServerIdentity& is) {
    compare_text(medium, "/identity/program", was.program, is.program);
    // With a known program, its arguments were recorded, too, even if there were none.
    if (was.arguments != is.arguments) {
      const bool is_known = !was.program.empty();
      add(is_known ? medium : low, "", "/identity/arguments", is_known ? "are others" : "is new");
    }
    compare_files({was.files.begin(), was.files.end()}, {is.files.begin(), is.files.end()},
                  "/identity/files");
    compare_text(high, "/identity/package/name", was.package, is.package);
    compare_text(medium, "/identity/package/version", was.version, is.version);
    // No publisher releases the same version with other contents.
    const bool is_republished = was.package == is.package && was.version == is.version;
    compare_text(is_republished ? high : medium, "/identity/package/integrity", was.integrity,
                 is.integrity);
    compare_text(high, "/identity/image", was.image, is.image);
    compare_text(high, "/identity/origin", was.origin, is.origin);
    compare_text(medium, "/identity/target", was.target, is.target);
    compare_text(high, "/identity/certificate_key", was.certificate_key, is.certificate_key);
  }

  void compare_files(const PinnedFiles& was, const PinnedFiles& is, const std::string& pointer) {
    for (const auto& [path, digest] : is) {
      const auto before = was.find(path);
      if (before == was.end()) {
        add(was.empty() ? low : medium, "", pointer_below(pointer, path), "is new");
      } else if (before->second != digest) {
        add(high, "", pointer_below(pointer, path), "is another file");
      }
    }
    for (const auto& [path, digest] : was) {
      if (!is.contains(path)) add(medium, "", pointer_below(pointer, path), "is gone");
    }
  }

  void compare_tools(const PinnedServer& was, const PinnedServer& is) {
    std::size_t old_versions = 0;
    for (const auto& [name, tool] : is) {
      const auto before = was.find(name);
      if (before == was.end()) {
        add_new(name, tool);
        continue;
      }
      if (differs(before->second, tool)) add_changes(name, before->second, tool);
      old_versions += before->second.version != tool.version ? 1 : 0;
      if (!before->second.is_approved && tool.is_approved) {
        add(low, name, "", "is approved by a person");
      }
    }
    for (const auto& [name, tool] : was) {
      if (!is.contains(name)) add(low, name, "", "is gone");
    }
    // Without old versions, only changed pins are a reason to write the file.
    if (old_versions == 0) return;
    add(low, "", "",
        "pins all that its tools are; version 1 of the lock file pinned name, title, description, "
        "schemas and annotations alone: of tools, " +
            std::to_string(old_versions));
  }

  /// Fingerprints of two versions cannot be compared.
  static bool differs(const PinnedTool& was, const PinnedTool& is) {
    if (was.version == is.version) return was.fingerprint != is.fingerprint;
    return canonical(was.definition) != canonical(is.definition);
  }

  static std::string canonical(const std::string& definition) {
    const Bytes bytes{std::string_view(definition)};
    JsonDocument document;
    const Result<JsonValue> entry = document.read(bytes, kResponseLimits);
    return entry.has_value() ? fingerprinted_text(*entry) : definition;
  }

  void add_new(const std::string& name, const PinnedTool& tool) {
    const Bytes bytes{std::string_view(tool.definition)};
    JsonDocument document;
    const Result<JsonValue> entry = document.read(bytes, kResponseLimits);
    const std::vector<ScanFinding> findings =
        entry.has_value() ? dangers_in(*entry) : std::vector<ScanFinding>();
    if (findings.empty()) return add(medium, name, "", "is new");
    add(high, name, "", "is new, and " + sentence(findings[0]) + " at " + findings[0].pointer);
    for (const ScanFinding& danger : std::span(findings).subspan(1))
      add(high, name, danger.pointer, sentence(danger));
  }

  void add_changes(const std::string& name, const PinnedTool& was, const PinnedTool& is) {
    const Bytes older{std::string_view(was.definition)};
    const Bytes newer{std::string_view(is.definition)};
    JsonDocument first;
    JsonDocument second;
    const Result<JsonValue> before = first.read(older, kResponseLimits);
    const Result<JsonValue> after = second.read(newer, kResponseLimits);
    std::vector<DefinitionChange> changes;
    if (before.has_value() && after.has_value()) changes = diff_definitions(*before, *after);
    if (changes.empty()) return add(high, name, "", "is another definition");
    const std::vector<ScanFinding> former = dangers_in(*before);
    for (const ScanFinding& danger : dangers_in(*after))
      add_danger(changes, danger, former);
    for (DefinitionChange& change : changes)
      add(change.severity, name, std::move(change.pointer), std::move(change.what));
  }

  /// The findings of a scan in a definition, with its secrets.
  static std::vector<ScanFinding> dangers_in(JsonValue entry) {
    std::vector<ScanFinding> dangers = scan_definition(entry);
    for (ScanFinding& secret : find_held_secrets(entry))
      dangers.push_back(std::move(secret));
    std::erase_if(dangers, [](const ScanFinding& one) { return one.severity != high; });
    return dangers;
  }

  /// A finding that the older definition did not have raises the severity of the change at its
  /// place.
  static void add_danger(std::vector<DefinitionChange>& changes, const ScanFinding& danger,
                         const std::vector<ScanFinding>& before) {
    if (std::ranges::find(before, danger) != before.end()) return;
    const auto same = std::ranges::find(changes, danger.pointer, &DefinitionChange::pointer);
    if (same == changes.end()) {
      changes.push_back({high, danger.pointer, danger.what});
    } else if (same->severity != high) {
      same->severity = high;
      same->what += ", and " + danger.what;
    }
  }

  const LockFile& older_;
  const LockFile& newer_;
  std::string server_;
  std::vector<LockChange> changes_;
};

}  // namespace

std::vector<LockChange> diff_locks(const LockFile& older, const LockFile& newer) {
  return LockDiff(older, newer).run();
}

}  // namespace bartizan
