#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The folder of a path, with its slash. `./` if the path has no folder.
std::string folder_of(std::string_view path);
/// The path without its folder.
std::string_view name_of(std::string_view path);

/// The name, without folder, under which the file at `path` is kept after it is closed. For
/// `audit.jsonl` it is `audit-20261121T120000Z-000000000001.jsonl`. The stamp is the time of
/// closing (UTC). The number is that of the first record. Names sort by time.
std::string rotated_name(std::string_view path, std::chrono::system_clock::time_point time,
                         std::uint64_t first_sequence);

/// The number in a name that `rotated_name` made for `path`. Nothing for any other name. Names are
/// read from files, so an accepted name can never lead to another folder.
std::optional<std::uint64_t> rotated_sequence(std::string_view path, std::string_view name);

/// The path of the next file while it is prepared, beside the current one.
std::string next_path(std::string_view path);

/// The path of the spool, beside the file: it holds lines that are not yet in the file.
std::string spool_path(std::string_view path);

}  // namespace bartizan
