#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The state file of this process: made where there is none, ours alone, and locked. SQLite opens
/// it by its path while this object lives.
///
/// Lifetime: outlives every connection of SQLite's to it: the system drops the locks of a process
///           on a file when it closes any descriptor of that.
/// Threads:  one at a time.
class StateFile {
 public:
  /// Makes it (0600) or takes the one that is there, and locks it. Nothing is written to it.
  /// Errors: io_failed, the sentence begins with the path: it is a link, a folder or another's,
  ///         open to others, has a second name, is locked, is no database of ours; or a part of it
  ///         is missing; or what the system says.
  static Result<StateFile> open(const std::string& path);

  /// Where it is, without links on the way.
  const std::string& path() const { return path_; }
  /// Whether its name still leads to it.
  bool is_in_place() const;

 private:
  StateFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::string path_;
};

/// What SQLite writes into the header of each state file, so that no other program's is taken for
/// one: `BTZS`. Source: SQLite, "Database File Format", 1.3.14 Application ID.
inline constexpr std::uint32_t kStateApplication = 0x42545A53;

}  // namespace bartizan
