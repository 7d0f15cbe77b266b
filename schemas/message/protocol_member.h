#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// The place of a member, which decides the names that MCP defines there.
enum class MemberPlace : std::uint8_t { envelope, params, meta, result, error };

/// Whether a member's name differs from a protocol member's name only by letter case, or by text
/// after a NUL. A reader that ignores case, or ends strings at a NUL, would confuse the two. The
/// exact name is not ambiguous.
///
/// Folded alike: ASCII letters, U+017F (ſ) and s, U+212A (K) and k by Unicode simple folding, and
/// U+0130 (İ), U+0131 (ı) and i, which Java's `equalsIgnoreCase` regards as equal.
/// Cost:   a few comparisons; no allocation.
/// Source: Unicode CaseFolding.txt, status C and S; CVE-2026-27896.
bool is_ambiguous_member(std::string_view name, MemberPlace place);

}  // namespace bartizan
