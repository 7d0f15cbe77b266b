#pragma once

#include <string>

namespace bartizan {

/// The name of this host, for receivers; `localhost` if it has none. Characters that are invalid in
/// host names are removed.
std::string host_name();

}  // namespace bartizan
