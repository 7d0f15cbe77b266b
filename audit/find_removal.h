#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bartizan {

/// The number of the `file_removed` record that tells that retention took away what stood before
/// the files that are there, in the chain that ends in the file at `path`. Nothing where record
/// `sequence` did not stand there, or where no record in the last four files tells so: the file
/// that was removed last is told of near the end. Only the record's own line is judged; whoever can
/// remove files can append such a record, too.
///
/// Cost: two reads a file, and all of up to four files.
std::optional<std::uint64_t> find_removal(const std::string& path, std::uint64_t sequence);

}  // namespace bartizan
