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
/// The most definitions kept for one tool. Beyond that, the oldest one that was not accepted is
/// forgotten.
inline constexpr std::size_t tool_versions_max = 16;
/// The most accepted definitions of one tool: the first one, and those that people released.
inline constexpr std::size_t tool_versions_taken_max = 8;
/// The most bytes kept for the definitions of one server.
inline constexpr std::size_t seen_bytes_max = std::size_t{32} << 20;
/// The most reasons of one server that are kept to report each of them once.
inline constexpr std::size_t told_reasons_max = 16'384;
}  // namespace limits

/// A server, together with the digest of its program (`ServerDefinition::program`). The same name
/// with another program is another server.
struct SeenServer {
  std::string_view name;
  std::string_view program;
  /// The members of its tools that may change, as JSON pointers (`[pins] volatile`).
  std::span<const std::string> volatile_members = {};
};

/// The tools that servers have listed since the process began, and the definitions that people
/// released. It detects a tool that changes later, or that differs between callers. The lists of
/// one server never affect the tools of another.
///
/// Threads: any.
/// Bounded: for each server by `catalogue_entries_max` names and `seen_bytes_max`, all of it
/// reserved.
class SeenTools {
 public:
  using Standing = std::shared_ptr<const ToolStanding>;

  explicit SeenTools(MemoryBudget& memory) : memory_(memory) {}

  /// Compares the tool with what its server listed under that name before, and searches it. The
  /// first definition of a name is kept. Null if the memory budget is exhausted.
  ///
  /// Input: `entry`, from which `tool` was read.
  /// Cost:  a look-up; a new definition is read, without the lock.
  Standing take(const SeenServer& server, const ToolDefinition& tool, JsonValue entry);

  enum class Released : std::uint8_t {
    done,
    unknown_tool,         ///< Its server never listed it here.
    unknown_fingerprint,  ///< Its server listed only other definitions.
    too_many,             ///< The tool has the most accepted definitions already.
  };
  /// Whether that definition could be released: `done`, or why not.
  Released find(std::string_view server, std::string_view tool, std::string_view fingerprint,
                const std::string& pinned);
  /// Accepts that definition from now on, as long as the tool's fingerprint in the lock file is
  /// `pinned` (empty for none).
  Released release(std::string_view server, std::string_view tool, std::string_view fingerprint,
                   const std::string& pinned);

  /// Whether that reason was not reported for that tool before, or not lately.
  bool is_unreported(std::string_view server, std::string_view tool, std::string_view why);

  /// Forgets all other servers and programs. Instances of other programs are about to end; their
  /// tools count as changed from now on.
  void keep_only(const ServerDefinitions& servers);

 private:
  struct Version {
    std::string fingerprint;
    Standing standing;
  };
  struct Seen {
    /// The text of the first definition; null if it did not fit.
    std::shared_ptr<const std::string> first;
    std::vector<Version> versions;  ///< The oldest first.
  };
  struct Server {
    std::map<std::string, Seen, std::less<>> tools;
    std::size_t bytes = 0;
    MemoryBudget::Reservation memory;
  };

  /// What is known about a definition, or what it must be compared with.
  struct Known {
    Standing standing;  ///< The standing of that definition; null if it is new.
    bool is_first = false;
    std::shared_ptr<const std::string> first;
    bool operator==(const Known&) const = default;
  };
  Standing take_fingerprinted(const SeenServer& server, const ToolDefinition& tool,
                              JsonValue entry);
  // All of these run with the lock held.
  bool is_present(const SeenServer& server) const;
  Server& server_of(const SeenServer& server);
  static Known find_known(const Server& server, const ToolDefinition& tool);
  Standing keep(Server& server, const ToolDefinition& tool, JsonValue entry, Standing standing);
  void keep_text(Server& server, Seen& seen, std::string_view raw);
  bool make_room(Server& server, std::size_t bytes);
  static void forget_oldest(Server& server, Seen& seen, std::string_view name);
  void end_void_releases(std::string_view server, std::string_view tool, const std::string& pinned);
  /// The version with that fingerprint in each program of that name that has listed it.
  std::vector<Version*> versions_of(std::string_view server, std::string_view tool,
                                    std::string_view fingerprint);
  Released find_locked(std::string_view server, std::string_view tool,
                       std::string_view fingerprint);

  ToolStanding read(const SeenServer& server, const ToolDefinition& tool, JsonValue entry) const;

  MemoryBudget& memory_;
  const NameLooks looks_;
  std::mutex mutex_;
  /// By name and program, so that an instance that is about to end is compared with its own lists.
  std::map<std::string, std::map<std::string, Server, std::less<>>, std::less<>> servers_;
  /// The current programs by name; nothing before the first configuration.
  std::optional<std::map<std::string, std::string, std::less<>>> present_;
  std::map<std::string, std::set<std::size_t>, std::less<>> told_;  ///< Hashes, by server.
};

}  // namespace bartizan
