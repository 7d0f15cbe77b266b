#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// A name as a file system may have it that takes names for one which differ by case, width,
/// composition or invisible characters: the widest of such foldings. Nothing where ICU fails.
///
/// Input: valid UTF-8. Cost: one pass; memory of ICU's own where it is not ASCII.
/// Source: Unicode 15.0, NFKC_Casefold; CVE-2014-9390 (names that fold to `.git`).
std::optional<std::pmr::string> fold_name(std::string_view name, std::pmr::memory_resource* memory);

/// A name as composed as may be, for file systems that take both spellings for one name. Nothing
/// where it is that already, where it is no UTF-8, or where ICU fails.
///
/// Cost: one pass; memory of ICU's own where it changes.
/// Source: Unicode 15.0, NFC; UAX 15.
std::optional<std::pmr::string> composed_name(std::string_view name,
                                              std::pmr::memory_resource* memory);

}  // namespace bartizan
