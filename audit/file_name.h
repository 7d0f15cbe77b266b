#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The folder of a path with its slash; `./` where the path names none.
std::string folder_of(std::string_view path);
/// The path without its folder.
std::string_view name_of(std::string_view path);

/// The name, without folder, under which the file at `path` is kept once it is closed:
/// `audit-20261121T120000Z-000000000001.jsonl` for `audit.jsonl`. The stamp is the time of closing
/// (UTC), the number that of the first record; names sort by time.
std::string rotated_name(std::string_view path, std::chrono::system_clock::time_point time,
                         std::uint64_t first_sequence);

/// The number in a name that `rotated_name` made for `path`; nothing for any other name. Names come
/// out of files, so what is accepted here can never lead to another folder.
std::optional<std::uint64_t> rotated_sequence(std::string_view path, std::string_view name);

/// Where the next file is prepared: beside the file, until it takes its place.
std::string next_path(std::string_view path);

/// Where lines of the file stand that are on their way to it: beside it.
std::string spool_path(std::string_view path);

}  // namespace bartizan
