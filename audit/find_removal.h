#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bartizan {

/// The number of the `file_removed` record for the file before the oldest present one, in the chain
/// that ends in the file at `path`. It reports that retention removed that file. Nothing if record
/// `sequence` was not before the present files, or if the last four files have no such record. The
/// record is near the end, because it reports the latest removal. Only that record's own line is
/// verified. A process that can remove files can also append such a record.
///
/// Cost: two reads per file, and all of up to four files.
std::optional<std::uint64_t> find_removal(const std::string& path, std::uint64_t sequence);

}  // namespace bartizan
