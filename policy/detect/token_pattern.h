#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/detector_match.h"
#include "policy/detect/scan_text.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Interns the sets of patterns: many have the same.
class Alphabets {
 public:
  std::uint16_t index_of(const ByteSet& set);
  const Alphabet& operator[](std::size_t index) const { return all_[index]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<Alphabet> all_;
};

/// One part of a pattern: these bytes, or so many of an alphabet.
struct PatternPart {
  std::string literal;         ///< Empty: bytes of the alphabet.
  std::uint16_t alphabet = 0;  ///< Index into the database's.
  std::size_t least = 0, most = 0;
};

/// How a token is written: literals and runs of alphabets, one behind the other. It is found by its
/// longest literal, the anchor, and read from there in both directions, each part as far as it
/// goes: there are no alternatives to try, and so nothing to go back to.
struct TokenPattern {
  std::vector<PatternPart> parts;
  std::size_t anchor = 0;  ///< Index of the part that is searched for.
};

/// Reads `ghp_[A-Za-z0-9]{36}`: literal bytes, and brackets with `{n}`, `{n,m}` or `{n,}`. A
/// backslash takes the meaning from the byte behind it.
///
/// Errors: config_invalid for what is none of this: a mistake in our own table.
Result<TokenPattern> read_token_pattern(std::string_view pattern, Alphabets& alphabets);

/// Whether a text is a token from its first byte to its last.
bool is_token(std::string_view text, const TokenPattern& pattern, const Alphabets& alphabets);

/// Where a token lies, and its longest run, which should be random.
struct TokenPlace {
  std::size_t begin, end;
  std::size_t body_begin, body_end;
};

/// The token whose anchor begins at a place. None that is part of a longer word.
std::optional<TokenPlace> match_token(ScanText& text, const TokenPattern& pattern,
                                      const Alphabets& alphabets, std::size_t anchor_begin);

}  // namespace bartizan
