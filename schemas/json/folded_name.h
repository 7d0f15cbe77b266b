#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether a name is its own folded form: ASCII without capitals and without NUL. Nearly all are.
bool is_folded(std::string_view name);

/// What readers that ignore letter case make of a name, the widest of them: Unicode simple case
/// folding, `i` for U+0130 and U+0131, and nothing from a NUL on.
///
/// Input:  UTF-8, as accepted documents have it.
/// Source: Unicode CaseFolding.txt, status C and S; Go `encoding/json`, which uses it; Jackson's
///         `ACCEPT_CASE_INSENSITIVE_PROPERTIES`, which takes lower case; CVE-2026-27896.
std::string folded_name(std::string_view name);

/// Whether two names, the same one too, have one folded form. Cost: allocates nothing.
bool folds_alike(std::string_view one, std::string_view other);

/// Two members of one object whose names fold alike.
struct FoldedPair {
  JsonValue first, second;
};

/// Such members of the value and of all below it, at most so many pairs.
///
/// Cost: one look at each name. Only names that are not their own folded form are compared: with
///       all others of the object while these are few, and else by sorting.
std::vector<FoldedPair> find_folded_pairs(JsonValue value, std::size_t most);

}  // namespace bartizan
