#include "gateway/launch/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

constexpr int kRoundPauseMs = 5;
constexpr int kRoundsMax = 2000;

/// The fourth word of `/proc/PID/stat`; the second is a name in parentheses, in which anything may
/// stand. 0 where the process is gone.
pid_t parent_of(const std::string& process) {
  const Descriptor file(open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text = {};
  const ssize_t size = read(file.get(), text.data(), text.size());
  if (size <= 0) return 0;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  const std::size_t name_end = rest.rfind(')');
  // `) S 123 …`
  if (name_end == rest.npos || rest.size() < name_end + 4) return 0;
  rest.remove_prefix(name_end + 4);
  pid_t parent = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), parent);
  return parent;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return found;
  const pid_t own = getpid();
  while (const dirent* entry = readdir(processes)) {  // NOLINT(concurrency-mt-unsafe)
    const std::string name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (parent_of(name) == own) found.push_back(number);
  }
  closedir(processes);
  return found;
}

}  // namespace

bool adopt_descendants() {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

void kill_children(const std::function<bool(pid_t)>& spares) {
  for (int round = 0; round < kRoundsMax; ++round) {
    bool has_killed = false;
    for (const pid_t child : children()) {
      if (spares(child)) continue;
      has_killed = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    if (!has_killed) return;
    poll(nullptr, 0, kRoundPauseMs);
  }
}

}  // namespace bartizan
