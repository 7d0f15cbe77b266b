#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "audit/chain_reader.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Lines on their way to the record file, in a separate file that is overwritten again and again.
/// They survive the end of the process as they would in the record file. The spool is far cheaper
/// than small appends to that file, for which the kernel handles a page at a time.
///
/// If the file system writes in place, the spool is mapped, and taking lines is a copy. The pages
/// are present and locked, and their blocks are reserved. Otherwise each part is written:
/// overwriting may need new blocks, which a full disk lacks.
///
/// Only the chain decides which lines the spool holds, so nothing else can be torn. They are the
/// lines that continue the record's last one. The lines after them are older.
///
/// Errors of its functions say what failed, without the path, as those of `AuditFile` do.
/// Threads: one at a time.
class Spool {
 public:
  enum class Way : std::uint8_t { mapped_in_place, written };
  /// Creates the spool beside the record at `path`, with all the space that it will ever need.
  /// Errors: a spool exists already, or a system error.
  static Result<std::unique_ptr<Spool>> create(const std::string& path,
                                               Way way = Way::mapped_in_place);
  /// A spool that an earlier process left. `held` is the part that the record file lacks. It takes
  /// no more lines.
  static std::unique_ptr<Spool> adopt(const std::string& path, std::string held);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  /// Removes the file, unless it holds lines that are nowhere else.
  ~Spool();

  bool has_room(std::size_t bytes) const;
  /// Takes whole lines, all or none. `look` selects whether the size of a mapped file is checked
  /// first. For many appends within a few milliseconds one check is enough.
  /// Cost: a copy, and one system call for the check; without a map, one `pwrite()`.
  Result<void> append(std::string_view lines, AuditLog::Look look);
  /// The lines that were taken and not released, in order.
  std::string_view held() const { return held_; }
  /// Releases the first `bytes`, which are in the record file now.
  void release(std::size_t bytes);

 private:
  Spool(int descriptor, std::string path);
  Result<void> check_size() const;

  int descriptor_;  ///< -1 if adopted.
  std::string path_;
  char* map_ = nullptr;  ///< The whole file; null if it is not mapped.
  std::size_t end_ = 0;  ///< End of the lines in the file, released ones included.
  std::string held_;
};

/// The lines of a spool that its record file lacks.
struct SpooledLines {
  bool exists = false;
  std::string text = {};
  std::vector<ChainEntry> records = {};
  AuditHead head;  ///< Of the last line; without lines, that of the record.
  /// The first spooled record that is not in the record and does not continue it. 0 if none.
  std::uint64_t unplaced = 0;
};

/// Reads the spool of the record at `path`, whose last record is `head`. A missing spool has no
/// lines.
Result<SpooledLines> read_spool(const std::string& path, const AuditHead& head);

}  // namespace bartizan
