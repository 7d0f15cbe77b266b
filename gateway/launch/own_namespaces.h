#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "gateway/process/descriptor.h"
#include "gateway/process/switch_user.h"

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

/// A user namespace in which the ids of `maps` are mapped, for `enter_own_namespaces`. Its maps can
/// be written only by a process that others of its account can look into, so one is forked that
/// closes everything else and ends at once: call this while nothing secret is in memory.
///
/// Input:   maps that keep the groups.
/// Errors:  the kernel's: it allows no more namespaces, or none at all.
/// Threads: in a process of one thread.
/// Cost:    a fork.
/// Source:  user_namespaces(7); proc(5) for who may write the maps.
std::expected<Descriptor, int> make_user_namespace(const IdMaps& maps);

/// Moves this process to namespaces of its own. A network alone needs no user namespace where the
/// process may make one as it is; in all other cases a user namespace goes with them, in which a
/// program has no capabilities: `user_namespace`, or one that is made now, of a process that may
/// map the ids of another account. False, and errno, where the kernel does not allow it; it may be
/// half done then, and the process is of no use any more. A process that is not dumpable stays so
/// in a namespace that was made before, and is dumpable while it makes one.
///
/// Threads: in a process of one thread, before `become`; may fork once.
/// Source:  namespaces(7), user_namespaces(7), setns(2); proc(5) for who may write the maps.
bool enter_own_namespaces(const IdMaps& maps, OwnNamespaces wanted,
                          const std::expected<Descriptor, int>& user_namespace);

/// Says why a child cannot have them, and what to do.
std::string explain_own_namespaces(int error, OwnNamespaces wanted);

}  // namespace bartizan
