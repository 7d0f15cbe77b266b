#pragma once

#include <string>

#include "audit/record.h"
#include "config/config.h"

namespace bartizan {

/// The meaning of a recorded refusal and a remedy, in one line. Empty for other records. It has
/// names from the record, which clients chose.
///
/// Input: `config`, the current configuration, for roots and profiles. Null: only the record is
///        used.
std::string meaning_of(const Record& record, const Config* config = nullptr);

}  // namespace bartizan
