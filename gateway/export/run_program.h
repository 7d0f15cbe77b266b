#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/launch/launcher.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"

namespace bartizan {

namespace limits {
/// Of a program that gets an alert or a signed head.
inline constexpr std::chrono::milliseconds export_program_deadline{10'000};
}  // namespace limits

/// Starts a program without a shell, gives it the text as its standard input, and waits for its
/// end. It has the variable PATH and nothing else. What it writes is read and dropped.
///
/// Input:    a program by its absolute path; a text that a pipe holds, 64 KiB.
/// Errors:   server_failed: it does not start, ends with another status than 0, or not in time;
/// then
///           it is killed, with all that it started.
/// Deadline: `limits::export_program_deadline`.
Task<Result<void>> run_program(Loop& loop, const Launcher& launcher,
                               std::vector<std::string> command, std::string input);

}  // namespace bartizan
