#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "audit/audit_log.h"

namespace bartizan {

/// One file of a chain, described by its first and its last record.
struct ChainFile {
  std::string path;
  AuditHead before;           ///< The head that its first record continues.
  std::string previous = {};  ///< Name of the file before it; empty at the start of the chain.
  AuditHead last = {};
  std::chrono::system_clock::time_point ended;  ///< The time of its last record.
  dev_t device = 0;
  ino_t inode = 0;
};

/// The files of the chain that ends in the file at `path`, oldest first, with that file last.
///
/// The first record of each file names the file before it. That file only belongs to the chain if
/// its last record has the hash that was continued. So no other file is ever taken for a part of
/// the chain, whatever its name. Does not follow links. A missing or unsuitable file ends the
/// search.
/// Cost: two reads per file.
Result<std::vector<ChainFile>> find_chain(const std::string& path);

/// The file of that chain that holds record `sequence`: the last file that begins before it.
/// Nothing if the present files begin later.
/// Errors: io_failed for a file that exists but cannot be opened: no permission, no descriptor.
/// Cost:   two reads per file, from the last one back.
Result<std::optional<ChainFile>> find_chain_file(const std::string& path, std::uint64_t sequence);

/// The paths of `find_chain`. If the file cannot be read, `path` alone: reading it reports the
/// reason.
std::vector<std::string> chain_paths(const std::string& path);

/// Removes a closed file, if its path still leads to the file that was examined.
Result<void> remove_file(const ChainFile& file);

}  // namespace bartizan
