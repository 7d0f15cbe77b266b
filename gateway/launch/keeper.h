#pragma once

#include <string>

#include "gateway/process/descriptor.h"

namespace bartizan {

// Packets from a keeper to the gateway begin with one of these letters. The gateway sends signals,
// one byte each.

/// The program runs. The id of the process that ends last follows, as the machine numbers it.
inline constexpr char kSaysStarted = 'S';
/// The program does not run. A sentence follows.
inline constexpr char kSaysFailed = 'F';
/// The program and all its descendants have ended. `si_code` and `si_status` of waitid(2) follow.
inline constexpr char kSaysEnded = 'E';

// The byte with the descriptors that the launcher gets for a keeper.

/// No further request.
inline constexpr char kAsksPlainly = 'P';
/// The keeper needs a user namespace in which its own ids are mapped.
inline constexpr char kAsksForOwnIds = 'N';

/// What the gateway gives to a keeper.
struct KeeperParts {
  Descriptor control;  ///< A packet socket; it closes when the gateway ends.
  Descriptor input, output, error;
  Descriptor plan;   ///< `encode_plan`, in an unnamed file.
  Descriptor image;  ///< If the plan has one.
  bool needs_own_ids = false;
};

/// Starts a server's program and keeps it. It forwards signals and reports how the program ended.
/// It kills the whole tree of descendants when the program ends, and when the gateway ends, in any
/// way.
///
/// With a sandbox level, the kernel kills all processes of the PID namespace. Otherwise the keeper
/// kills all processes of its control group, if it has one, and all its own descendants, also those
/// with their own session. A process of the same account may kill its keeper. The launcher adopts
/// and kills the processes that such a keeper leaves.
///
/// Threads: the only one of a process that was forked for it, and that ends here.
[[noreturn]] void keep_program(KeeperParts parts);

}  // namespace bartizan
