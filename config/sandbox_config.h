#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {

/// `[server.NAME] sandbox`: what a child process, and all that it starts, is confined to.
struct SandboxConfig {
  /// `process`: files by lists, processes and network of its own. `container`: also a root of its
  /// own. `none`: only what the other keys name.
  enum class Level : std::uint8_t { none, process, container } level = Level::none;
  std::string user = {};  ///< The account that it runs as; empty: the gateway's.
  /// `HOME`, which it may write to; empty: the account's where `user` is set, or the gateway's.
  std::string home = {};
  /// That of the gateway, or one of its own in which there is nothing but its loopback.
  enum class Network : std::uint8_t { host, none } network = Network::host;
  /// Absolute paths, each with all below it, that may be read and executed; and those that may be
  /// read and written. Only with a level.
  std::vector<std::string> read = {};
  std::vector<std::string> write = {};
  std::uint64_t memory = 0;        ///< Address space of each process in bytes; 0 is unlimited.
  std::uint32_t open_files = 0;    ///< Of each process; 0 leaves the gateway's limit.
  std::uint64_t total_memory = 0;  ///< Of all its processes, in bytes, by cgroup; 0 is unlimited.
  std::uint32_t processes = 0;     ///< Processes and threads, by cgroup; 0 is unlimited.
  std::uint32_t cpu_percent = 0;   ///< 100 is one processor, by cgroup; 0 is unlimited.
  bool operator==(const SandboxConfig&) const = default;
};

/// How `level` is written, from the least to the most.
inline constexpr std::array<std::pair<std::string_view, SandboxConfig::Level>, 3> kSandboxLevels{
    {{"none", SandboxConfig::Level::none},
     {"process", SandboxConfig::Level::process},
     {"container", SandboxConfig::Level::container}}};

}  // namespace bartizan
