#pragma once

#include <cstdint>
#include <span>

#include "gateway/store/database.h"
#include "schemas/base/result.h"

namespace bartizan {

/// One step from a form of the state file to the next. Its text sets the number of the new form, by
/// `PRAGMA user_version`. So a step and its number are committed together.
struct Migration {
  Sql text;
};

/// All steps, in order: the step at n leads from form n to n + 1. A published step never changes.
std::span<const Migration> migrations();

/// Brings the file to the last form, each step in its own transaction. If the process is killed in
/// a step, the file has the form before that step.
/// Errors: as `Database`; or the file has a later form than these steps lead to.
Result<void> migrate(Database& database, std::span<const Migration> steps);

}  // namespace bartizan
