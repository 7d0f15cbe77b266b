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
/// Limit of a program that gets an alert or a signed head.
inline constexpr std::chrono::milliseconds export_program_deadline{10'000};
}  // namespace limits

/// Runs a program without a shell, with the text as its standard input, and waits for its end. Its
/// environment has only PATH. Its output is read and dropped.
///
/// Input:    a program by its absolute path; a text that fits in a pipe, 64 KiB.
/// Errors:   server_failed, if it does not start, ends with a status other than 0, or exceeds the
/// deadline. It is then killed with all its descendants.
/// Deadline: `limits::export_program_deadline`.
Task<Result<void>> run_program(Loop& loop, const Launcher& launcher,
                               std::vector<std::string> command, std::string input);

}  // namespace bartizan
