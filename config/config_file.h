#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"

namespace bartizan {

/// `path` resolved against the folder of `file`; lexically normal, without a final slash.
std::string absolute_path(std::string_view path, const std::string& file);

/// The bytes of a regular file. A file larger than `bytes_max` gives `bytes_max + 1` bytes, so that
/// the caller can report it.
/// Errors: reports a file that cannot be read at `where`.
std::optional<std::string> read_config_file(const std::filesystem::path& path,
                                            std::size_t bytes_max, Position where,
                                            Problems& problems);

/// File texts by absolute path.
using FileTexts = std::map<std::string, std::string, std::less<>>;
using NamedFiles = std::map<std::string, Position>;

/// Limits on the files of one kind.
struct FileBounds {
  std::string_view holding;    ///< For errors: `schemas`.
  std::string_view bytes_max;  ///< `size` for errors: `256 KiB`.
  std::size_t size = 0;        ///< Bytes per file, at most.
  std::size_t count = 0;       ///< Files of this kind, at most.
};

/// Reads files that a configuration names, each once, in the order of their paths. Adds their names
/// to `problems` in that order. Subtracts their sizes from `bytes_left`.
/// Errors: reports a file that cannot be read or is too large at its first mention, and leaves it
///         out. The same holds for files beyond `bytes_left` or the maximum count.
FileTexts read_named_files(const NamedFiles& named, const FileBounds& bounds,
                           std::size_t& bytes_left, Problems& problems);

}  // namespace bartizan
