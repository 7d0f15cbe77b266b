#include "gateway/process/process_usage.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <string>

#include "gateway/process/read_file.h"
#include "gateway/runtime/boot_time.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The number after `name` at the beginning of a line.
std::uint64_t number_after(std::string_view text, std::string_view name) {
  std::size_t at = text.starts_with(name) ? 0 : text.find('\n' + std::string(name));
  if (at == text.npos) return 0;
  at = text.find_first_of("0123456789", at);
  return at == text.npos ? 0 : number_of(text.substr(at));
}

/// A process that is closed to others cannot list its own descriptors in /proc either.
std::uint64_t count_descriptors() {
  const auto status = read_file("/proc/self/status");
  const std::uint64_t places = status.has_value() ? number_after(*status, "FDSize:") : 0;
  std::uint64_t count = 0;
  for (std::uint64_t place = 0; place < places; ++place) {
    if (::fcntl(static_cast<int>(place), F_GETFD) >= 0) ++count;
  }
  return count;
}

}  // namespace

ProcessStat parse_process_stat(std::string_view line) {
  // The name of the program stands in brackets, and may hold blanks and brackets.
  const std::size_t name_end = line.rfind(") ");
  if (name_end == line.npos) return {};
  line.remove_prefix(name_end + 2);
  // Fields 3 to 24.
  std::array<std::string_view, 22> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = line.find(' ');
    if (end == line.npos) return {};
    field = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  constexpr std::size_t kFirst = 3;
  return {.threads = number_of(fields[20 - kFirst]),
          .start_ticks = number_of(fields[22 - kFirst]),
          .virtual_bytes = number_of(fields[23 - kFirst]),
          .resident_pages = number_of(fields[24 - kFirst])};
}

ProcessUsage read_process_usage() {
  ProcessUsage usage{.open_fds = count_descriptors()};
  struct rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    usage.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  struct rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) usage.max_fds = limit.rlim_cur;
  const ProcessStat stat = parse_process_stat(read_file("/proc/self/stat").value_or(""));
  usage.threads = stat.threads;
  usage.virtual_bytes = stat.virtual_bytes;
  usage.resident_bytes = stat.resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (stat.start_ticks == 0) return usage;
  // Under `ProcSubset=pid` there is no /proc/stat, which has the time of the boot.
  const double now = std::chrono::duration<double>(system_now().time_since_epoch()).count();
  usage.started_at =
      now - seconds_since_boot() +
      static_cast<double>(stat.start_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return usage;
}

}  // namespace bartizan
