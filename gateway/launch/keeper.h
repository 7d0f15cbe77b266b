#pragma once

#include <string>

#include "gateway/process/descriptor.h"

namespace bartizan {

// What a keeper says to the gateway, one packet each, which begins with one of these letters; the
// gateway says signals, one byte each.

/// The program runs. Then the process whose end is the end of all, as the machine counts it.
inline constexpr char kSaysStarted = 'S';
/// It does not. Then a sentence.
inline constexpr char kSaysFailed = 'F';
/// It has ended, and all that it left is gone. Then `si_code` and `si_status` of waitid(2).
inline constexpr char kSaysEnded = 'E';

// The byte beside the descriptors that the launcher gets for a keeper.

/// Nothing more.
inline constexpr char kAsksPlainly = 'P';
/// It needs a user namespace in which its own ids are mapped.
inline constexpr char kAsksForOwnIds = 'N';

/// What the gateway hands to a keeper.
struct KeeperParts {
  Descriptor control;  ///< A socket of packets; its end is the gateway's end.
  Descriptor input, output, error;
  Descriptor plan;   ///< `encode_plan`, in a file without a name.
  Descriptor image;  ///< Where the plan has one.
  bool needs_own_ids = false;
};

/// Starts a server's program, and keeps it: passes on signals, says how it ended, and ends the
/// whole tree of processes that grew from it, when the program ends, and when the gateway does,
/// however it does.
///
/// What is ended: with a level of the sandbox, all processes of its PID namespace, by the kernel.
/// Otherwise all of its control group, where it has one, and all descendants of the keeper, also
/// those with a session of their own; not those of a process that kills its keeper, which may be
/// the same account's. The launcher adopts and kills these.
///
/// Threads: the only one of a process that was forked for it, and that ends here.
[[noreturn]] void keep_program(KeeperParts parts);

}  // namespace bartizan
