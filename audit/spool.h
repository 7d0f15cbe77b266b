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

/// Lines of the record on their way to its file, in a file of their own, which is written over
/// again and again: as safe from the end of the process as in the record, at a fraction of what the
/// kernel takes to append them in small parts, a page at a time.
///
/// Where the file system writes in place it is mapped, and to take lines is to copy them: the pages
/// are there and locked, and there is room for them. Elsewhere, where writing over may need room,
/// which a full disk has not, each part is written.
///
/// What it holds is told by the chain alone, so there is nothing else that could be torn: the lines
/// from its beginning that continue the record's last one. What stands behind them is older.
///
/// Errors of its functions say what failed, without the path, as those of `AuditFile` do.
/// Threads: one at a time.
class Spool {
 public:
  enum class Way : std::uint8_t { mapped_in_place, written };
  /// Creates it beside the record at `path`, with all the room that it will ever need.
  /// Errors: there is one already, or what the system says.
  static Result<std::unique_ptr<Spool>> create(const std::string& path,
                                               Way way = Way::mapped_in_place);
  /// One that a process left, of which `held` is not in the record yet. It takes nothing more.
  static std::unique_ptr<Spool> adopt(const std::string& path, std::string held);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  /// Removes the file, unless it holds what nobody else has.
  ~Spool();

  bool has_room(std::size_t bytes) const;
  /// Takes whole lines. All or none. `look` says whether it looks at the file's size first: whoever
  /// appends many times in a few milliseconds looks once. Cost: a copy, and one system call where
  /// it looks; or one `pwrite()`.
  Result<void> append(std::string_view lines, AuditLog::Look look);
  /// What was taken and not released, in order.
  std::string_view held() const { return held_; }
  /// So many bytes of it are in the record's file now.
  void release(std::size_t bytes);

 private:
  Spool(int descriptor, std::string path);
  Result<void> check_size() const;

  int descriptor_;  ///< -1 of one that was adopted.
  std::string path_;
  char* map_ = nullptr;  ///< All of the file; null where it is not mapped.
  std::size_t end_ = 0;  ///< Of the lines in the file, released ones included.
  std::string held_;
};

/// What a spool has that its record has not.
struct SpooledLines {
  bool exists = false;
  std::string text = {};
  std::vector<ChainEntry> records = {};
  AuditHead head;  ///< Of the last one, or of the record where there is none.
  /// The first record there that neither is in the record nor continues it; 0 for none.
  std::uint64_t unplaced = 0;
};

/// Reads the spool of the record at `path`, whose last record is `head`. A missing one has nothing.
Result<SpooledLines> read_spool(const std::string& path, const AuditHead& head);

}  // namespace bartizan
