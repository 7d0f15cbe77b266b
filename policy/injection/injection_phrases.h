#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/injection/injection_family.h"

namespace bartizan {

/// A family is found in a message where signs of it that stand near to each other have so many
/// points together, each of them counted once. What honest texts say as well has fewer by itself,
/// and no two phrases find the same honest words.
inline constexpr unsigned kInjectionPoints = 100;

/// A way to say it in words.
struct InjectionPhrase {
  InjectionFamily family;
  std::uint8_t points;
  /// Words apart by one blank: `|` between those that are alike, a `*` behind the beginning of one,
  /// `~N` for up to N others.
  std::string_view pattern;
};

/// A way to say it in bytes, whatever the case of ASCII letters: tokens of chat templates, and
/// words of languages that put nothing between them.
struct InjectionSign {
  InjectionFamily family;
  std::uint8_t points;
  std::string_view bytes;
  enum class Place : std::uint8_t {
    anywhere,
    line
  } place = Place::anywhere;  ///< `line` begins one.
};

/// English, and the obvious forms in German, French, Spanish, Portuguese, Italian and Russian.
std::span<const InjectionPhrase> injection_phrases();
/// Templates, and the obvious forms in Chinese, Japanese and Korean.
std::span<const InjectionSign> injection_signs();

/// What texts are searched for first, in lower case: near one of these words, phrases are looked
/// for …
std::span<const std::string_view> injection_triggers();
/// … and around one of these, signs. Each sign has one of either in it.
std::span<const std::string_view> injection_sign_parts();

}  // namespace bartizan
