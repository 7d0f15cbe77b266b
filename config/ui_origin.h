#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// An origin as `ui_origins` and the policies of `ui://` resources write it.
struct UiOrigin {
  std::string scheme;        ///< `https` or `wss`.
  std::string host;          ///< Without the `*.` before it.
  std::string port;          ///< As it was written; empty for the scheme's own.
  bool is_wildcard = false;  ///< It stands for the hosts below it, and not for itself.

  bool operator==(const UiOrigin&) const = default;
};

/// Reads `https://api.example.com`, `wss://*.example.com:8443`; nothing of any other spelling: what
/// hosts of apps would read as more than one origin, or as a directive, is none.
///
/// Source: W3C CSP Level 3, "Source Lists", of which the part without surprises.
std::optional<UiOrigin> parse_ui_origin(std::string_view text);

/// Whether all that `asked` stands for is among what `allowed` does.
bool covers(const UiOrigin& allowed, const UiOrigin& asked);

}  // namespace bartizan
