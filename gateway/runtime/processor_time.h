#pragma once

#include <chrono>

namespace bartizan {

/// The processor time of the current thread so far. For work with a budget of its own, independent
/// of the machine's other load. Waits use `steady_now` instead.
///
/// Cost: one system call.
std::chrono::microseconds thread_processor_time();

}  // namespace bartizan
