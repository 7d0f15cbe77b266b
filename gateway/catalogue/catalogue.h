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

/// The lists that a server can have.
enum class ListKind : std::uint8_t { tools, prompts, resources, resource_templates, skills };

/// One entry of a list: the server's bytes, and where its name or URI lies in them.
struct ListedEntry {
  std::string name;  ///< Name, URI or URI template.
  std::string raw;
  ByteRange name_range;
  /// Of a tool that can be read; null otherwise.
  std::shared_ptr<const ToolDefinition> tool;
  std::shared_ptr<const SkillEntry> skill;  ///< Of a skill; null otherwise.
  /// Whatever policy says; it may quarantine others (`is_judgeable`).
  bool quarantined = false;
  std::string flaw;         ///< Why it is quarantined, in one of our own sentences.
  bool is_suspect = false;  ///< A detector found something in it.
};

/// One list of one server, whole, as one caller may see it. Of what is given out nothing changes
/// but how a tool stands that is released.
struct ServerList {
  std::vector<ListedEntry> entries;
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::chrono::steady_clock::time_point fetched;
  std::chrono::milliseconds fresh_for{0};
  /// What nobody, or not everybody, may use of it: places in `entries`.
  std::vector<std::size_t> flawed;
  /// Entries whose name came again: the first one stands. Places in `entries`, each once.
  std::set<std::size_t> repeated;
  /// The beginning of the server in which it listed all of this (`PendingCall::beginning`).
  std::uint64_t beginning = 0;
  /// A cursor came back that was given out before: the list is what was collected until then.
  bool is_circular = false;
  /// Tools with something to be told of schemas that were compiled for this list.
  std::vector<std::size_t> newly_flawed;
  std::size_t bytes = 0;             ///< Of all entries.
  std::size_t compiled_bytes = 0;    ///< Of what their schemas compile to, which others may share.
  MemoryBudget::Reservation memory;  ///< For them.

  const ListedEntry* find(std::string_view name) const;
};
using ServerListPtr = std::shared_ptr<const ServerList>;

/// What servers list, kept by one worker for each instance, so that what one principal may see is
/// never shown to another. Fetched when first needed, whole, and again when the server says that
/// it changed or when it has grown old.
///
/// Threads: its worker's. Bounded by configured servers × principals × `catalogue_entries_max`.
class Catalogue {
 public:
  /// Told of the names of every list that was fetched.
  using Learned = std::function<void(const std::string& server, ListKind, const ServerList&)>;

  /// Whether there may be a secret in an entry.
  using Suspects = std::function<bool(JsonValue entry)>;

  /// Commits the record of a request of the gateway's own.
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

  /// The list, from memory or from the server.
  /// Errors:  those of the server's answer; server_failed for a list that is no list or too long.
  enum class Freshness : std::uint8_t { usual, refetch_if_older_than_a_second };
  /// `wait` bounds this caller's patience, not the fetching, which others may wait for too.
  Task<Result<ServerListPtr>> get(UpstreamHandle upstream, ListKind kind,
                                  Freshness freshness = Freshness::usual,
                                  std::chrono::milliseconds wait = limits::server_start_deadline);

  /// The list from memory, if it is not to be fetched anew; null otherwise.
  /// Lifetime: until something else is awaited.
  const ServerList* fresh(const InstanceKey& instance, ListKind kind) const;
  /// The list as it was last fetched, however old; null if it never was.
  ServerListPtr known(const InstanceKey& instance, ListKind kind) const;
  /// All lists of that kind as they were last fetched, with the server of each.
  std::vector<std::pair<std::string, ServerListPtr>> newest(ListKind kind) const;
  /// Another number whenever one of these is another.
  std::uint64_t revision() const { return revision_; }
  /// Drops the lists of definitions that are not among these.
  void keep_only(const ServerDefinitions& servers);
  /// From now on every entry counts as one in which something may be found: what is looked for is
  /// something else than when it was listed.
  void suspect_all() { are_all_suspect_ = true; }
  bool is_suspect(const ListedEntry& entry) const { return are_all_suspect_ || entry.is_suspect; }
  /// The server said that its lists of that kind changed.
  void forget(std::string_view server, ListKind kind);
  /// A definition of a tool that a person took.
  struct Release {
    std::string server;
    std::uint64_t generation = 0;  ///< Of the server's definition.
    std::string tool, fingerprint;
    std::string pinned;  ///< The fingerprint that the lock file has of the tool; empty for none.
  };
  /// It stands as released in what is known, and in what is being fetched; lists of that server are
  /// fetched anew.
  void release(const Release& release);
  /// An instance has ended with its owner.
  void forget_owner(std::string_view owner);

 private:
  struct Key {
    InstanceKey instance;
    ListKind kind;
  };
  /// A view of a `Key`, to look one up by: no instance is copied.
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

    OwnList list;    ///< Null once it was forgotten.
    OwnList newest;  ///< What was last fetched, for those who waited for it.
    bool fetching = false;
    bool forgotten = false;  ///< While it was being fetched.
    std::vector<std::shared_ptr<Signal>> waiters;
    std::vector<Release> released;  ///< While it was being fetched.
    std::optional<Error> failure;
    /// Until then a list that was no list is not asked for again.
    std::chrono::steady_clock::time_point retry_at;
  };

  Task<void> refresh(std::shared_ptr<Slot> slot, UpstreamHandle upstream, ListKind kind);
  Task<Result<OwnList>> fetch(UpstreamHandle upstream, ListKind kind);
  Task<Result<void>> add_entries(const UpstreamHandle& upstream, ListKind kind, JsonValue array,
                                 ServerList& list);
  struct ReadEntry {
    ListedEntry entry;
    bool is_new = false;  ///< Its schemas had to be compiled.
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

/// The method that asks for a list, and the member of the result that holds it.
std::string_view list_method(ListKind kind);
std::string_view list_member(ListKind kind);

}  // namespace bartizan
