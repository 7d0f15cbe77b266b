#include "gateway/standard_streams.h"

#include <fcntl.h>
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

}  // namespace

Result<StandardStreams> StandardStreams::take() {
  StandardStreams streams;
  streams.input = Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, kFirstFree));
  if (streams.input.get() < 0) return refuse("standard input cannot be used");
  streams.output = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFirstFree));
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
