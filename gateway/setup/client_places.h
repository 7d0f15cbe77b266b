#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A desktop client and the files of its servers.
struct ClientPlace {
  std::string_view name;           ///< The value of `--client`: `claude-desktop`.
  std::string_view title;          ///< For people.
  std::vector<std::string> files;  ///< Absolute paths, the usual one first.
};

/// The known clients.
///
/// Input:  `home`, the absolute path of the user's home; `config_home`, the absolute path of
///         `$XDG_CONFIG_HOME`, or empty for `home` + `/.config`.
/// Source: the documentation of each client, as of 2026-11.
std::vector<ClientPlace> client_places(std::string_view home, std::string_view config_home);

}  // namespace bartizan
