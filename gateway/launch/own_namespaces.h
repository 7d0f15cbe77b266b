#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "gateway/process/descriptor.h"
#include "gateway/process/switch_user.h"

namespace bartizan {

/// The id maps of a user namespace, in the kernel's format. A process keeps its ids in it, and may
/// take those of its account. They are made before the fork, while memory can be allocated.
struct IdMaps {
  std::string uids;
  std::string gids;
  /// A process that maps ids by privilege may also set groups afterwards. Others cannot.
  enum class Groups : std::uint8_t { keep, may_be_set } groups = Groups::keep;
};

/// Maps the present ids of this process, and those of the account that it will have, to themselves.
IdMaps make_id_maps(const std::optional<Account>& account);

/// The kinds of namespaces that a process gets.
struct OwnNamespaces {
  bool network = false;  ///< Only a loopback interface, which is up.
  /// Processes, mounts, System V objects and the host name. A process is inside from its next fork
  /// on.
  bool processes = false;
  bool any() const { return network || processes; }
};

/// Makes a user namespace in which the ids of `maps` are mapped, for `enter_own_namespaces`. The
/// maps can be written only by a process that is open to others of its account. So it forks one,
/// which closes everything else and ends at once. Call this while no secret is in memory.
///
/// Input:   maps that keep the groups.
/// Errors:  the kernel's: it allows no more namespaces, or none at all.
/// Threads: in a single-threaded process.
/// Cost:    a fork.
/// Source:  user_namespaces(7); proc(5) for who may write the maps.
std::expected<Descriptor, int> make_user_namespace(const IdMaps& maps);

/// Moves this process to its own namespaces. A network alone needs no user namespace, if the
/// process may make one directly. Otherwise a user namespace is added, in which a program has no
/// capabilities. It is `user_namespace`, or a new one for a process that may map the ids of another
/// account. False, with errno, if the kernel refuses. The process may then be in some of them and
/// must end. A non-dumpable process stays so in an existing namespace. It is dumpable while it
/// makes one.
///
/// Threads: in a single-threaded process, before `become`; may fork once.
/// Source:  namespaces(7), user_namespaces(7), setns(2); proc(5) for who may write the maps.
bool enter_own_namespaces(const IdMaps& maps, OwnNamespaces wanted,
                          const std::expected<Descriptor, int>& user_namespace);

/// Explains why a child cannot have the namespaces, and the remedy.
std::string explain_own_namespaces(int error, OwnNamespaces wanted);

}  // namespace bartizan
