#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/runtime/memory_budget.h"
#include "gateway/upstream/server_definition.h"
#include "policy/text/name_looks.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

namespace limits {
/// Definitions of one tool that are told apart. Of more the oldest is forgotten that nobody took.
inline constexpr std::size_t tool_versions_max = 16;
/// Of these how many may be taken: the first one, and what people released.
inline constexpr std::size_t tool_versions_taken_max = 8;
/// What is kept of the definitions of one server, in bytes.
inline constexpr std::size_t seen_bytes_max = std::size_t{32} << 20;
/// Reasons of one server that are not told a second time.
inline constexpr std::size_t told_reasons_max = 16'384;
}  // namespace limits

/// A server as it is told apart from one that is configured otherwise
/// (`ServerDefinition::program`).
struct SeenServer {
  std::string_view name;
  std::string_view program;
  /// Members of its tools that may change, as JSON pointers (`[pins] volatile`).
  std::span<const std::string> volatile_members = {};
};

/// What servers have listed since the process began, so that a tool which is another one later, or
/// to somebody else, is noticed; and what people released of it. What one server lists changes
/// nothing for another's tools.
///
/// Threads: any.
/// Bounded: for each server `catalogue_entries_max` names and `seen_bytes_max`, all of it reserved.
class SeenTools {
 public:
  using Standing = std::shared_ptr<const ToolStanding>;

  explicit SeenTools(MemoryBudget& memory) : memory_(memory) {}

  /// How the tool stands to what its server listed before under its name, and what is found in it.
  /// The first definition of a name is kept. Null where the memory budget is exhausted.
  ///
  /// Input: the entry that `tool` was read from.
  /// Cost:  a look-up; of a definition that was not seen before, reading it, without the lock.
  Standing take(const SeenServer& server, const ToolDefinition& tool, JsonValue entry);

  enum class Released : std::uint8_t {
    done,
    unknown_tool,         ///< Its server never listed it here.
    unknown_fingerprint,  ///< It lists others.
    too_many,             ///< Of that tool as many are taken as may be.
  };
  /// Whether that definition could be released: `done`, or why not.
  Released find(std::string_view server, std::string_view tool, std::string_view fingerprint,
                const std::string& pinned);
  /// From now on that definition is taken as well, while the lock file has `pinned` of the tool:
  /// its fingerprint, empty for none.
  Released release(std::string_view server, std::string_view tool, std::string_view fingerprint,
                   const std::string& pinned);

  /// Whether nobody has been told of that tool for that reason before, or not lately.
  bool is_unreported(std::string_view server, std::string_view tool, std::string_view why);

  /// Forgets what is not among these, and what an instance lists from now on that is of another
  /// program: it is about to end.
  void keep_only(const ServerDefinitions& servers);

 private:
  struct Version {
    std::string fingerprint;
    Standing standing;
  };
  struct Seen {
    /// The text of the first definition; null where there was no room for it.
    std::shared_ptr<const std::string> first;
    std::vector<Version> versions;  ///< From the oldest on.
  };
  struct Server {
    std::map<std::string, Seen, std::less<>> tools;
    std::size_t bytes = 0;
    MemoryBudget::Reservation memory;
  };

  /// What is there to compare a definition with, or what is known of it.
  struct Known {
    Standing standing;  ///< Of that very definition; null of one that was not seen.
    bool is_first = false;
    std::shared_ptr<const std::string> first;
    bool operator==(const Known&) const = default;
  };
  Standing take_fingerprinted(const SeenServer& server, const ToolDefinition& tool,
                              JsonValue entry);
  // All with the lock held.
  bool is_present(const SeenServer& server) const;
  Server& server_of(const SeenServer& server);
  static Known find_known(const Server& server, const ToolDefinition& tool);
  Standing keep(Server& server, const ToolDefinition& tool, JsonValue entry, Standing standing);
  void keep_text(Server& server, Seen& seen, std::string_view raw);
  bool make_room(Server& server, std::size_t bytes);
  static void forget_oldest(Server& server, Seen& seen, std::string_view name);
  void end_void_releases(std::string_view server, std::string_view tool, const std::string& pinned);
  /// The version of that fingerprint in each program of that name that has listed it.
  std::vector<Version*> versions_of(std::string_view server, std::string_view tool,
                                    std::string_view fingerprint);
  Released find_locked(std::string_view server, std::string_view tool,
                       std::string_view fingerprint);

  ToolStanding read(const SeenServer& server, const ToolDefinition& tool, JsonValue entry) const;

  MemoryBudget& memory_;
  const NameLooks looks_;
  std::mutex mutex_;
  /// By name and program: what an instance lists that is about to end is held against its own.
  std::map<std::string, std::map<std::string, Server, std::less<>>, std::less<>> servers_;
  /// The programs of now by name; nothing before any configuration took over.
  std::optional<std::map<std::string, std::string, std::less<>>> present_;
  std::map<std::string, std::set<std::size_t>, std::less<>> told_;  ///< Hashes, by server.
};

}  // namespace bartizan
