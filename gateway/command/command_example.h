#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan init --example DIR`: makes the folder with a whole configuration, some data for its
/// file server, and a key that is shown this once. Only the owner may read the folder. What is
/// there already stays, and is an error.
int init_example(const std::string& folder, const CommandOutput& output);

}  // namespace bartizan
