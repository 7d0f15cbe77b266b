#pragma once

#include <string>

#include "audit/record.h"
#include "config/config.h"

namespace bartizan {

/// What a refusal on record means and what would change it, in one line; empty for records that
/// refuse nothing. Holds names as the record has them, which are a client's.
///
/// Input: `config` is the configuration that is asked about roots and profiles, as it is now, or
/// null; then only what the record holds is named.
std::string meaning_of(const Record& record, const Config* config = nullptr);

}  // namespace bartizan
