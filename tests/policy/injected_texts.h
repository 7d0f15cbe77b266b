#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/injection/injection_family.h"

namespace bartizan {

/// A text that gives orders to a model, and how it is carried.
struct InjectedText {
  InjectionFamily family = InjectionFamily::overriding;
  std::string_view carrier;  ///< `plain`, `prose`, `comment`, `json`, `capitals`, `wide` …
  std::string_view language;
  std::string text;  ///< UTF-8.
};

/// Orders in words that people use for them, in each carrier: made of templates with alternatives,
/// and not of what is looked for. The same for the same seed.
std::vector<InjectedText> injected_texts(std::uint64_t seed);

}  // namespace bartizan
