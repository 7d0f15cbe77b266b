#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
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

/// Texts by their whole paths, and where a path is named first.
using FileTexts = std::map<std::string, std::string, std::less<>>;
using NamedFiles = std::map<std::string, Position>;

/// What files of one kind may be.
struct FileBounds {
  std::string_view holding;    ///< For an error: `schemas`.
  std::string_view bytes_max;  ///< `size` as an error says it: `256 KiB`.
  std::size_t size = 0;        ///< Of one file, in bytes.
  std::size_t count = 0;       ///< Of all of that kind.
};

/// Reads files that a configuration names, each once, in the order of their paths; `problems`
/// learns their names in that order. Takes what it read from `bytes_left`.
/// Errors: one that cannot be read or is too large is a problem where it is first named, and is
///         left out, as is what goes beyond `bytes_left` and the number of files.
FileTexts read_named_files(const NamedFiles& named, const FileBounds& bounds,
                           std::size_t& bytes_left, Problems& problems);

}  // namespace bartizan
