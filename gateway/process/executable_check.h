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
/// The longest wait for the files before the start of a child.
inline constexpr std::chrono::seconds executables_deadline{20};
}  // namespace limits

/// A file in the state in which it was read.
struct ReadExecutable {
  std::string sha256;  ///< Lower-case hex.
  /// Changes when another file takes its name, and when it is written to.
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

/// Reads a regular file. Other files are never opened for reading.
/// Errors:  server_failed, with the path and the reason.
/// Threads: any. May block as long as the file system does: never on a worker.
/// Cost:    reads the file.
Result<ReadExecutable> read_executable(const std::string& path);

/// Whether each path still leads to the file that was read, unchanged since.
/// Errors: server_failed, with the path.
/// Cost:   one look at each, without reading.
Result<void> check_unchanged(const ReadExecutables& files);

/// The image to execute for a program. Lifetime: views the files.
struct Image {
  /// The file of the program, if the kernel can run it from its descriptor. Null for a script,
  /// whose interpreter reads it by its name, and for a program that is none of the files.
  const Descriptor* file = nullptr;
};
/// Input:  the name in the command, and the program that it resolves to.
/// Errors: server_failed if one of the files has that name, but the name resolves to another file:
///         the `PATH` leads past the approved one.
/// Cost:   one look at the program's path.
Result<Image> find_image(const ReadExecutables& files, std::string_view name,
                         const std::string& program);

/// Compares the files of servers with their approved digests, on threads of its own. A hanging disk
/// blocks some of these threads, but no worker. One server uses at most half of the few threads.
/// Further checks wait. If the files are not read within `limits::executables_deadline`, the server
/// is not started. Nothing is cached: each start reads the files again. The rest is the worker's,
/// and waits for the disk as the start itself does: the last look without reading, the fork, the
/// exec.
///
/// Threads:  `check` on its loop. A thread ends with its check.
/// Lifetime: ends before that loop. A thread that hangs then is abandoned, and touches nothing any
///           more.
class ExecutableCheck {
 public:
  /// Reads one file; may block.
  using Read = std::function<Result<ReadExecutable>(const std::string&)>;

  /// Of the caller: whether the result is still wanted. `end` wakes the waiting check.
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

  /// Reads the `executables` of a server and checks that all are approved. One check for each
  /// `wanted`.
  /// Errors: server_failed with the first file that differs, is not in the lock file, or cannot be
  ///         read; or because the result is no longer wanted.
  Task<Result<ReadExecutables>> check(const ServerConfig& server, std::shared_ptr<Wanted> wanted);

 private:
  class Desk;
  Loop& loop_;
  Read read_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
