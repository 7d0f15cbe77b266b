#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A whole configuration to begin with: one key, one role that reads files, and the official file
/// server on `FOLDER/data`. The README shows it.
///
/// Input: `folder` is an absolute path; `sha256` the lower-case hex of the key's digest.
std::string example_config(std::string_view folder, std::string_view sha256);

}  // namespace bartizan
