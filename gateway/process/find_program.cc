#include "gateway/process/find_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/process/start_failure.h"

namespace bartizan {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return access(path.c_str(), X_OK) == 0;
}

/// PATH by which a plain name is looked up: what the child will have, else ours.
std::string search_path(const Environment& environment) {
  const auto set = environment.find("PATH");
  if (set != environment.end()) return set->second;
  const char* ours = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here sets it.
  return ours != nullptr ? ours : "/usr/local/bin:/usr/bin:/bin";
}

Result<std::string> find_in_path(const std::string& name, std::string_view path) {
  bool found_unusable = false;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string_view directory = path.substr(0, colon);
    path.remove_prefix(std::min(colon + 1, path.size()));
    // A relative entry would let whoever chooses the working directory choose the program.
    if (!directory.starts_with('/')) continue;
    std::string candidate = fmt::format("{}/{}", directory, name);
    if (is_executable_file(candidate)) return candidate;
    found_unusable = found_unusable || access(candidate.c_str(), F_OK) == 0;
  }
  if (found_unusable)
    return start_failed(fmt::format("program \"{:.200}\" is not executable", name));
  return start_failed(fmt::format("program \"{:.200}\" not found in PATH", name));
}

}  // namespace

Result<std::string> find_program(const std::string& name, const Environment& environment) {
  if (!name.contains('/')) return find_in_path(name, search_path(environment));
  if (!name.starts_with('/')) {
    return start_failed(
        fmt::format("program \"{:.200}\" must be absolute, or a name in PATH", name));
  }
  if (access(name.c_str(), F_OK) != 0) {
    return start_failed(fmt::format("program \"{:.200}\" not found", name));
  }
  if (!is_executable_file(name)) {
    return start_failed(fmt::format("program \"{:.200}\" is not executable", name));
  }
  return name;
}

}  // namespace bartizan
