#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/catalogue/directory.h"
#include "gateway/catalogue/schema_cache.h"
#include "gateway/catalogue/seen_tools.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/upstream_set.h"
#include "schemas/base/limits.h"
#include "schemas/message/skill_entry.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The kinds of lists that a server can have.
enum class ListKind : std::uint8_t { tools, prompts, resources, resource_templates, skills };

/// One entry of a list: the server's bytes, and where its name or URI lies in them.
struct ListedEntry {
  std::string name;  ///< Name, URI or URI template.
  std::string raw;
  ByteRange name_range;
  /// The definition of a readable tool; otherwise null.
  std::shared_ptr<const ToolDefinition> tool;
  std::shared_ptr<const SkillEntry> skill;  ///< The skill; null for other kinds.
  /// Unusable under any policy. Policy may quarantine further entries (`is_judgeable`).
  bool quarantined = false;
  std::string flaw;         ///< The reason for the quarantine, in the gateway's own words.
  bool is_suspect = false;  ///< A detector found something in the entry.
};

/// One complete list of one server, as one caller may see it. A shared list changes in one way
/// only: the standing of a tool when it is released.
struct ServerList {
  std::vector<ListedEntry> entries;
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::chrono::steady_clock::time_point fetched;
  std::chrono::milliseconds fresh_for{0};
  /// The entries that some or all callers cannot use, as places in `entries`.
  std::vector<std::size_t> flawed;
  /// The entries whose name was listed again, as places in `entries`, each once. The first entry of
  /// a name stands.
  std::set<std::size_t> repeated;
  /// The start of the server in which it listed all of this (`PendingCall::beginning`).
  std::uint64_t beginning = 0;
  /// The server returned a cursor twice. The list ends there.
  bool is_circular = false;
  /// The tools with log messages about schemas that were compiled for this list.
  std::vector<std::size_t> newly_flawed;
  std::size_t bytes = 0;           ///< Size of all entries.
  std::size_t compiled_bytes = 0;  ///< Size of their compiled schemas, which other lists may share.
  MemoryBudget::Reservation memory;  ///< Reserved for the entries.

  const ListedEntry* find(std::string_view name) const;
};
using ServerListPtr = std::shared_ptr<const ServerList>;

/// The lists of the servers. Each worker keeps one list for each instance, so one principal never
/// gets what another may see. A list is fetched as a whole when it is first needed. It is fetched
/// again after a `list_changed` notification and when it is stale.
///
/// Threads: its worker's.
/// Bounded: by configured servers × principals × `catalogue_entries_max`.
class Catalogue {
 public:
  /// Called with every list that was fetched.
  using Learned = std::function<void(const std::string& server, ListKind, const ServerList&)>;

  /// Whether an entry may contain a secret.
  using Suspects = std::function<bool(JsonValue entry)>;

  /// Commits the record of a request that the gateway makes itself.
  using RecordOwn = std::function<Task<Result<void>>(const InstanceKey&, std::string method)>;

  Catalogue(Loop& loop, MemoryBudget& memory, SchemaCache& schemas, SeenTools& seen,
            Suspects suspects, RecordOwn record_own, Learned learned)
      : loop_(loop),
        memory_(memory),
        schemas_(schemas),
        seen_(seen),
        suspects_(std::move(suspects)),
        record_own_(std::move(record_own)),
        learned_(std::move(learned)) {}

  /// How old a list from memory may be.
  enum class Freshness : std::uint8_t { usual, refetch_if_older_than_a_second };
  /// Returns the list, from memory or from the server. `wait` bounds the wait of this caller. The
  /// fetch goes on, since others may wait for it.
  ///
  /// Errors: those of the request to the server; timed_out after `wait`; overloaded without memory.
  /// A response that is not a list or is too long is invalid_request, fault server.
  Task<Result<ServerListPtr>> get(UpstreamHandle upstream, ListKind kind,
                                  Freshness freshness = Freshness::usual,
                                  std::chrono::milliseconds wait = limits::server_start_deadline);

  /// The list from memory; null if it must be fetched again. Lifetime: until the next suspension of
  /// the caller.
  const ServerList* fresh(const InstanceKey& instance, ListKind kind) const;
  /// The list as it was last fetched, at any age; null if it was never fetched.
  ServerListPtr known(const InstanceKey& instance, ListKind kind) const;
  /// All lists of that kind as they were last fetched, each with its server.
  std::vector<std::pair<std::string, ServerListPtr>> newest(ListKind kind) const;
  /// Changes whenever a list, a release or the set of instances changes.
  std::uint64_t revision() const { return revision_; }
  /// Drops the lists of all other definitions.
  void keep_only(const ServerDefinitions& servers);
  /// Marks every entry as suspect from now on: the detectors have changed since the entries were
  /// searched.
  void suspect_all() { are_all_suspect_ = true; }
  bool is_suspect(const ListedEntry& entry) const { return are_all_suspect_ || entry.is_suspect; }
  /// The server announced a change of its lists of that kind.
  void forget(std::string_view server, ListKind kind);
  /// A tool definition that a person approved.
  struct Release {
    std::string server;
    std::uint64_t generation = 0;  ///< The generation of the server's definition.
    std::string tool, fingerprint;
    std::string pinned;  ///< The tool's fingerprint in the lock file; empty for none.
  };
  /// Marks the definition as released in the known lists and in fetches in progress. The lists of
  /// that server are fetched again.
  void release(const Release& release);
  /// Drops the lists of an owner whose instances have ended.
  void forget_owner(std::string_view owner);

 private:
  struct Key {
    InstanceKey instance;
    ListKind kind;
  };
  /// A view of a `Key`, for look-ups without a copy of the instance.
  struct KeyView {
    const InstanceKey& instance;
    ListKind kind;
  };
  struct Order {
    using is_transparent = void;
    bool operator()(const auto& one, const auto& other) const {
      if (one.kind != other.kind) return one.kind < other.kind;
      return one.instance < other.instance;
    }
  };
  using OwnList = std::shared_ptr<ServerList>;
  struct Slot {
    bool is_fresh(Freshness wanted) const;

    OwnList list;    ///< Null after it was forgotten.
    OwnList newest;  ///< The last fetched list, for those who waited for it.
    bool fetching = false;
    bool forgotten = false;  ///< It was forgotten during the fetch.
    std::vector<std::shared_ptr<Signal>> waiters;
    std::vector<Release> released;  ///< Released during the fetch.
    std::optional<Error> failure;
    /// After an unusable list the server is not asked again before this time.
    std::chrono::steady_clock::time_point retry_at;
  };

  Task<void> refresh(std::shared_ptr<Slot> slot, UpstreamHandle upstream, ListKind kind);
  Task<Result<OwnList>> fetch(UpstreamHandle upstream, ListKind kind);
  Task<Result<void>> add_entries(const UpstreamHandle& upstream, ListKind kind, JsonValue array,
                                 ServerList& list);
  struct ReadEntry {
    ListedEntry entry;
    bool is_new = false;  ///< Its schemas were compiled now.
  };
  Result<ReadEntry> read_entry(const UpstreamHandle& upstream, ListKind kind, JsonValue value);
  Result<ReadEntry> read_tool(const UpstreamHandle& upstream, JsonValue value, ToolDefinition tool,
                              ListedEntry entry);
  Task<Result<std::string>> fetch_page(const UpstreamHandle& upstream, ListKind kind,
                                       const std::string& cursor, ServerList& list,
                                       std::chrono::steady_clock::time_point deadline);

  Loop& loop_;
  MemoryBudget& memory_;
  SchemaCache& schemas_;
  SeenTools& seen_;
  Suspects suspects_;
  RecordOwn record_own_;
  Learned learned_;
  std::map<Key, std::shared_ptr<Slot>, Order> slots_;
  std::uint64_t revision_ = 0;
  bool are_all_suspect_ = false;
};

/// The method that requests a list, and the member of the result that contains it.
std::string_view list_method(ListKind kind);
std::string_view list_member(ListKind kind);

}  // namespace bartizan
