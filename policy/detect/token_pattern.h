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

/// Interns the byte sets of patterns, as many have the same.
class Alphabets {
 public:
  std::uint16_t index_of(const ByteSet& set);
  const Alphabet& operator[](std::size_t index) const { return all_[index]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<Alphabet> all_;
};

/// A part of a pattern: a literal, or a run of an alphabet.
struct PatternPart {
  std::string literal;         ///< Empty for a run.
  std::uint16_t alphabet = 0;  ///< Index into the database's alphabets.
  std::size_t least = 0, most = 0;
};

/// The form of a token: a sequence of literals and runs. Its longest literal, the anchor, is
/// searched for. It is matched from there in both directions, each part as long as possible. There
/// are no alternatives, so there is no backtracking.
struct TokenPattern {
  std::vector<PatternPart> parts;
  std::size_t anchor = 0;  ///< Index of the part that is searched for.
};

/// Parses `ghp_[A-Za-z0-9]{36}`: literal bytes, and brackets with `{n}`, `{n,m}` or `{n,}`. A
/// backslash escapes the next byte.
///
/// Errors: config_invalid for anything else, which is an error in the built-in tables.
Result<TokenPattern> read_token_pattern(std::string_view pattern, Alphabets& alphabets);

/// Whether the whole text is one token.
bool is_token(std::string_view text, const TokenPattern& pattern, const Alphabets& alphabets);

/// The place of a token and of its longest run, which must look random.
struct TokenPlace {
  std::size_t begin, end;
  std::size_t body_begin, body_end;
};

/// Returns the token whose anchor begins at a place. Part of a longer word is not a token.
std::optional<TokenPlace> match_token(ScanText& text, const TokenPattern& pattern,
                                      const Alphabets& alphabets, std::size_t anchor_begin);

}  // namespace bartizan
