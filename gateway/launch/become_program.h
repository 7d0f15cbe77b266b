#pragma once

#include <sys/types.h>

#include <optional>

#include "gateway/launch/control_group.h"
#include "gateway/launch/launch_plan.h"
#include "gateway/process/descriptor.h"

namespace bartizan {

/// The resources of a program beside its plan.
struct ProgramParts {
  Descriptor input, output, error;            ///< The server's ends of its pipes.
  Descriptor image;                           ///< If the plan has one.
  Descriptor failure;                         ///< Receives the reason if the start fails.
  std::optional<Descriptor> file_rules = {};  ///< `make_file_rules`.
  const ControlGroup* group = nullptr;
  pid_t parent = 0;  ///< The starting process; the program dies with it.
};

/// Turns this process into the plan's program. The program has its own process group, its limits,
/// account, folder and file rules. It cannot gain privileges, and has no descriptors but its pipes.
/// A probe ends with code 0 instead. If a step fails, its reason goes to `failure`, and the process
/// ends.
///
/// Threads: in a single-threaded process that was forked for it.
[[noreturn]] void become_program(const LaunchPlan& plan, const ProgramParts& parts);

}  // namespace bartizan
