#pragma once

#include <sys/types.h>

#include <optional>

#include "gateway/launch/control_group.h"
#include "gateway/launch/launch_plan.h"
#include "gateway/process/descriptor.h"

namespace bartizan {

/// What a program is given beside its plan.
struct ProgramParts {
  Descriptor input, output, error;  ///< The server's ends of its pipes.
  Descriptor image;                 ///< Where the plan has one.
  Descriptor failure;               ///< Takes the sentence that says why it could not start.
  std::optional<Descriptor> file_rules = {};  ///< `make_file_rules`.
  const ControlGroup* group = nullptr;
  pid_t parent = 0;  ///< Who starts it; it dies with that process.
};

/// Makes this process the plan's program: a group of its own, its limits, account, folder and rules
/// for files, no privileges to gain, no descriptor but its pipes. A probe ends with code 0 instead.
/// Where a step fails, its sentence goes to `failure`, and the process ends.
///
/// Threads: in a process of one thread, which was forked for it.
[[noreturn]] void become_program(const LaunchPlan& plan, const ProgramParts& parts);

}  // namespace bartizan
