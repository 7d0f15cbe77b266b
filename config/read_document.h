#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.h"
#include "config/schema_files.h"
#include "config/toml_reader.h"

namespace bartizan {

/// A configuration file together with what it includes, merged into one table whose positions
/// still name the file that each value came from, and the schemas that it names.
struct Document {
  TomlValue root;
  std::string digest = {};   ///< SHA-256 of the bytes of all files in order, lower-case hex.
  bool is_complete = false;  ///< All files could be read and parsed.
  /// The entries of `include`, as whole paths.
  std::vector<std::filesystem::path> include_patterns = {};
  SchemaFiles schemas = {};
  /// The bytes of `[pins] file`; nothing where it was reported, or none is named.
  std::optional<std::string> lock = {};
};

/// Reads `file` and includes. What goes wrong is in `problems`, which also learns the files' names.
Document read_document(const std::filesystem::path& file, Problems& problems);

/// The same for a text that is no file, so that `include` is an error in it.
Document read_document_text(std::string_view text, const std::string& name, Problems& problems);

/// Whether a file of that name is one that the last part of an entry of `include` means: `*` stands
/// for any bytes, and dot files are left out, as a shell would.
bool is_included_name(std::string_view pattern, std::string_view name);

}  // namespace bartizan
