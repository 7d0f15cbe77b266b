#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

/// What its longest run has to look like, beside being no example: names of files and of programs
/// may begin as some tokens do.
enum class TokenLook : std::uint8_t {
  random,  ///< `looks_random`
  mixed    ///< `looks_mixed` as well
};

/// One way in which a provider writes its tokens.
struct TokenFormat {
  std::string_view detector;
  std::string_view pattern;  ///< As `read_token_pattern` reads it.
  TokenLook look = TokenLook::random;
};

/// Tokens that can be known by themselves: each has a literal of its provider's, of at least four
/// bytes, or of two or three between bytes that few texts have there. Source: what providers
/// publish about their tokens.
std::span<const TokenFormat> token_formats();

/// Tokens that can be known by themselves, and have no such literal, or one of three bytes between
/// bytes that many texts have there: all of each, or its last part, is a long run (`LongRuns`), at
/// which they are looked for.
std::span<const TokenFormat> run_formats();

}  // namespace bartizan
