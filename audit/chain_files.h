#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "audit/audit_log.h"

namespace bartizan {

/// One file of a chain, by its first and its last record.
struct ChainFile {
  std::string path;
  AuditHead before;           ///< The head that its first record continues.
  std::string previous = {};  ///< Name of the file before it; empty where the chain begins.
  AuditHead last = {};
  std::chrono::system_clock::time_point ended;  ///< When its last record was made.
  dev_t device = 0;
  ino_t inode = 0;
};

/// The files of the chain that ends in the file at `path`, oldest first, that one last. Each file's
/// first record names the one before it, and is believed only where that one's last record has the
/// hash that was continued; so no other file is ever taken for a part of the chain, whatever its
/// name. Links are not followed. A file that is missing, or does not fit, ends the search.
/// Cost: two reads a file.
Result<std::vector<ChainFile>> find_chain(const std::string& path);

/// The file of that chain that has record `sequence`: the last one that begins before it. Nothing
/// where the files that are there begin later.
/// Errors: io_failed for a file that is there and cannot be opened: no permission, no descriptor.
/// Cost:   two reads a file, from the last one back.
Result<std::optional<ChainFile>> find_chain_file(const std::string& path, std::uint64_t sequence);

/// The paths of `find_chain`, or `path` alone where it cannot be read: whoever reads it will say
/// why.
std::vector<std::string> chain_paths(const std::string& path);

/// Removes a closed file, if its path still leads to what was looked at.
Result<void> remove_file(const ChainFile& file);

}  // namespace bartizan
