#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/store/store.h"

namespace bartizan {

namespace limits {
/// Sign-ins at front doors that are under way at a time, and those from one network.
inline constexpr std::int64_t sign_ins_max = 10'000;
inline constexpr std::int64_t sign_ins_of_source_max = 64;
}  // namespace limits

/// A sign-in at a front door that is under way.
struct PendingSignIn {
  std::string id = {};       ///< SHA-256 of what its forms carry, hexadecimal.
  std::string browser = {};  ///< SHA-256 of the cookie of its browser, hexadecimal.
  std::string source = {};   ///< The network that it is counted for.
  std::string request = {};  ///< What it is about, as JSON.
  std::int64_t ends = 0;     ///< Seconds since 1970.
};

/// Sign-ins under way, in the state file, so that they survive a restart.
///
/// Errors: those of `Store`.
class PendingSignIns {
 public:
  explicit PendingSignIns(Store& store) : store_(store) {}

  /// Keeps one. Errors: overloaded where as many are under way as may be.
  Task<Result<void>> add(Loop& loop, PendingSignIn sign_in, std::int64_t now);
  /// The one whose forms carry that; nothing where its time is over, or it went on to the provider.
  Task<Result<std::optional<PendingSignIn>>> find(Loop& loop, std::string id, std::int64_t now);
  /// It goes on to the provider, once: from there it comes back with `state`, by its SHA-256.
  /// False where it did already, or is over.
  Task<Result<bool>> forward(Loop& loop, std::string id, std::string state, std::string request,
                             std::int64_t now);
  /// Ends the one that comes back with that state, and answers it.
  Task<Result<std::optional<PendingSignIn>>> take(Loop& loop, std::string state, std::int64_t now);
  /// Ends one that did not go on.
  Task<Result<bool>> drop(Loop& loop, std::string id);

 private:
  Store& store_;
};

namespace limits {
/// Consents that are remembered; of more, those that end first are forgotten.
inline constexpr std::int64_t consents_max = 20'000;
/// Clients that registered themselves, and those from one network in a day. Those without a grant
/// make room, the oldest first.
inline constexpr std::int64_t registered_clients_max = 1'000;
inline constexpr std::int64_t registered_of_source_max = 32;
}  // namespace limits

/// What users consented to, in the state file.
///
/// Errors: those of `Store`.
class Consents {
 public:
  explicit Consents(Store& store) : store_(store) {}

  /// Remembers one. Input: the SHA-256 of what it is about, browser included, hexadecimal.
  Task<Result<void>> remember(Loop& loop, std::string digest, std::string principal,
                              std::int64_t ends, std::int64_t now);
  /// Who consented to that; nothing where nobody did, or it is too long ago.
  Task<Result<std::optional<std::string>>> find(Loop& loop, std::string digest, std::int64_t now);

 private:
  Store& store_;
};

/// A client that registered itself at a front door.
struct RegisteredClient {
  std::string id = {};
  std::string door = {};           ///< Name of the front door.
  std::string name = {};           ///< As it calls itself.
  std::string redirect_uris = {};  ///< With blanks between.
};

/// Clients that registered themselves, in the state file.
///
/// Errors: those of `Store`.
class RegisteredClients {
 public:
  explicit RegisteredClients(Store& store) : store_(store) {}

  /// Input: the network that it is counted for.
  /// Errors: overloaded where as many are registered as may be.
  Task<Result<void>> add(Loop& loop, RegisteredClient client, std::string source, std::int64_t now);
  /// Also notes that somebody uses it.
  Task<Result<std::optional<RegisteredClient>>> find(Loop& loop, std::string id, std::string door,
                                                     std::int64_t now);

 private:
  Store& store_;
};

}  // namespace bartizan
