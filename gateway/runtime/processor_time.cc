#include "gateway/runtime/processor_time.h"

#include <sys/resource.h>

namespace bartizan {

std::chrono::microseconds thread_processor_time() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  const auto length_of = [](const timeval& part) {
    return std::chrono::seconds(part.tv_sec) + std::chrono::microseconds(part.tv_usec);
  };
  return length_of(used.ru_utime) + length_of(used.ru_stime);
}

}  // namespace bartizan
