#include "audit/follow_chain.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_file.h"
#include "audit/chain_files.h"
#include "audit/file_ends.h"
#include "audit/file_name.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// Bytes that are read at once while skipping to the last returned record.
constexpr std::size_t kSearchRead = std::size_t{4} << 20;

int open_file(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

AuditHead FollowedBatch::last() const {
  return {.sequence = records.back().sequence, .hash = records.back().hash};
}

ChainFollower::~ChainFollower() {
  close();
}

void ChainFollower::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Result<FollowedBatch> ChainFollower::next(std::size_t bytes_max) {
  FollowedBatch batch;
  while (true) {
    if (descriptor_ < 0) {
      const Result<bool> opened = open_next(batch);
      if (!opened.has_value()) return std::unexpected(opened.error());
      if (!*opened) return batch;
    }
    // Checked first: then records that were appended before the file was closed are still read.
    const bool is_closed = is_closed_file();
    const Result<bool> read = read_more(batch, bytes_max);
    if (!read.has_value()) {
      close();
      return std::unexpected(read.error());
    }
    if (!batch.records.empty()) return batch;
    if (std::exchange(is_another_, false)) {
      begin_file_anew(batch, name_ + ": record " + std::to_string(last_.sequence) +
                                 " is another one than was read before");
      continue;
    }
    if (*read) continue;
    if (is_shorter()) {
      begin_file_anew(batch, name_ + ": was cut while it was read");
      continue;
    }
    if (is_searching_) {
      begin_file_anew(batch, name_ + ": ends with record " + std::to_string(passed_) +
                                 ", and record " + std::to_string(last_.sequence) +
                                 " was read before");
      continue;
    }
    if (!is_closed) return batch;
    // Bytes after the last record of a closed file are not records, and lead to no other file.
    closed_inode_ = inode_;
    closed_at_ = last_.sequence;
    close();
  }
}

/// Opens the file with the record after the last one. False if there is none yet.
Result<bool> ChainFollower::open_next(FollowedBatch& batch) {
  auto found = find_chain_file(path_, last_.sequence + 1);
  if (!found.has_value()) {
    struct stat status{};
    const bool is_gone = ::lstat(path_.c_str(), &status) != 0 && errno == ENOENT;
    if (is_gone) return false;
    return std::unexpected(found.error());
  }
  if (!found->has_value()) {
    // The present files begin later.
    const auto files = find_chain(path_);
    if (!files.has_value()) return std::unexpected(files.error());
    if (files->empty()) return false;
    const AuditHead before = files->front().before;
    batch.problem = "records " + std::to_string(last_.sequence + 1) + " to " +
                    std::to_string(before.sequence) + " were removed before they were read";
    last_ = before;
    found->emplace(files->front());
  }
  const ChainFile& file = **found;
  if (file.last.sequence == 0) return false;
  if (file.inode == closed_inode_ && last_.sequence == closed_at_) return false;
  inode_ = file.inode;
  is_in_junk_ = false;
  descriptor_ = open_file(file.path);
  if (descriptor_ < 0) return file_failed(file.path + ": cannot be opened");
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0 || status.st_ino != file.inode) {
    close();
    return false;
  }
  name_ = name_of(file.path);
  offset_ = 0;
  is_searching_ = file.before.sequence < last_.sequence;
  before_ = file.before;
  passed_ = file.before.sequence;
  return true;
}

/// Takes whole lines that were not taken yet. False if there are none.
Result<bool> ChainFollower::read_more(FollowedBatch& batch, std::size_t bytes_max) {
  const std::size_t wanted = std::max(is_searching_ ? kSearchRead : bytes_max, kRecordLineMax + 1);
  batch.bytes.resize(wanted);
  std::size_t got = 0;
  while (got < wanted) {
    const ssize_t part = ::pread(descriptor_, batch.bytes.data() + got, wanted - got,
                                 static_cast<off_t>(offset_ + got));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return file_failed(name_ + ": cannot be read");
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  std::size_t taken = 0;
  while (taken < got) {
    const std::string_view rest(batch.bytes.data() + taken, got - taken);
    const std::size_t newline = rest.find('\n');
    if (newline == rest.npos) break;
    if (std::exchange(is_in_junk_, false)) {
      taken += newline + 1;
      continue;
    }
    if (!batch.records.empty() && taken + newline > bytes_max) break;
    if (!take_line(rest.substr(0, newline), offset_ + taken, batch)) break;
    taken += newline + 1;
  }
  // More bytes than a line can have, without a newline.
  const bool is_junk = taken == 0 && got == wanted;
  if (is_junk && !std::exchange(is_in_junk_, true) && !is_searching_ && batch.problem.empty()) {
    batch.problem =
        name_ + ": what follows record " + std::to_string(last_.sequence) + " is not a record";
  }
  offset_ += is_junk ? got : taken;
  return taken > 0 || is_junk;
}

/// False if the line does not continue the records of this batch. The next batch begins with it.
bool ChainFollower::take_line(std::string_view line, std::uint64_t offset, FollowedBatch& batch) {
  const auto parts = split_chain_line(line);
  const bool is_whole = parts.has_value() && is_self_consistent(digester_, *parts);
  // It was reported when it was first read.
  if (is_searching_ && !is_whole) return true;
  if (is_searching_) {
    if (parts->sequence < last_.sequence) {
      passed_ = parts->sequence;
      return true;
    }
    is_searching_ = false;
    if (parts->sequence == last_.sequence) {
      if (parts->hash == last_.hash) return true;
      is_another_ = true;
      return false;
    }
  }
  const bool follows =
      is_whole && parts->sequence == last_.sequence + 1 && parts->prev == last_.hash;
  if (!follows) {
    if (!batch.records.empty()) return false;
    // Blanks that fill a torn tail are not a record, and not a fault of the chain.
    if (batch.problem.empty() && !line.empty()) {
      batch.problem = name_ + ": what follows record " + std::to_string(last_.sequence) +
                      " does not continue it";
    }
    if (!is_whole) return true;
  }
  last_ = {.sequence = parts->sequence, .hash = parts->hash};
  batch.records.push_back({.line = line,
                           .body = parts->body,
                           .sequence = parts->sequence,
                           .hash = parts->hash,
                           .offset = offset});
  return true;
}

/// The last returned record is no longer in the file, because of a cut or a loss of power. It is
/// not known which records were replaced, so the whole file is returned again.
void ChainFollower::begin_file_anew(FollowedBatch& batch, std::string problem) {
  is_searching_ = false;
  batch.problem = std::move(problem);
  last_ = before_;
  offset_ = 0;
}

/// Whether the file ends before the bytes that were taken.
bool ChainFollower::is_shorter() const {
  struct stat status{};
  return ::fstat(descriptor_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) < offset_;
}

/// Whether the path leads to another file by now.
bool ChainFollower::is_closed_file() const {
  struct stat open{};
  struct stat present{};
  if (::fstat(descriptor_, &open) != 0 || ::lstat(path_.c_str(), &present) != 0) return false;
  return open.st_ino != present.st_ino || open.st_dev != present.st_dev;
}

Result<std::string> find_chain_name(const std::string& path) {
  const auto name_in = [](const std::string& file) -> Result<FileBegin> {
    const int descriptor = open_file(file);
    if (descriptor < 0) return file_failed(file + ": cannot be opened");
    const AuditFile open(descriptor);
    return read_begin(descriptor);
  };
  auto begin = name_in(path);
  if (!begin.has_value()) return std::unexpected(begin.error());
  if (!begin->chain.empty()) return begin->chain;
  const auto files = find_chain(path);
  if (!files.has_value()) return std::unexpected(files.error());
  if (files->empty()) return file_refused(path + ": holds no record yet");
  begin = name_in(files->front().path);
  if (!begin.has_value()) return std::unexpected(begin.error());
  return begin->chain.empty() ? hex_of(begin->before.hash) : begin->chain;
}

}  // namespace bartizan
