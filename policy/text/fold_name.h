#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Folds a name as widely as any file system does: by case, width, composition and invisible
/// characters. Nothing if ICU fails.
///
/// Input:  valid UTF-8.
/// Cost:   one pass; memory of ICU if it is not ASCII.
/// Source: Unicode 15.0, NFKC_Casefold; CVE-2014-9390 (names that fold to `.git`).
std::optional<std::pmr::string> fold_name(std::string_view name, std::pmr::memory_resource* memory);

/// Composes a name, for file systems to which both spellings are the same name. Nothing if it is
/// already composed, is not UTF-8, or if ICU fails.
///
/// Cost:   one pass; memory of ICU if it changes.
/// Source: Unicode 15.0, NFC; UAX 15.
std::optional<std::pmr::string> composed_name(std::string_view name,
                                              std::pmr::memory_resource* memory);

}  // namespace bartizan
