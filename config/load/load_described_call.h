#pragma once

#include <string>

#include "config/described_call.h"
#include "config/table_reader.h"

namespace bartizan {

/// The keys of a call that is described: who, what, with which arguments, and which facts. Others
/// may stand beside them. Where it does not say a fact, `common` does.
/// Errors: reported where they stand.
DescribedCall load_described_call(TableReader& table, const DescribedFacts& common);

/// The keys of `facts`. The table has no others.
DescribedFacts load_described_facts(TableReader& table, const DescribedFacts& common);

/// A JSON object as its text: a table, or a string that holds one, since TOML has no null. Empty
/// where it is neither, which is reported.
std::string load_json_object(const TomlEntry& entry, Problems& problems);

}  // namespace bartizan
