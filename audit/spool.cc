#include "audit/spool.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "audit/audit_file.h"
#include "audit/file_name.h"
#include "audit/record_lines.h"

namespace bartizan {
namespace {

/// Twice the size at which lines move to the record file, so that a batch at that point has room.
constexpr std::size_t kSpoolBytes = 2 * AuditLog::kHeldMax;
constexpr mode_t kSpoolMode = 0640;

Result<void> write_all(int descriptor, std::string_view bytes, std::size_t offset) {
  ssize_t written = -1;
  do
    written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  while (written < 0 && errno == EINTR);
  if (written < 0) return file_failed("its spool cannot be written");
  if (static_cast<std::size_t>(written) == bytes.size()) return {};
  return file_refused("its spool could be written in part only");
}

/// Whether the blocks of a file stay in place when it is overwritten, even if the file was copied.
bool writes_in_place(int descriptor) {
  struct statfs status{};
  if (::fstatfs(descriptor, &status) != 0) return false;
  return status.f_type == EXT4_SUPER_MAGIC || status.f_type == TMPFS_MAGIC;
}

/// Null if mapping is not possible. The map is locked: a page outside memory would be read from a
/// disk that may fail, which ends the process.
char* map_all(int descriptor) {
  constexpr int protection = PROT_READ | PROT_WRITE;
  void* const map =
      ::mmap(nullptr, kSpoolBytes, protection, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (map == MAP_FAILED) return nullptr;
  if (::mlock(map, kSpoolBytes) == 0) return static_cast<char*>(map);
  ::munmap(map, kSpoolBytes);
  return nullptr;
}

}  // namespace

Spool::Spool(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {
  held_.reserve(kSpoolBytes);
}

Spool::~Spool() {
  if (map_ != nullptr) ::munmap(map_, kSpoolBytes);
  if (descriptor_ >= 0) ::close(descriptor_);
  if (held_.empty()) ::unlink(path_.c_str());
}

Result<std::unique_ptr<Spool>> Spool::create(const std::string& path, Way way) {
  std::string own = spool_path(path);
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int descriptor = ::open(own.c_str(), flags, kSpoolMode);
  if (descriptor < 0) return file_failed("its spool cannot be created");
  std::unique_ptr<Spool> spool(new Spool(descriptor, std::move(own)));
  // Written whole, so that the disk has space for it and the kernel keeps it in large pieces.
  const Result<void> filled = write_all(descriptor, std::string(kSpoolBytes, '\n'), 0);
  if (!filled.has_value()) return std::unexpected(filled.error());
  const bool is_mapped = way == Way::mapped_in_place && writes_in_place(descriptor);
  if (is_mapped) spool->map_ = map_all(descriptor);
  return spool;
}

std::unique_ptr<Spool> Spool::adopt(const std::string& path, std::string held) {
  std::unique_ptr<Spool> spool(new Spool(-1, spool_path(path)));
  spool->end_ = kSpoolBytes;
  spool->held_ = std::move(held);
  return spool;
}

bool Spool::has_room(std::size_t bytes) const {
  return bytes <= kSpoolBytes - end_;
}

// Access to a part that was cut off would end the process.
Result<void> Spool::check_size() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return file_failed("its spool cannot be examined");
  if (status.st_size == static_cast<off_t>(kSpoolBytes)) return {};
  return file_refused("somebody has cut its spool");
}

Result<void> Spool::append(std::string_view lines, AuditLog::Look look) {
  Result<void> written;
  if (map_ == nullptr) {
    written = write_all(descriptor_, lines, end_);
  } else if (look == AuditLog::Look::at_file) {
    written = check_size();
  }
  if (!written.has_value()) {
    // Records that are refused now must not be found there.
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(end_)));
    end_ = kSpoolBytes;
    return written;
  }
  if (map_ != nullptr) std::ranges::copy(lines, map_ + end_);
  end_ += lines.size();
  held_ += lines;
  return {};
}

void Spool::release(std::size_t bytes) {
  const bool is_full = end_ == kSpoolBytes;
  held_.erase(0, bytes);
  if (held_.empty() && !is_full) end_ = 0;
}

Result<SpooledLines> read_spool(const std::string& path, const AuditHead& head) {
  SpooledLines spooled{.head = head};
  const std::string own = spool_path(path);
  struct stat status{};
  if (::lstat(own.c_str(), &status) != 0) {
    if (errno == ENOENT) return spooled;
    return file_failed("its spool cannot be examined");
  }
  spooled.exists = true;
  if (!S_ISREG(status.st_mode)) return file_refused("its spool is not a regular file");
  if (status.st_size > static_cast<off_t>(kSpoolBytes)) {
    return file_refused("its spool is larger than one can be");
  }
  auto lines = RecordLines::open(own);
  if (!lines) return file_refused("its spool " + lines.error().detail);
  const std::vector<std::string> none;
  ChainReader reader(none);
  while (true) {
    const auto line = lines->next();
    if (!line) return file_refused("its spool " + line.error().detail);
    if (line->number == 0) return spooled;
    // A line that is not a record was being written, or fills the rest. Lines after it are older.
    if (line->text.empty()) continue;
    ChainEntry entry = reader.judge(*line, own + ":" + std::to_string(line->number));
    if (!entry.problem.empty()) continue;
    const bool is_head = entry.sequence == head.sequence;
    const bool is_next = entry.sequence == spooled.head.sequence + 1;
    if (is_next && entry.prev == spooled.head.hash) {
      spooled.head = {.sequence = entry.sequence, .hash = entry.hash};
      spooled.text.append(line->text).append("\n");
      spooled.records.push_back(std::move(entry));
    } else if (entry.sequence > spooled.head.sequence || (is_head && entry.hash != head.hash)) {
      if (spooled.unplaced == 0) spooled.unplaced = entry.sequence;
    }
  }
}

}  // namespace bartizan
