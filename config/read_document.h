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

/// A configuration file together with what it includes, merged into one table whose positions
/// still name the file that each value came from, and the schemas that it names.
struct Document {
  TomlValue root;
  std::string digest = {};   ///< SHA-256 of the bytes of all files in order, lower-case hex.
  bool is_complete = false;  ///< All files could be read and parsed.
  /// The entries of `include`, as whole paths.
  std::vector<std::filesystem::path> include_patterns = {};
  ConfigSources sources = {};  ///< A lock file that was reported is not among them.
};

/// Whether `[pins] file` must be there.
enum class MissingLock : std::uint8_t { refuse, accept };

/// Reads `file` and includes. What goes wrong is in `problems`, which also learns the files' names.
Document read_document(const std::filesystem::path& file, Problems& problems,
                       MissingLock missing = MissingLock::refuse);

/// Reads a document as it was when its files were these texts. What goes wrong is in `problems`.
/// Nothing is read from disk.
Document read_sources(const ConfigSources& sources, Problems& problems);

/// Takes out what `permits` replaces, and adds what it says.
void replace_permits(Document& document, const NewPermits& permits, Problems& problems);

/// Reads a text that is no file, so that `include` is an error in it. What goes wrong is in
/// `problems`, under `name`.
Document read_document_text(std::string_view text, const std::string& name, Problems& problems);

/// Whether a file of that name is one that the last part of an entry of `include` means: `*` stands
/// for any bytes, and dot files are left out, as a shell would.
bool is_included_name(std::string_view pattern, std::string_view name);

}  // namespace bartizan
