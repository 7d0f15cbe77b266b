#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_sources.h"
#include "config/new_permits.h"
#include "config/problems.h"
#include "config/schema_files.h"
#include "config/toml_reader.h"

namespace bartizan {

/// A configuration file merged with its includes into one table, and the other files that it names.
/// Positions still name the file of each value.
struct Document {
  TomlValue root;
  std::string digest = {};   ///< SHA-256 of the bytes of all files in order, lower-case hex.
  bool is_complete = false;  ///< All files were read and parsed.
  /// The entries of `include`, as absolute paths.
  std::vector<std::filesystem::path> include_patterns = {};
  ConfigSources sources = {};  ///< Without a lock file that has problems.
};

/// Whether a missing `[pins] file` is an error.
enum class MissingLock : std::uint8_t { refuse, accept };

/// Reads `file` and its includes. Reports problems, and adds the names of the files to `problems`.
Document read_document(const std::filesystem::path& file, Problems& problems,
                       MissingLock missing = MissingLock::refuse);

/// Reads a document as it was when its files had these texts. Reports problems. Does not access the
/// disk.
Document read_sources(const ConfigSources& sources, Problems& problems);

/// Removes the entries that `permits` replaces, and adds the new ones.
void replace_permits(Document& document, const NewPermits& permits, Problems& problems);

/// Reads a text that is not a file; `include` is an error in it. Reports problems under `name`.
Document read_document_text(std::string_view text, const std::string& name, Problems& problems);

/// Whether a file name matches the last part of an `include` entry. `*` matches any bytes. Dot
/// files do not match, as in a shell.
bool is_included_name(std::string_view pattern, std::string_view name);

}  // namespace bartizan
