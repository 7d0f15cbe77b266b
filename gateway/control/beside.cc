#include "gateway/control/beside.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

/// In a row, of a record that no other process writes.
constexpr int kFailuresMax = 3;

}  // namespace

std::string file_beside(std::string_view file, unsigned number) {
  if (file.empty()) return {};
  const std::filesystem::path path(file);
  std::string name = path.stem().string() + ".stdio";
  if (number > 1) name += "-" + std::to_string(number);
  return (path.parent_path() / (name + path.extension().string())).string();
}

void fit_beside(Config& config, unsigned number) {
  config.audit.file = file_beside(config.audit.file, number);
  if (config.state.has_value()) config.state->file = file_beside(config.state->file, number);
  if (config.capture.has_value()) config.capture->file = file_beside(config.capture->file, number);
  if (config.audit.heads.has_value()) {
    config.audit.heads->file = file_beside(config.audit.heads->file, number);
  }
  config.metrics.where.line = 0;  // Over standard input, what was not written is not opened.
  config.console.reset();
  config.admin.reset();
}

bool is_record_in_use(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (opened.get() < 0) return false;
  return ::flock(opened.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::string run_with_free_record(const std::function<std::string(unsigned)>& record_of,
                                 const std::function<Error(unsigned)>& run) {
  int failures = 0;
  for (unsigned number = 1; number <= limits::numbered_records_max;) {
    const std::string record = record_of(number);
    if (is_record_in_use(record)) {
      ++number;
      continue;
    }
    const Error error = run(number);
    // Another one may have been faster.
    if (is_record_in_use(record)) continue;
    if (++failures == kFailuresMax) return error.detail;
  }
  return "too many run at once: name a record with --record";
}

}  // namespace bartizan
