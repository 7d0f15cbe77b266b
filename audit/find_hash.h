#pragma once

#include <cstdint>
#include <string>

#include "audit/digest.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The hash that record `sequence` has, in the chain that ends in the file at `path`. Looks for the
/// one record, and says nothing of the others.
///
/// Errors: not_found: the files that are there begin later, or it does not stand where it belongs;
///         not_recordable: its line was changed, or a file cannot be read.
/// Cost:   two reads a file, from the last one back to the one that has it; and some thirty there,
///         however large it is.
Result<Hash> find_hash(const std::string& path, std::uint64_t sequence);

}  // namespace bartizan
