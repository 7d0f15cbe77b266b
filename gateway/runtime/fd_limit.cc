#include "gateway/runtime/fd_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace bartizan {
namespace {

constexpr rlim_t kUsual = 1024;

}  // namespace

std::uint64_t raise_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUsual;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

bool lower_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  limit.rlim_cur = std::min(limit.rlim_cur, kUsual);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

}  // namespace bartizan
