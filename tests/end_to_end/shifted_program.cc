// The gateway as it is shipped, but for its time, which a story puts forward: the first argument is
// a file that holds one number, the milliseconds to add, as eight bytes in the machine's order. The
// story may change them whenever it likes; time must not go back.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "gateway/command/command_line.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

class FileTime final : public TimeSource {
 public:
  explicit FileTime(std::int64_t& milliseconds) : milliseconds_(milliseconds) {}

  std::chrono::steady_clock::time_point steady() const override {
    return machine_time().steady() + shift();
  }
  std::chrono::system_clock::time_point date() const override {
    return machine_time().date() + shift();
  }

 private:
  std::chrono::milliseconds shift() const {
    return std::chrono::milliseconds(std::atomic_ref(milliseconds_).load());
  }

  std::int64_t& milliseconds_;
};

/// Mapped for the life of the process. Null where the file cannot be mapped.
std::int64_t* map_number(const char* path) {
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* place = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return place == MAP_FAILED ? nullptr : static_cast<std::int64_t*>(place);
}

}  // namespace
}  // namespace bartizan

int main(int argc, char** argv) {
  std::int64_t* milliseconds = argc > 1 ? bartizan::map_number(argv[1]) : nullptr;
  if (milliseconds == nullptr) {
    std::fputs("bartizan_shifted: the first argument names a file of eight bytes\n", stderr);
    return 2;
  }
  const bartizan::FileTime time(*milliseconds);
  const bartizan::LentTime lent(time);
  return bartizan::run_command_line(argc - 1, argv + 1);
}
