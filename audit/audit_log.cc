#include "audit/audit_log.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/chain.h"
#include "audit/digest.h"

namespace bartizan {
namespace {

constexpr mode_t kFileMode = 0640;
/// What the buffer of lines may keep between two appends.
constexpr std::size_t kBufferKept = std::size_t{1} << 20;

/// An open file that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

std::unexpected<Error> log_failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::not_recordable, Fault::gateway, "audit file " + path + ": " + what);
}

std::unexpected<Error> call_failed(const std::string& path, const std::string& what, int error) {
  return log_failed(path, what + ": " + std::system_category().message(error));
}

std::unexpected<Error> open_failed(const std::string& path, int error) {
  if (error == ENOENT) return log_failed(path, "its folder does not exist");
  if (error == ELOOP) return log_failed(path, "it is a symbolic link, which is not followed");
  return call_failed(path, "cannot be opened", error);
}

// A new file outlives a loss of power only once its folder was written too.
void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.get());
}

Result<File> open_file(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  File file(::open(path.c_str(), kFlags));
  if (file) return file;
  if (errno != ENOENT) return open_failed(path, errno);
  File created(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode));
  if (!created) return open_failed(path, errno);
  sync_folder(path);
  return created;
}

// Two writers would fork the chain, so the lock is taken before anything is read.
Result<std::uint64_t> lock_and_measure(int descriptor, const std::string& path) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return call_failed(path, "cannot be examined", errno);
  if (!S_ISREG(status.st_mode)) return log_failed(path, "it is not a regular file");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return log_failed(path, "another process is writing it");
    return call_failed(path, "cannot be locked", errno);
  }
  if (::fstat(descriptor, &status) != 0) return call_failed(path, "cannot be examined", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

/// The end of a file: from the start of its last complete line, or from the limit.
struct Tail {
  std::string bytes;
  std::uint64_t offset = 0;  ///< Of `bytes` in the file.
};

Result<Tail> read_tail(int descriptor, const std::string& path, std::uint64_t size) {
  // The torn part and the line before it, each at its longest.
  const std::uint64_t wanted = std::min<std::uint64_t>(size, 2 * (kRecordLineMax + 1));
  Tail tail{.bytes = std::string(wanted, '\0'), .offset = size - wanted};
  std::uint64_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(descriptor, tail.bytes.data() + done, wanted - done,
                                static_cast<off_t>(tail.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return call_failed(path, "cannot be read", errno);
    if (got == 0) return log_failed(path, "it became shorter while it was read");
    done += static_cast<std::uint64_t>(got);
  }
  return tail;
}

// A crash leaves the beginning of a record, a loss of power may leave zeros. Anything else was
// never ours, and somebody else's file is not cut.
bool is_torn_record(std::string_view text) {
  const std::string_view start = text.substr(0, kRecordLineStart.size());
  return kRecordLineStart.starts_with(start) ||
         text.find_first_not_of('\0') == std::string_view::npos;
}

/// What the end of the file says.
struct End {
  AuditHead head;
  std::uint64_t size = 0;  ///< Of the file without its torn tail.
};

Result<End> read_end(const Tail& tail, const std::string& path, Digester& digester) {
  const std::string_view bytes = tail.bytes;
  const std::size_t newline = bytes.rfind('\n');
  const std::size_t complete = newline == std::string_view::npos ? 0 : newline + 1;
  if (!is_torn_record(bytes.substr(complete))) {
    return log_failed(path, "its last line is not a record");
  }
  if (bytes.size() - complete > kRecordLineMax || (complete == 0 && tail.offset > 0)) {
    return log_failed(path, "its last line is longer than a record can be");
  }
  if (complete == 0) return End{};

  const std::size_t before = newline == 0 ? std::string_view::npos : bytes.rfind('\n', newline - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const auto line = split_chain_line(bytes.substr(begin, newline - begin));
  if (!line || !is_self_consistent(digester, *line)) {
    return log_failed(path, "its last record does not verify: somebody changed the file");
  }
  return End{.head = {.sequence = line->sequence, .hash = line->hash},
             .size = tail.offset + complete};
}

}  // namespace

struct AuditLog::State {
  std::string path;
  File file;
  Digester digester;
  AuditHead head;
  std::uint64_t size = 0;  ///< Of the file as far as the chain vouches for it.
  bool torn = false;       ///< Bytes that no record vouches for may stand behind `size`.
  std::string lines = {};

  Result<void> cut_back();
  AuditHead link(std::span<const EncodedRecord> records);
  Result<void> write_lines();
};

// Only shortens: had somebody else cut the file, growing it again would fill it with zeros.
Result<void> AuditLog::State::cut_back() {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return call_failed(path, "cannot be examined", errno);
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found < size) return log_failed(path, "it is shorter than what was written to it");
  if (found > size && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    return call_failed(path, "a part of a record cannot be cut off", errno);
  }
  torn = false;
  return {};
}

AuditHead AuditLog::State::link(std::span<const EncodedRecord> records) {
  AuditHead next = head;
  lines.clear();
  for (const EncodedRecord& record : records) {
    const Hash prev = next.hash;
    next.sequence += 1;
    next.hash = chain_hash(digester, prev, next.sequence, record.digest);
    append_chain_line(
        lines, {.body = record.body, .sequence = next.sequence, .prev = prev, .hash = next.hash});
  }
  return next;
}

// A short write is not continued: it means that the disk is full or the file at its limit, and
// what follows would be refused anyway.
Result<void> AuditLog::State::write_lines() {
  ssize_t written = -1;
  do
    written = ::write(file.get(), lines.data(), lines.size());
  while (written < 0 && errno == EINTR);
  const int error = errno;
  if (written == static_cast<ssize_t>(lines.size())) return {};
  torn = true;
  const auto cut = cut_back();
  if (!cut) return cut;
  if (written < 0) return call_failed(path, "cannot be written", error);
  return log_failed(path, "only a part of a record could be written");
}

std::string AuditHead::text() const {
  const std::array<char, 64> hex = hex_text(hash);
  return std::to_string(sequence) + ":" + std::string(hex.data(), hex.size());
}

Result<AuditLog::Opened> AuditLog::open(const std::string& path) {
  auto file = open_file(path);
  if (!file) return std::unexpected(file.error());
  const auto size = lock_and_measure(file->get(), path);
  if (!size) return std::unexpected(size.error());
  const auto tail = read_tail(file->get(), path, *size);
  if (!tail) return std::unexpected(tail.error());

  Digester digester;
  const auto end = read_end(*tail, path, digester);
  if (!end) return std::unexpected(end.error());
  auto state = std::make_unique<State>(State{.path = path,
                                             .file = std::move(*file),
                                             .digester = std::move(digester),
                                             .head = end->head,
                                             .size = end->size});
  const auto cut = state->cut_back();
  if (!cut) return std::unexpected(cut.error());
  return Opened{.log = AuditLog(std::move(state)), .repaired_bytes = *size - end->size};
}

AuditLog::AuditLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
AuditLog::AuditLog(AuditLog&&) noexcept = default;
AuditLog& AuditLog::operator=(AuditLog&&) noexcept = default;
AuditLog::~AuditLog() = default;

Result<AuditHead> AuditLog::append(std::span<const EncodedRecord> records) {
  if (state_->torn) {
    const auto cut = state_->cut_back();
    if (!cut) return std::unexpected(cut.error());
  }
  if (records.empty()) return state_->head;
  const AuditHead next = state_->link(records);
  const auto written = state_->write_lines();
  const std::size_t size = state_->lines.size();
  if (state_->lines.capacity() > kBufferKept) state_->lines = std::string();
  if (!written) return std::unexpected(written.error());
  state_->size += size;
  state_->head = next;
  return next;
}

Result<void> AuditLog::sync() {
  if (::fdatasync(state_->file.get()) == 0) return {};
  return call_failed(state_->path, "cannot be made durable", errno);
}

int AuditLog::descriptor() const {
  return state_->file.get();
}
AuditHead AuditLog::head() const {
  return state_->head;
}
const std::string& AuditLog::path() const {
  return state_->path;
}

}  // namespace bartizan
