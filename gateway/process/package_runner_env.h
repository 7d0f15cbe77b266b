#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

// Programs such as npx fetch what they run. Behind a proxy or a company's authority they need
// variables for that, which a server is given only where the configuration says so; without them
// they wait in silence.

/// Whether that program fetches what it runs: npx, uvx, docker ….
bool is_fetcher(std::string_view program);

/// Whether programs that fetch need a variable of that name, where there is a proxy or an authority
/// of a company.
bool is_fetch_variable(std::string_view name);

/// Those of `names` that such a program needs and that the server would not be given; empty for
/// other programs.
std::vector<std::string> withheld_variables(const ServerConfig& server,
                                            const std::vector<std::string>& names);

/// The names of this process's environment, sorted.
std::vector<std::string> environment_names();

/// Why a server that was started may have said nothing in time.
std::string explain_silence(const ServerConfig& server, const std::vector<std::string>& names);

}  // namespace bartizan
