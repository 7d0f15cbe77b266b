#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

/// The required look of the longest run of a token. Names of files and programs may have the prefix
/// of a token. An example value is never a token.
enum class TokenLook : std::uint8_t {
  random,  ///< `looks_random`
  mixed    ///< `looks_mixed` as well
};

/// One format of a provider's tokens.
struct TokenFormat {
  std::string_view detector;
  std::string_view pattern;  ///< As `read_token_pattern` reads it.
  TokenLook look = TokenLook::random;
};

/// Tokens with a literal of their provider. It has at least four bytes, or two or three between
/// bytes that are rare there. Source: the providers' documentation of their tokens.
std::span<const TokenFormat> token_formats();

/// Tokens without such a literal, or with one of three bytes between common bytes. The whole token
/// or its last part is a long run (`LongRuns`), where they are searched for.
std::span<const TokenFormat> run_formats();

}  // namespace bartizan
