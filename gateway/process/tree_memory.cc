#include "gateway/process/tree_memory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace bartizan {
namespace {

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

std::optional<std::uint64_t> resident_pages(pid_t process) {
  std::ifstream file(folder_of(process) + "/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (!(file >> all >> resident)) return std::nullopt;
  return resident;
}

void add_children(pid_t process, std::vector<pid_t>& to) {
  std::error_code ignored;
  const std::filesystem::directory_iterator threads(folder_of(process) + "/task", ignored);
  if (ignored) return;
  for (const auto& thread : threads) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child = 0; to.size() < kTreeProcessesMax && file >> child;)
      to.push_back(child);
  }
}

}  // namespace

std::optional<std::uint64_t> tree_memory(pid_t root) {
  std::optional<std::uint64_t> pages = resident_pages(root);
  if (!pages.has_value()) return std::nullopt;
  std::vector<pid_t> tree{root};
  for (std::size_t at = 0; at < tree.size(); ++at) {
    if (at > 0) *pages += resident_pages(tree[at]).value_or(0);
    add_children(tree[at], tree);
  }
  return *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace bartizan
