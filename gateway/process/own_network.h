#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/process/account.h"
#include "schemas/base/result.h"

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

/// Moves this process to a network of its own that has nothing but its loopback, which is up. Where
/// it may not do that as it is, a user namespace goes with it, in which a program has no
/// capabilities. False, and errno, where the kernel allows neither; it may be half done then, and
/// the process is of no use any more.
///
/// Threads: between fork and exec, before `become`; async-signal-safe, may fork once.
/// Source:  network_namespaces(7), user_namespaces(7).
bool enter_own_network(const IdMaps& maps);

/// Says why no child can have a network of its own, and what to do.
std::string explain_own_network(int error);

/// Whether a child can have it here that is to become `user`, or stays what we are where that is
/// empty. Tried by a process that ends at once: this one stays in its network.
/// Errors:  server_failed, as a sentence.
/// Threads: any. Cost: one fork.
Result<void> probe_own_network(const std::string& user);

}  // namespace bartizan
