#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A desktop client, and where it keeps its servers.
struct ClientPlace {
  std::string_view name;           ///< As `--client` has it: `claude-desktop`.
  std::string_view title;          ///< As people call it.
  std::vector<std::string> files;  ///< Absolute paths, the usual one first.
};

/// The clients that are known here.
///
/// Input:  `home`, the absolute path of the user's home; `config_home`, the absolute path of
///         `$XDG_CONFIG_HOME`, or empty for `home` + `/.config`.
/// Source: the documentation of each client, as of 2026-11.
std::vector<ClientPlace> client_places(std::string_view home, std::string_view config_home);

}  // namespace bartizan
