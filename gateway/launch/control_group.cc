#include "gateway/launch/control_group.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/process/descriptor.h"
#include "gateway/process/start_failure.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

/// The group of the gateway's own processes, beside those of its servers.
constexpr std::string_view kOwnGroup = "bartizan-gateway";
constexpr std::string_view kServerGroup = "bartizan-server-";
/// The period of `cpu_percent`, a tenth of a second. Source: cgroups(7), `cpu.max`.
constexpr std::uint64_t kPeriodUs = 100'000;
constexpr int kRemovalsMax = 200;
constexpr int kRemovalPauseMs = 5;

std::unexpected<Error> not_delegated(std::string_view why) {
  return start_failed(fmt::format(
      "total_memory, processes and cpu_percent of the sandbox need a control group (cgroup v2) "
      "that "
      "is the gateway's to divide: {}; let the service manager delegate one (Delegate=memory pids "
      "cpu in a systemd unit), or leave these keys out",
      why));
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool write_file(const fs::path& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 &&
         std::cmp_equal(write(file.get(), text.data(), text.size()), text.size());
}

/// The mount point of cgroup v2. It differs if both versions are in use.
std::optional<fs::path> find_mount() {
  std::istringstream mounts(read_file("/proc/self/mounts"));
  std::string device;
  std::string place;
  std::string type;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    words >> device >> place >> type;
    if (type == "cgroup2") return fs::path(place);
  }
  return std::nullopt;
}

/// The group of this process: `0::/system.slice/bartizan.service`.
std::optional<fs::path> find_own_folder() {
  const std::optional<fs::path> mount = find_mount();
  if (!mount.has_value()) return std::nullopt;
  std::istringstream groups(read_file("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    const fs::path folder = *mount / line.substr(std::string_view("0::/").size());
    // Another keeper may have divided it before.
    return folder.filename() == kOwnGroup ? folder.parent_path() : folder;
  }
  return std::nullopt;
}

std::vector<std::string> wanted_controllers(const SandboxConfig& sandbox) {
  std::vector<std::string> wanted;
  if (sandbox.total_memory != 0) wanted.emplace_back("memory");
  if (sandbox.processes != 0) wanted.emplace_back("pids");
  if (sandbox.cpu_percent != 0) wanted.emplace_back("cpu");
  return wanted;
}

bool holds_word(const std::string& text, std::string_view wanted) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

/// Removes groups of keepers that were killed. A group with processes stays.
void remove_left(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(kServerGroup)) rmdir(entry.path().c_str());
  }
}

/// The parent of a process; empty if it has ended. The second word of its `stat` is a name in
/// parentheses with any characters.
std::string parent_of(const std::string& process) {
  const std::string stat = read_file("/proc/" + process + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return {};
  std::istringstream words(stat.substr(name_end + 1));
  std::string state;
  std::string parent;
  words >> state >> parent;
  return parent;
}

/// Whether a process is the gateway or its descendant.
bool is_of(std::string process, const std::string& gateway) {
  if (gateway.empty() || gateway == "0") return false;
  for (int steps = 0; steps < 64 && !process.empty() && process != "0"; ++steps) {
    if (process == gateway) return true;
    process = parent_of(process);
  }
  return false;
}

Result<void> hand_on(const fs::path& folder, const SandboxConfig& sandbox) {
  const std::string enabled = read_file(folder / "cgroup.subtree_control");
  const std::string available = read_file(folder / "cgroup.controllers");
  std::vector<std::string> missing;
  std::string request;
  for (const std::string& controller : wanted_controllers(sandbox)) {
    if (!holds_word(available, controller)) missing.push_back(controller);
    if (!holds_word(enabled, controller)) request += "+" + controller + " ";
  }
  if (!missing.empty())
    return not_delegated(
        fmt::format("{} has not the controllers {}", folder.string(), fmt::join(missing, ", ")));
  if (request.empty()) return {};
  // Only the root group may have processes and enable controllers.
  if (fs::exists(folder / "cgroup.type")) {
    const fs::path own = folder / kOwnGroup;
    if (mkdir(own.c_str(), 0755) != 0 && errno != EEXIST) return not_delegated(reason_of(errno));
    // The gateway started the launcher, which started this keeper.
    const std::string gateway = parent_of(std::to_string(getppid()));
    std::istringstream processes(read_file(folder / "cgroup.procs"));
    // Other processes stay, and then the group cannot be divided.
    for (std::string process; processes >> process;) {
      if (is_of(process, gateway)) static_cast<void>(write_file(own / "cgroup.procs", process));
    }
  }
  if (!write_file(folder / "cgroup.subtree_control", request))
    return not_delegated(
        fmt::format("{} does not hand on {}: {}", folder.string(), request, reason_of(errno)));
  return {};
}

Result<void> set_bounds(const fs::path& group, const SandboxConfig& sandbox) {
  const std::string cpu = fmt::format("{} {}", sandbox.cpu_percent * kPeriodUs / 100, kPeriodUs);
  const std::pair<const char*, std::string> bounds[] = {
      {"memory.max", sandbox.total_memory == 0 ? "" : std::to_string(sandbox.total_memory)},
      {"pids.max", sandbox.processes == 0 ? "" : std::to_string(sandbox.processes)},
      {"cpu.max", sandbox.cpu_percent == 0 ? "" : cpu}};
  for (const auto& [file, value] : bounds) {
    if (value.empty() || write_file(group / file, value)) continue;
    return start_failed(
        fmt::format("{} of its control group cannot be set: {}", file, reason_of(errno)));
  }
  // Memory beyond the limit would otherwise be swapped. Not every kernel has this file.
  if (sandbox.total_memory != 0) static_cast<void>(write_file(group / "memory.swap.max", "0"));
  return {};
}

}  // namespace

bool wants_control_group(const SandboxConfig& sandbox) {
  return !wanted_controllers(sandbox).empty();
}

Result<ControlGroup> ControlGroup::make(const SandboxConfig& sandbox) {
  const std::optional<fs::path> folder = find_own_folder();
  if (!folder.has_value()) return not_delegated("there is none on this machine");
  ControlGroup made;
  made.turn_ = Descriptor(open(folder->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (flock(made.turn_.get(), LOCK_EX) != 0) return not_delegated(reason_of(errno));
  remove_left(*folder);
  if (const Result<void> handed = hand_on(*folder, sandbox); !handed.has_value())
    return std::unexpected(handed.error());
  made.parent_ = Descriptor(open(folder->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string name = std::string(kServerGroup) + std::to_string(getpid());
  if (mkdirat(made.parent_.get(), name.c_str(), 0755) != 0) return not_delegated(reason_of(errno));
  made.name_ = name;
  const auto open_in_group = [&](const char* file) {
    return Descriptor(
        openat(made.parent_.get(), (name + "/" + file).c_str(), O_WRONLY | O_CLOEXEC));
  };
  made.processes_ = open_in_group("cgroup.procs");
  made.killed_ = open_in_group("cgroup.kill");
  if (made.processes_.get() < 0) return not_delegated(reason_of(errno));
  if (const Result<void> bound = set_bounds(*folder / name, sandbox); !bound.has_value())
    return std::unexpected(bound.error());
  return made;
}

ControlGroup::~ControlGroup() {
  if (name_.empty()) return;
  if (killed_.get() >= 0) static_cast<void>(write(killed_.get(), "1", 1) < 0);
  // It can be removed once its last process has ended.
  for (int tries = 0; tries < kRemovalsMax; ++tries) {
    if (unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY) return;
    poll(nullptr, 0, kRemovalPauseMs);
  }
}

void ControlGroup::begin() {
  // Also for copies of the descriptor in other processes.
  flock(turn_.get(), LOCK_UN);
  turn_ = Descriptor();
}

bool ControlGroup::enter() const {
  return write(processes_.get(), "0", 1) == 1;
}

}  // namespace bartizan
