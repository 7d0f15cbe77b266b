#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The state file of this process: created if missing, private, and locked. SQLite opens it by its
/// path while this object lives.
///
/// Lifetime: outlives every SQLite connection to it. When a process closes any descriptor of a
///           file, the system drops the process's locks on that file.
/// Threads:  one at a time.
class StateFile {
 public:
  /// Creates the file (0600) or opens the existing one, and locks it. Writes nothing to it.
  /// Errors: io_failed, with a sentence that begins with the path: it is a link, a folder or
  ///         another user's; it is open to others, has a second name, is locked, or is not a state
  ///         file; a part of it is missing; or an error of the system.
  static Result<StateFile> open(const std::string& path);

  /// Its path, with all links in it resolved.
  const std::string& path() const { return path_; }
  /// Whether its path still leads to it.
  bool is_in_place() const;

 private:
  StateFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::string path_;
};

/// The application id that SQLite writes into the header of each state file: `BTZS`. It separates
/// state files from the databases of other programs. Source: SQLite, "Database File Format", 1.3.14
/// Application ID.
inline constexpr std::uint32_t kStateApplication = 0x42545A53;

}  // namespace bartizan
