#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether a name is its own folded form: ASCII without capitals and without NUL. Almost all are.
bool is_folded(std::string_view name);

/// The name as the most lenient of the readers that ignore letter case read it. It applies Unicode
/// simple case folding, maps U+0130 and U+0131 to `i`, and ends at a NUL.
///
/// Input:  UTF-8, as in accepted documents.
/// Source: Unicode CaseFolding.txt, status C and S; Go `encoding/json`, which uses it; Jackson's
///         `ACCEPT_CASE_INSENSITIVE_PROPERTIES`, which uses lower case; CVE-2026-27896.
std::string folded_name(std::string_view name);

/// Whether two names, perhaps equal, have the same folded form.
/// Cost: no allocation.
bool folds_alike(std::string_view one, std::string_view other);

/// Two members of one object whose names fold alike.
struct FoldedPair {
  JsonValue first, second;
};

/// The pairs of such members in the value and in all values below it, at most `most`.
///
/// Cost: one look at each name. Only names that are not their own folded form are compared: with
///       all others of the object while these are few, otherwise by sorting.
std::vector<FoldedPair> find_folded_pairs(JsonValue value, std::size_t most);

}  // namespace bartizan
