#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bartizan {

/// What texts are searched for in one pass has so many bytes at least; shorter ones stand
/// everywhere and cost nine tenths of a search.
inline constexpr std::size_t kLiteralBytesMin = 4;

/// Literals of which every match of a pattern in RE2's syntax holds at least one, whatever their
/// case; each of ASCII and at least `kLiteralBytesMin` long. Empty where there are none, or the
/// pattern is none.
///
/// Cost: that of compiling the pattern.
std::vector<std::string> required_literals(const std::string& pattern);

}  // namespace bartizan
