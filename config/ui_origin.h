#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// An origin in `ui_origins` and in the policies of `ui://` resources.
struct UiOrigin {
  std::string scheme;        ///< `https` or `wss`.
  std::string host;          ///< Without the `*.` before it.
  std::string port;          ///< As written; empty: the scheme's default.
  bool is_wildcard = false;  ///< Matches hosts below `host`, but not `host` itself.

  bool operator==(const UiOrigin&) const = default;
};

/// Parses `https://api.example.com` or `wss://*.example.com:8443`. Nothing for any other spelling.
/// App hosts could read it as several origins or as a directive.
///
/// Source: W3C CSP Level 3, "Source Lists"; the subset without surprises.
std::optional<UiOrigin> parse_ui_origin(std::string_view text);

/// Whether `allowed` includes every origin of `asked`.
bool covers(const UiOrigin& allowed, const UiOrigin& asked);

}  // namespace bartizan
