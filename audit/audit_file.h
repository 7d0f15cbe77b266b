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
/// Errors of its functions say what failed, without the path: the caller knows it.
/// Threads: `sync`, `write_back` and `write_again` from any; the others one at a time.
class AuditFile {
 public:
  using Ptr = std::shared_ptr<AuditFile>;

  /// Opens and locks the file; null where there is none. Links are not followed.
  /// Errors: it is no regular file, another process holds it, or what the system says.
  static Result<Ptr> open(const std::string& path);
  /// Creates it, readable for owner and group (0640); an error where one exists.
  static Result<Ptr> create(const std::string& path);

  explicit AuditFile(int descriptor) : descriptor_(descriptor) {}
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;
  ~AuditFile();

  int descriptor() const { return descriptor_; }
  Result<std::uint64_t> size() const;
  /// Whether `path` leads to this very file.
  bool is_at(const std::string& path) const;
  /// Nothing but ourselves may have touched it: it has a name still, and the size that we know.
  Result<void> check(std::uint64_t size) const;
  /// How much of what was to be written was, and why not all.
  struct Written {
    std::uint64_t bytes = 0;
    Result<void> done = {};
  };
  /// One `write()`; what is written in part is an error.
  Written append(std::string_view bytes) const;
  /// One `pwrite()` over what stands at `offset`; what is written in part is an error.
  Written write_over(std::uint64_t offset, std::string_view bytes) const;
  /// Cuts off what stands behind `size`. Only shortens: had somebody else cut the file, growing it
  /// again would fill it with zeros.
  Result<void> shorten(std::uint64_t size) const;
  /// Makes what was written survive a loss of power. After a failure only of what was written since
  /// does a success say anything: the kernel may have dropped what it could not write.
  Result<void> sync() const;
  /// The size that the file had after the last sync that failed; 0 where none did. What stands
  /// before it, and was not written again, may be lost, whatever later syncs say.
  std::uint64_t unsure_bytes() const { return unsure_bytes_.load(std::memory_order_relaxed); }
  /// Has the kernel begin to write that part to the disk, and drop from memory what of it is there
  /// already. Nothing depends on it: a file system that cannot is not told of.
  /// Cost: that of beginning to write, which a disk that is slow holds up; it does not wait until
  ///       what was begun is there.
  /// Source: posix_fadvise(2), POSIX_FADV_DONTNEED.
  void write_back(std::uint64_t from, std::uint64_t to) const;
  /// Writes the same bytes once more at the place where they stand, so that the kernel no longer
  /// takes for clean what it could not write.
  Result<void> write_again(std::uint64_t offset, std::string_view bytes) const;

 private:
  int descriptor_;
  mutable std::atomic<std::uint64_t> unsure_bytes_ = 0;
};

/// Makes names in the folder of `path` survive a loss of power.
Result<void> sync_folder(const std::string& path);

/// What the last failed call left in `errno`, as an error: `what: why`.
std::unexpected<Error> file_failed(const std::string& what);
/// An error that the system knows nothing of.
std::unexpected<Error> file_refused(const std::string& what);

}  // namespace bartizan
