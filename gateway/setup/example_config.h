#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A complete configuration to start with: one key, one role that reads files, and the official
/// file server on `FOLDER/data`. The README shows it.
///
/// Input: `folder`, an absolute path; `sha256`, the key's digest in lower-case hex.
std::string example_config(std::string_view folder, std::string_view sha256);

}  // namespace bartizan
