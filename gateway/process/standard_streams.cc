#include "gateway/process/standard_streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace bartizan {
namespace {

/// Above the three that every program expects.
constexpr int kFirstFree = 3;

std::unexpected<Error> refuse(std::string_view what) {
  return fail(ErrorCode::io_failed, Fault::client,
              std::string(what) + ": " + std::system_category().message(errno));
}

/// The blocking mode belongs to the open file. A terminal shares it with the parent shell, and
/// standard output may share it with standard error. So the file is opened again, if possible, to
/// get a mode of its own. A regular file is not, since its position is shared, too.
Descriptor take_one(int number, int access) {
  struct stat status{};
  const bool is_pipe = ::fstat(number, &status) == 0 && S_ISFIFO(status.st_mode);
  if (is_pipe || ::isatty(number) == 1) {
    const std::string own = "/proc/self/fd/" + std::to_string(number);
    Descriptor opened(::open(own.c_str(), access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (opened.get() >= kFirstFree) return opened;
  }
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, kFirstFree));
}

}  // namespace

Result<StandardStreams> StandardStreams::take() {
  StandardStreams streams;
  streams.input = take_one(STDIN_FILENO, O_RDONLY);
  if (streams.input.get() < 0) return refuse("standard input cannot be used");
  streams.output = take_one(STDOUT_FILENO, O_WRONLY);
  if (streams.output.get() < 0) return refuse("standard output cannot be used");
  streams.input_flags_ = ::fcntl(streams.input.get(), F_GETFL);
  streams.output_flags_ = ::fcntl(streams.output.get(), F_GETFL);
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const bool is_replaced = nothing.get() >= 0 && ::dup2(nothing.get(), STDIN_FILENO) >= 0 &&
                           ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
  if (!is_replaced) return refuse("standard input and output cannot be set aside");
  return streams;
}

void StandardStreams::restore() const {
  ::fcntl(input.get(), F_SETFL, input_flags_);
  ::fcntl(output.get(), F_SETFL, output_flags_);
}

}  // namespace bartizan
