#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {

/// `[server.NAME] sandbox`: the confinement of a child process and all processes that it starts.
struct SandboxConfig {
  /// `process`: file lists, and its own process and network namespaces. `container`: also its own
  /// root. `none`: only the limits of the other keys.
  enum class Level : std::uint8_t { none, process, container } level = Level::none;
  std::string user = {};  ///< Its account; empty: the gateway's.
  /// `HOME`, which is writable. Empty: the home of `user` if that is set, or the gateway's.
  std::string home = {};
  /// The gateway's network, or its own network with only a loopback.
  enum class Network : std::uint8_t { host, none } network = Network::host;
  /// Absolute paths, each with everything below. `read`: may be read and executed. `write`: may be
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

/// The spellings of `level`, from the weakest to the strongest.
inline constexpr std::array<std::pair<std::string_view, SandboxConfig::Level>, 3> kSandboxLevels{
    {{"none", SandboxConfig::Level::none},
     {"process", SandboxConfig::Level::process},
     {"container", SandboxConfig::Level::container}}};

}  // namespace bartizan
