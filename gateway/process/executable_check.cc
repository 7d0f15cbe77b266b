#include "gateway/process/executable_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gateway/process/file_digest.h"
#include "gateway/process/start_failure.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using Approved = std::map<std::string, std::string>;

constexpr std::size_t kThreadsMax = 4;
constexpr std::size_t kThreadsOfServer = kThreadsMax / 2;
constexpr std::size_t kWaitingMax = 256;
constexpr std::string_view kNotWanted = "was not read to its end: the server was stopped";

std::unexpected<Error> failed(const std::string& path, std::string_view why) {
  return fail(ErrorCode::server_failed, Fault::server,
              fmt::format("executable \"{:.200}\" {}", path, why));
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

ReadExecutable::State state_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .bytes = status.st_size,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

/// The wait of one start. Touched only on its loop; a thread only checks whether it still exists.
struct Asked {
  std::shared_ptr<ExecutableCheck::Wanted> wanted;
  std::optional<Result<ReadExecutables>> answer;
};

Result<ReadExecutables> read_all(const Approved& approved, const ExecutableCheck::Read& read,
                                 const std::weak_ptr<Asked>& asked) {
  ReadExecutables files;
  for (const auto& [path, sha256] : approved) {
    // The caller may have gone, and nobody wants the rest.
    if (asked.expired()) break;
    Result<ReadExecutable> file = read(path);
    if (!file.has_value()) return std::unexpected(file.error());
    if (file->sha256 != sha256) {
      return failed(
          path, fmt::format("is not what was approved: its SHA-256 is {}, and the lock file has {}",
                            file->sha256, sha256));
    }
    files.emplace(path, *std::move(file));
  }
  return files;
}

}  // namespace

Result<ReadExecutable> read_executable(const std::string& path) {
  const auto cannot = [&path](int error) {
    return failed(path, "cannot be read: " + reason_of(error));
  };
  // Looked at first: to open a device or a pipe may do something, or never end.
  const Descriptor found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (found.get() < 0) return cannot(errno);
  struct stat status{};
  if (::fstat(found.get(), &status) != 0) return cannot(errno);
  if (!S_ISREG(status.st_mode)) return failed(path, "is not a regular file");
  const std::string link = "/proc/self/fd/" + std::to_string(found.get());
  Descriptor file(::open(link.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) return cannot(errno);
  std::optional<std::string> sha256 = digest_rest(file, limits::executable_bytes_max);
  if (!sha256.has_value()) return cannot(EIO);
  if (sha256->empty()) return failed(path, "is larger than 1 GiB, which is not read");
  return ReadExecutable{
      .sha256 = *std::move(sha256), .state = state_of(status), .file = std::move(file)};
}

Result<void> check_unchanged(const ReadExecutables& files) {
  for (const auto& [path, file] : files) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
      return failed(path, "disappeared after it was read: " + reason_of(errno));
    }
    if (state_of(status) != file.state) return failed(path, "was changed while it was read");
  }
  return {};
}

Result<Image> find_image(const ReadExecutables& files, std::string_view name,
                         const std::string& program) {
  static constexpr std::string_view kElf = "\177ELF";
  // The file that was read under that name, wherever it leads by now.
  auto found = files.find(program);
  struct stat status{};
  if (found == files.end() && ::stat(program.c_str(), &status) == 0) {
    found = std::ranges::find_if(
        files, [&](const auto& entry) { return entry.second.state == state_of(status); });
  }
  if (found == files.end()) {
    const auto approved = std::ranges::find_if(
        files, [&](const auto& entry) { return file_name(entry.first) == name; });
    if (approved == files.end()) return Image();
    return failed(approved->first, fmt::format("was approved, but the command resolves to "
                                               "\"{:.200}\": write the whole path into command",
                                               program));
  }
  const Descriptor& file = found->second.file;
  std::array<char, kElf.size()> head{};
  const ssize_t size = ::pread(file.get(), head.data(), head.size(), 0);
  const bool is_elf = std::cmp_equal(size, kElf.size()) && std::ranges::equal(head, kElf);
  return Image{.file = is_elf ? &file : nullptr};
}

/// The places of checks, and the state that the threads share with them. They may outlive the
/// check.
class ExecutableCheck::Desk : public std::enable_shared_from_this<Desk> {
 public:
  // On the loop.

  bool has_place(const std::string& server) const {
    const auto own = busy_.find(server);
    return threads_ < kThreadsMax && (own == busy_.end() || own->second < kThreadsOfServer);
  }
  void take(const std::string& server) {
    ++threads_;
    ++busy_[server];
  }
  void leave(const std::string& server) {
    --threads_;
    const auto own = busy_.find(server);
    if (--own->second == 0) busy_.erase(own);
    for (const std::weak_ptr<Wanted>& one : std::exchange(waiting_, {})) {
      if (const auto waiting = one.lock()) waiting->changed.notify();
    }
  }
  /// False where too many wait already.
  bool wait(const std::shared_ptr<Wanted>& wanted) {
    std::erase_if(waiting_, [](const std::weak_ptr<Wanted>& one) { return one.expired(); });
    if (waiting_.size() >= kWaitingMax) return false;
    waiting_.push_back(wanted);
    return true;
  }

  // On any thread.

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  /// The lock keeps the loop: it ends after `close`.
  void answer(Loop& loop, const std::string& server, std::weak_ptr<Asked> asked,
              Result<ReadExecutables> answer) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    loop.post_answer([desk = shared_from_this(), server, asked = std::move(asked),
                      answer = std::move(answer)]() mutable {
      desk->leave(server);
      const std::shared_ptr<Asked> waiting = asked.lock();
      if (waiting == nullptr) return;
      waiting->answer = std::move(answer);
      waiting->wanted->changed.notify();
    });
  }

 private:
  std::size_t threads_ = 0;
  std::map<std::string, std::size_t> busy_;  ///< Threads, by server; of those that have any.
  std::vector<std::weak_ptr<Wanted>> waiting_;
  std::mutex mutex_;
  bool is_closed_ = false;
};

ExecutableCheck::ExecutableCheck(Loop& loop, Read read)
    : loop_(loop), read_(std::move(read)), desk_(std::make_shared<Desk>()) {}

ExecutableCheck::~ExecutableCheck() {
  desk_->close();
}

void ExecutableCheck::Wanted::end() {
  is_over = true;
  changed.notify();
}

Task<Result<ReadExecutables>> ExecutableCheck::check(const ServerConfig& config,
                                                     std::shared_ptr<Wanted> wanted) {
  const std::string server = config.name;
  Approved approved = config.executables;
  for (const auto& [path, sha256] : approved) {
    if (!sha256.empty()) continue;
    co_return failed(
        path,
        "is not in the lock file, so it is not approved; bartizan check shows what to add there");
  }
  const std::string first = approved.empty() ? std::string() : approved.begin()->first;
  const Clock::time_point deadline = steady_now() + limits::executables_deadline;
  const auto left = [deadline] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_now());
  };
  const std::shared_ptr<Desk> desk = desk_;
  while (!desk->has_place(server)) {
    const bool may_wait = left().count() > 0 && desk->wait(wanted);
    if (!may_wait || co_await wanted->changed.wait(left()) == Signal::Woken::timed_out) {
      co_return failed(first, "was not read: too many files of servers are being read now");
    }
    if (wanted->is_over) co_return failed(first, kNotWanted);
  }
  desk->take(server);
  const auto asked = std::make_shared<Asked>(wanted);
  try {
    // Nobody waits for its end: a thread on a hanging disk ends when the disk answers.
    start_thread([desk, server, approved = std::move(approved), read = read_, &loop = loop_,
                  asked = std::weak_ptr(asked)]() mutable {
      Result<ReadExecutables> files = read_all(approved, read, asked);
      desk->answer(loop, server, std::move(asked), std::move(files));
    }).detach();
  } catch (const std::system_error&) {
    desk->leave(server);
    co_return failed(first, "was not read: the machine could not start a thread for it");
  }
  // An earlier notification may still be noted.
  auto woken = Signal::Woken::notified;
  while (!asked->answer.has_value() && !wanted->is_over && woken == Signal::Woken::notified)
    woken = co_await wanted->changed.wait(left());
  if (asked->answer.has_value()) co_return *std::move(asked->answer);
  if (wanted->is_over) co_return failed(first, kNotWanted);
  co_return failed(first, fmt::format("or another one was not read within {} s",
                                      limits::executables_deadline.count()));
}

}  // namespace bartizan
