#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"

namespace bartizan {

/// `path` against the folder of `file`, without dots and a final slash.
std::string absolute_path(std::string_view path, const std::string& file);

/// The bytes of a regular file. Of one that is larger than `bytes_max` there is one byte more, so
/// that whoever asked can say so.
/// Errors: one that cannot be read is a problem at `where`.
std::optional<std::string> read_config_file(const std::filesystem::path& path,
                                            std::size_t bytes_max, Position where,
                                            Problems& problems);

}  // namespace bartizan
