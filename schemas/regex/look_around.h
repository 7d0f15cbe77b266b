#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// Patterns without look-around that together mean what one with it means: a text holds a match of
/// that one where it holds a match of every one of `all` and of none of `none`.
struct PatternConjunction {
  std::vector<std::string> all, none;
};

/// Takes the look-around out of an ECMA 262 pattern where its place in the text is certain: an
/// assertion about the rest of a text is a pattern of its own there.
///
/// Look-aheads count at the beginning of a pattern with `^`, behind as many characters as are the
/// same for every match: `^(?!\.)(?=.*\d)…`, `^/(?!/)…`, `^[a-z]{3}(?!-)…`. Look-behinds count
/// right before the final `$`: `…(?<!-)$`. Nothing for any other, for alternatives outside of
/// groups, and where there is no look-around.
///
/// Input:  a pattern that is valid; the parts may still hold look-around within each other, which
///         whoever translates them notices.
/// Cost:   one pass, and a copy of the beginning for each assertion, of which there are at most 16.
/// Source: ECMA 262 §22.2.2.3; the patterns of `z.email()` and `z.hostname()` of zod 4.
std::optional<PatternConjunction> split_look_around(std::string_view pattern);

}  // namespace bartizan
