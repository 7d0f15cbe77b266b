#pragma once

#include <string>

#include "audit/record.h"

namespace bartizan {

/// What a refusal on record means and what would change it, in one line; empty for records that
/// refuse nothing. Names only what the record holds.
std::string meaning_of(const Record& record);

}  // namespace bartizan
