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

/// A pattern in the syntax of ECMA 262, translated and compiled, with as much memory as its
/// matching may take. Look-around is taken where `split_look_around` finds what it means; of such a
/// pattern only `holds_match` may be asked.
///
/// Errors: untranslatable_pattern with what it is; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_pattern(std::string_view pattern, std::size_t bytes_max);

/// A pattern in RE2's own syntax, compiled, with as much memory as its matching may take.
///
/// Errors: untranslatable_pattern with what RE2 says of it; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_re2_pattern(const std::string& pattern,
                                                  std::size_t bytes_max);

/// A pattern in RE2's own syntax, compiled to search many long texts: what `bytes_max` leaves
/// beside the program is for what RE2 learns while it matches. With less it reads a byte ten times
/// as slowly where a pattern has many states.
///
/// Errors: untranslatable_pattern with what RE2 says of it; too_large beyond `bytes_max`.
SchemaResult<CompiledPattern> compile_re2_search(const std::string& pattern, std::size_t bytes_max);

/// What it costs, in steps, to look for a match in a text of that size.
std::uint64_t match_steps(const CompiledPattern& pattern, std::size_t text_bytes);

/// Whether the text holds a match.
bool holds_match(const CompiledPattern& pattern, std::string_view text);

/// Bytes [begin, end) of a text.
struct MatchRange {
  std::size_t begin, end;
};

/// The first match at or behind `begin` that ends at `end` or before. What stands around counts for
/// `\b` and the like.
std::optional<MatchRange> find_match(const CompiledPattern& pattern, std::string_view text,
                                     MatchRange within);

/// Finds the first match within a range of the text, and its groups: the first of `groups` is the
/// whole match, and the others are the pattern's groups in their order; one that is in no match is
/// empty. False where there is no match. What stands around counts for `\b` and the like.
bool find_groups(const CompiledPattern& pattern, std::string_view text, MatchRange within,
                 std::span<MatchRange> groups);

/// How many groups a pattern has.
std::size_t group_count(const CompiledPattern& pattern);

/// Whether the whole text is a match.
bool is_match(const CompiledPattern& pattern, std::string_view text);

}  // namespace bartizan
