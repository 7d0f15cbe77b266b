#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan audit verify FOLDER… --roster FILE`: verifies each record in these folders and their
/// direct subfolders. Reports records that are missing, unknown or forked.
///
/// A line of the roster is `NAME CHAIN`: the gateway's name, and the hash of record 1, which `audit
/// verify` and exports show. Lines that start with `#` are comments.
struct RosterOptions {
  std::string file = {};
  std::vector<std::string> folders = {};
};
int verify_roster(const RosterOptions& options, const CommandOutput& output);

}  // namespace bartizan
