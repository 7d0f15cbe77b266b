#pragma once

#include <string>

#include "config/described_call.h"
#include "config/table_reader.h"

namespace bartizan {

/// The keys of a described call: caller, target, arguments and facts. The table may have other
/// keys. `common` has the defaults of the facts.
/// Errors: reported at their places.
DescribedCall load_described_call(TableReader& table, const DescribedFacts& common);

/// The keys of `facts`. The table has no other keys.
DescribedFacts load_described_facts(TableReader& table, const DescribedFacts& common);

/// The text of a JSON object, from a table or from a string with JSON, because TOML has no null.
/// Reports any other value and returns an empty text.
std::string load_json_object(const TomlEntry& entry, Problems& problems);

}  // namespace bartizan
