#pragma once

#include <string>

namespace bartizan {

/// The name of this machine, as receivers may know it; `localhost` where it has none. Of letters
/// that do not stand in a name of a host, none is left.
std::string host_name();

}  // namespace bartizan
