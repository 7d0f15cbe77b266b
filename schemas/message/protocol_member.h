#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// Where a member stands, and so which names MCP gives a meaning there.
enum class MemberPlace : std::uint8_t { envelope, params, meta, result, error };

/// Whether a member's name is a protocol member's name but for letter case or for what follows a
/// NUL, so that a reader that ignores case, or ends strings at a NUL, would take it for the real
/// one. The exact name is not ambiguous.
///
/// Folded alike: ASCII letters, U+017F (ſ) and s, U+212A (K) and k by Unicode simple folding, and
/// U+0130 (İ), U+0131 (ı) and i, which Java's `equalsIgnoreCase` takes for equal.
/// Cost:   a few comparisons; allocates nothing.
/// Source: Unicode CaseFolding.txt, status C and S; CVE-2026-27896.
bool is_ambiguous_member(std::string_view name, MemberPlace place);

}  // namespace bartizan
