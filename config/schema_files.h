#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The schema files of tool profiles, `schema = "file:PATH"`: absolute path → bytes.
using SchemaFiles = std::map<std::string, std::string, std::less<>>;

/// The absolute path of the file that a profile's `schema` names. Nothing if it is not a file.
std::optional<std::string> named_schema_file(const TomlValue& schema, const Problems& problems);

/// Reads the files that the profiles in `root` name, each once, in the order of their paths. Adds
/// their names to `problems` in that order. Subtracts their sizes from `bytes_left`.
/// Errors: reports a file that cannot be read or is too large at its first mention, and leaves it
///         out. The same holds for files beyond `bytes_left` or beyond 256 files.
SchemaFiles read_schema_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems);

/// Reports every file that a profile names. For a text that is not a file and so cannot name files.
void refuse_schema_files(const TomlValue& root, Problems& problems);

}  // namespace bartizan
