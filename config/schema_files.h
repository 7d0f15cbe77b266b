#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The files that profiles of tools name as `schema = "file:PATH"`: whole path → bytes.
using SchemaFiles = std::map<std::string, std::string, std::less<>>;

/// The file that the value of a profile's `schema` names, as a whole path; nothing where it is
/// something else.
std::optional<std::string> named_schema_file(const TomlValue& schema, const Problems& problems);

/// Reads the files that the profiles in `root` name, each once, in the order of their paths;
/// `problems` learns their names in that order.
/// Takes what it read from `bytes_left`.
/// Errors: one that cannot be read or is too large is a problem where it is first named, and is
///         left out, as is what goes beyond `bytes_left` bytes and 256 files together.
SchemaFiles read_schema_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems);

/// Reports every file that a profile names: a text that is no file itself can name none.
void refuse_schema_files(const TomlValue& root, Problems& problems);

}  // namespace bartizan
