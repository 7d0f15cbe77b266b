#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// Patterns without look-around that together replace one with it. A text matches the original if
/// it matches every one of `all` and none of `none`.
struct PatternConjunction {
  std::vector<std::string> all, none;
};

/// Splits the look-around off an ECMA 262 pattern, if its position in the text is fixed. An
/// assertion about the rest of a text is then a separate pattern.
///
/// Look-aheads are split at the beginning of a pattern with `^`, after a number of characters that
/// is the same for every match: `^(?!\.)(?=.*\d)…`, `^/(?!/)…`, `^[a-z]{3}(?!-)…`. Look-behinds are
/// split right before the final `$`: `…(?<!-)$`. Returns nothing for other look-around, for
/// alternatives outside of groups, and for a pattern without look-around.
///
/// Input:  a valid pattern. The parts may still contain nested look-around, which their translation
///         refuses.
/// Cost:   one pass, and a copy of the beginning for each assertion, of which there are at most 16.
/// Source: ECMA 262 §22.2.2.3; the patterns of `z.email()` and `z.hostname()` of zod 4.
std::optional<PatternConjunction> split_look_around(std::string_view pattern);

}  // namespace bartizan
