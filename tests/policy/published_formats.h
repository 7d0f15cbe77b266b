#pragma once

#include <span>
#include <string_view>

namespace bartizan {

/// How tokens of a provider look, as others write it down who look for them.
struct PublishedFormat {
  std::string_view name;     ///< `github.oauth-token`, which is no name of a detector.
  std::string_view pattern;  ///< As `FakeSecrets::token` reads it.
};

std::span<const PublishedFormat> published_formats();

}  // namespace bartizan
