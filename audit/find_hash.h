#pragma once

#include <cstdint>
#include <string>

#include "audit/digest.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The hash of record `sequence` in the chain that ends in the file at `path`. Finds that record
/// only, and does not verify the others.
///
/// Errors: not_found: the present files begin after it or end before it, or it is missing from its
///         position; not_recordable: its line was changed, or a file cannot be read.
/// Cost:   two reads per file, from the last one back to the one that holds it. In that file some
///         thirty reads, whatever its size.
Result<Hash> find_hash(const std::string& path, std::uint64_t sequence);

}  // namespace bartizan
