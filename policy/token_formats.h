#pragma once

#include <span>
#include <string_view>

namespace bartizan {

/// One way in which a provider writes its tokens.
struct TokenFormat {
  std::string_view detector;
  std::string_view pattern;  ///< As `read_token_pattern` reads it.
};

/// Tokens that can be known by themselves: each has a literal of its provider's, of at least three
/// bytes. Source: what providers publish about their tokens.
std::span<const TokenFormat> token_formats();

}  // namespace bartizan
