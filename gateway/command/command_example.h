#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan init --example DIR`: creates the folder with a complete configuration, some data for
/// its file server, and a key, which is shown only this once. Only the owner can read the folder.
/// Existing files are kept and are an error.
int init_example(const std::string& folder, const CommandOutput& output);

}  // namespace bartizan
