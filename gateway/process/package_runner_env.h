#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

// Programs such as npx download the packages that they run. Behind a proxy or a company's authority
// they need environment variables for that. A server gets these only if the configuration lists
// them. Without them such programs wait silently.

/// Whether that program downloads what it runs: npx, uvx, docker ….
bool is_fetcher(std::string_view program);

/// Whether downloading programs need a variable of that name behind a proxy or a company's
/// authority.
bool is_fetch_variable(std::string_view name);

/// Those of `names` that such a program needs and the server would not get. Empty for other
/// programs.
std::vector<std::string> withheld_variables(const ServerConfig& server,
                                            const std::vector<std::string>& names);

/// The names of this process's environment variables, sorted.
std::vector<std::string> environment_names();

/// The likely reason why a started server was silent until its deadline.
std::string explain_silence(const ServerConfig& server, const std::vector<std::string>& names);

}  // namespace bartizan
