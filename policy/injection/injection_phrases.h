#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/injection/injection_family.h"

namespace bartizan {

/// The points at which a family is found in a message: the sum of its signs that are near each
/// other, each counted once. A sign that benign texts also have is worth less alone. No two phrases
/// match the same benign words.
inline constexpr unsigned kInjectionPoints = 100;

/// A sign in words.
struct InjectionPhrase {
  InjectionFamily family;
  std::uint8_t points;
  /// Words with one blank between them. `|` separates alternatives, a `*` after the beginning of a
  /// word matches the rest, and `~N` is up to N other words.
  std::string_view pattern;
};

/// A sign in bytes, in any case of ASCII letters: tokens of chat templates, and words of languages
/// without blanks between words.
struct InjectionSign {
  InjectionFamily family;
  std::uint8_t points;
  std::string_view bytes;
  enum class Place : std::uint8_t {
    anywhere,
    line
  } place = Place::anywhere;  ///< `line`: at the begin of a line.
};

/// English, and the obvious forms in German, French, Spanish, Portuguese, Italian and Russian.
std::span<const InjectionPhrase> injection_phrases();
/// Chat templates, and the obvious forms in Chinese, Japanese and Korean.
std::span<const InjectionSign> injection_signs();

/// The words, in lower case, that texts are searched for first. Phrases are searched near each of
/// them.
std::span<const std::string_view> injection_triggers();
/// The parts of signs that texts are searched for first. Each sign contains one of these or a
/// trigger word, and is searched around it.
std::span<const std::string_view> injection_sign_parts();

}  // namespace bartizan
