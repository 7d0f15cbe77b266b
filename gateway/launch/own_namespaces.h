#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/process/account.h"

namespace bartizan {

/// What is written to the kernel so that a process keeps its ids, and may take those of its
/// account, in a user namespace. Made before the fork, where memory can be had.
struct IdMaps {
  std::string uids;
  std::string gids;
  /// Who maps ids by its privilege may also set groups afterwards; all others have to do without.
  enum class Groups : std::uint8_t { keep, may_be_set } groups = Groups::keep;
};

/// The present ids of this process, and those of the account that it is to become, each to itself.
IdMaps make_id_maps(const std::optional<Account>& account);

/// What a process gets of its own.
struct OwnNamespaces {
  bool network = false;  ///< With nothing but its loopback, which is up.
  /// Processes, mounts, System V objects and the host's name. A process counts as inside from its
  /// next fork on.
  bool processes = false;
  bool any() const { return network || processes; }
};

/// Moves this process to namespaces of its own. A network alone needs no user namespace where the
/// process may make one as it is; in all other cases a user namespace goes with them, in which a
/// program has no capabilities. False, and errno, where the kernel does not allow it; it may be
/// half done then, and the process is of no use any more. A process that is not dumpable is for
/// that time, since nothing else may write its maps.
///
/// Threads: in a process of one thread, before `become`; may fork once.
/// Source:  namespaces(7), user_namespaces(7); proc(5) for who may write the maps.
bool enter_own_namespaces(const IdMaps& maps, OwnNamespaces wanted);

/// Says why a child cannot have them, and what to do.
std::string explain_own_namespaces(int error, OwnNamespaces wanted);

}  // namespace bartizan
