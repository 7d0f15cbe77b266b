#pragma once

#include <cstddef>

namespace bartizan {

/// How often memory was asked for by anybody since the program began. What is linked with this has
/// an `operator new` that counts, so it is to be a program of its own.
std::size_t allocations_so_far();

}  // namespace bartizan
