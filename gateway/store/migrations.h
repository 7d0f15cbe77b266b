#pragma once

#include <cstdint>
#include <span>

#include "gateway/store/database.h"
#include "schemas/base/result.h"

namespace bartizan {

/// One step from a form of the state file to the next. Its text says which that is, by `PRAGMA
/// user_version`, so that a step and its number are committed together.
struct Migration {
  Sql text;
};

/// All steps, in their order: the step at n leads from form n to n + 1. A step that was published
/// never changes.
std::span<const Migration> migrations();

/// Brings the file to the last form, each step in a transaction of its own. Killed in one, the file
/// has the form before.
/// Errors: as `Database`; or the file has a later form than these lead to.
Result<void> migrate(Database& database, std::span<const Migration> steps);

}  // namespace bartizan
