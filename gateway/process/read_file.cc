#include "gateway/process/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "gateway/process/descriptor.h"

namespace bartizan {

Result<std::string> read_file(const std::string& path) {
  const auto failed = [&path] {
    return fail(ErrorCode::io_failed, Fault::gateway,
                path + ": " + std::generic_category().message(errno));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed();
  std::string text;
  std::array<char, 65'536> room;
  while (true) {
    const ssize_t got = ::read(file.get(), room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) return text;
    text.append(room.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace bartizan
