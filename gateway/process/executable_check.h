#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"
#include "gateway/runtime/task.h"
#include "schemas/base/result.h"

namespace bartizan {

namespace limits {
inline constexpr std::uint64_t executable_bytes_max = std::uint64_t{1} << 30;
/// How long the start of a child waits until its files were read.
inline constexpr std::chrono::seconds executables_deadline{20};
}  // namespace limits

/// A file as it was when it was read.
struct ReadExecutable {
  std::string sha256;  ///< Lower-case hex.
  /// What changes when another file takes its name, and when it is written to.
  struct State {
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const State&) const = default;
  } state;
  Descriptor file;
};
/// By the path that was read.
using ReadExecutables = std::map<std::string, ReadExecutable>;

/// Reads a regular file; nothing else is ever opened for reading.
/// Errors:  server_failed, with the path and why.
/// Threads: any. May block as long as the file system does: never on a worker.
/// Cost:    reads the file.
Result<ReadExecutable> read_executable(const std::string& path);

/// Whether each path still leads to the file that was read, and nobody has written to it since.
/// Errors: server_failed, with the path.
/// Cost:   one look at each, without reading.
Result<void> check_unchanged(const ReadExecutables& files);

/// What is executed for a program. Lifetime: views the files.
struct Image {
  /// The file among them that it leads to, if the kernel can run it from its descriptor: one that
  /// names an interpreter is read by that, under its name. Null where there is none.
  const Descriptor* file = nullptr;
};
/// Input:  the name that the command has, and the program that it leads to.
/// Errors: server_failed where the name is looked up and one of them has that file name, but is
///         another file: the `PATH` leads past what was approved.
/// Cost:   one look at the program's path.
Result<Image> find_image(const ReadExecutables& files, std::string_view name,
                         const std::string& program);

/// Holds the files that servers are made of against what a person approved of them, on threads of
/// its own: a disk that hangs before all was read holds some of these, no worker. Of the few that
/// there are one server has at most half, and who comes then waits; what is not read within
/// `limits::executables_deadline` starts nothing. Nothing is kept: each start reads the files
/// again. What follows is the worker's, and waits for the disk as the start itself does: the last
/// look without reading, the fork, the exec.
///
/// Threads:  `check` on its loop. A thread ends with its check.
/// Lifetime: ends before that loop. A thread that hangs then is left behind, and touches nothing
///           any more.
class ExecutableCheck {
 public:
  /// Reads one file; may block.
  using Read = std::function<Result<ReadExecutable>(const std::string&)>;

  /// Of who asks: whether the answer is still wanted. `end` wakes who waits.
  struct Wanted {
    explicit Wanted(Loop& loop) : changed(loop) {}
    void end();
    Signal changed;
    bool is_over = false;
  };

  explicit ExecutableCheck(Loop& loop, Read read = read_executable);
  ExecutableCheck(const ExecutableCheck&) = delete;
  ExecutableCheck& operator=(const ExecutableCheck&) = delete;
  ~ExecutableCheck();

  /// The `executables` of a server, all of which hold what was approved. One question for each
  /// `wanted`.
  /// Errors: server_failed with the first that does not, is not in the lock file, or cannot be
  ///         read; or because it is not wanted any more.
  Task<Result<ReadExecutables>> check(const ServerConfig& server, std::shared_ptr<Wanted> wanted);

 private:
  class Desk;
  Loop& loop_;
  Read read_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
