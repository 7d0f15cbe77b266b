#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "schemas/base/result.h"

namespace bartizan {

/// One record file, open for appending and locked: two writers would fork the chain.
///
/// Errors of its functions say what failed, without the path, which the caller knows.
/// Threads: any for `sync`, `write_back` and `write_again`; one at a time for the others.
class AuditFile {
 public:
  using Ptr = std::shared_ptr<AuditFile>;

  /// Opens and locks the file. Returns null if it does not exist. Does not follow links.
  /// Errors: the file is not regular, another process has it locked, or a system error.
  static Result<Ptr> open(const std::string& path);
  /// Creates the file with mode 0640: readable for owner and group.
  /// Errors: the file exists, another process has it locked, or a system error.
  static Result<Ptr> create(const std::string& path);

  explicit AuditFile(int descriptor) : descriptor_(descriptor) {}
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;
  ~AuditFile();

  int descriptor() const { return descriptor_; }
  Result<std::uint64_t> size() const;
  /// Whether `path` leads to this very file.
  bool is_at(const std::string& path) const;
  /// Checks that no other process changed the file: it still has a name, and `size` bytes.
  Result<void> check(std::uint64_t size) const;
  /// The result of a write: the bytes that were written, and the error if they are not all.
  struct Written {
    std::uint64_t bytes = 0;
    Result<void> done = {};
  };
  /// Appends with one `write()`. A partial write is an error.
  Written append(std::string_view bytes) const;
  /// Overwrites the bytes at `offset` with one `pwrite()`. A partial write is an error.
  Written write_over(std::uint64_t offset, std::string_view bytes) const;
  /// Cuts the file off after `size` bytes. Never extends it: if another process had cut it,
  /// extending would fill it with zeros.
  Result<void> shorten(std::uint64_t size) const;
  /// Makes written bytes survive a loss of power. After a failure, a success only covers bytes that
  /// were written since: the kernel may have dropped the others.
  Result<void> sync() const;
  /// The size of the file after the last failed sync; 0 without a failure. Bytes before it that
  /// were not written again may be lost, whatever later syncs report.
  std::uint64_t unsure_bytes() const { return unsure_bytes_.load(std::memory_order_relaxed); }
  /// Asks the kernel to start writing that part to the disk, and to drop from memory the bytes that
  /// are already there. Nothing depends on it, so errors are ignored.
  /// Cost: the start of the write, which a slow disk delays. It does not wait for the end.
  /// Source: posix_fadvise(2), POSIX_FADV_DONTNEED.
  void write_back(std::uint64_t from, std::uint64_t to) const;
  /// Writes the same bytes again at the same offset, so that the kernel no longer regards pages
  /// that it failed to write as clean.
  Result<void> write_again(std::uint64_t offset, std::string_view bytes) const;

 private:
  int descriptor_;
  mutable std::atomic<std::uint64_t> unsure_bytes_ = 0;
};

/// Makes names in the folder of `path` survive a loss of power.
Result<void> sync_folder(const std::string& path);

/// An error from `errno` of the last failed call: `what: why`.
std::unexpected<Error> file_failed(const std::string& what);
/// An error that does not come from the system.
std::unexpected<Error> file_refused(const std::string& what);

}  // namespace bartizan
