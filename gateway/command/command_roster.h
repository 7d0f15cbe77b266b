#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan audit verify FOLDER… --roster FILE`: verifies each record in these folders and those
/// directly below them, and names a record that is missing, that nobody knows, or that was forked.
///
/// A line of the roster is `NAME CHAIN`: what people call the gateway, and the hash of record 1,
/// which `audit verify` and exports show. Lines that begin with `#` are comments.
struct RosterOptions {
  std::string file = {};
  std::vector<std::string> folders = {};
};
int verify_roster(const RosterOptions& options, const CommandOutput& output);

}  // namespace bartizan
