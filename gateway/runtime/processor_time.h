#pragma once

#include <chrono>

namespace bartizan {

/// How long the present thread has computed since it began. For work that has a budget of its own,
/// whatever else the machine does; what waits for somebody goes by `steady_now`.
///
/// Cost: one system call.
std::chrono::microseconds thread_processor_time();

}  // namespace bartizan
