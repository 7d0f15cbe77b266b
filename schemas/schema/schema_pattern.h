#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schemas/schema/schema_error.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// Translates and compiles a pattern in the syntax of ECMA 262, with a bound on the memory of its
/// matching. Look-around is accepted if `split_look_around` can split it. Such a pattern only
/// supports `holds_match`.
///
/// Errors: untranslatable_pattern with the cause; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_pattern(std::string_view pattern, std::size_t bytes_max);

/// Compiles a pattern in RE2's own syntax, with a bound on the memory of its matching.
///
/// Errors: untranslatable_pattern with RE2's message; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_re2_pattern(const std::string& pattern,
                                                  std::size_t bytes_max);

/// Compiles a pattern in RE2's own syntax for searches in many long texts. The part of `bytes_max`
/// beyond the program is for the states that RE2 caches while it matches. With less, a pattern with
/// many states takes ten times as long for each byte.
///
/// Errors: untranslatable_pattern with RE2's message; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_re2_search(const std::string& pattern, std::size_t bytes_max);

/// The cost, in steps, of searching a text of that size.
std::uint64_t match_steps(const CompiledPattern& pattern, std::size_t text_bytes);

/// Whether the text holds a match.
bool holds_match(const CompiledPattern& pattern, std::string_view text);

/// Bytes [begin, end) of a text.
struct MatchRange {
  std::size_t begin, end;
};

/// The first match within a range of the text. The text around the range counts for `\b` and
/// similar assertions.
std::optional<MatchRange> find_match(const CompiledPattern& pattern, std::string_view text,
                                     MatchRange within);

/// Finds the first match within a range of the text, and its groups. The first of `groups` is the
/// whole match, and the others are the pattern's groups in their order. A group without a match is
/// empty. False without a match. The text around the range counts for `\b` and similar assertions.
bool find_groups(const CompiledPattern& pattern, std::string_view text, MatchRange within,
                 std::span<MatchRange> groups);

/// The number of groups of a pattern.
std::size_t group_count(const CompiledPattern& pattern);

/// Whether the whole text is a match.
bool is_match(const CompiledPattern& pattern, std::string_view text);

}  // namespace bartizan
