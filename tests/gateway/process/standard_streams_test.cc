#include "gateway/process/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>

namespace bartizan {
namespace {

constexpr int kNotTaken = 2;

bool waits(int descriptor) {
  return (::fcntl(descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

/// Runs `work` in a process of its own, whose input and output, errors included, are these; answers
/// its exit code.
int run_with(int input, int output, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Whether standard error still waits for its reader while output is written without.
int keeps_standard_error_waiting() {
  const auto streams = StandardStreams::take();
  if (!streams.has_value()) return kNotTaken;
  ::fcntl(streams->input.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(streams->output.get(), F_SETFL, O_NONBLOCK);
  return waits(STDERR_FILENO) ? 0 : 1;
}

TEST(StandardStreams, LeaveATerminalWaitingThatOthersUse) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  std::array<char, 128> name{};
  ASSERT_EQ(::ptsname_r(terminal, name.data(), name.size()), 0);
  const int shared = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(shared, 0);
  EXPECT_EQ(run_with(shared, shared, keeps_standard_error_waiting), 0);
  EXPECT_TRUE(waits(shared)) << "the shell behind us";
  ::close(shared);
  ::close(terminal);
}

TEST(StandardStreams, LeaveAPipeWaitingThatIsStandardErrorToo) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  ASSERT_EQ(::pipe2(input.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(output.data(), O_CLOEXEC), 0);
  EXPECT_EQ(run_with(input[0], output[1], keeps_standard_error_waiting), 0);
  for (const int end : {input[0], input[1], output[0], output[1]})
    ::close(end);
}

TEST(StandardStreams, PutBackWhatAFileIsSharedBy) {
  std::array<char, 32> name{"/tmp/bartizan-XXXXXX"};
  const int file = ::mkstemp(name.data());
  ASSERT_GE(file, 0);
  const auto work = [] {
    const auto streams = StandardStreams::take();
    if (!streams.has_value()) return kNotTaken;
    ::fcntl(streams->output.get(), F_SETFL, O_NONBLOCK);
    streams->restore();
    return waits(STDERR_FILENO) ? 0 : 1;
  };
  EXPECT_EQ(run_with(file, file, work), 0);
  ::close(file);
  ::unlink(name.data());
}

}  // namespace
}  // namespace bartizan
