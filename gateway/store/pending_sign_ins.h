#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/store/store.h"

namespace bartizan {

namespace limits {
/// The most pending sign-ins at front doors, and the most from one network.
inline constexpr std::int64_t sign_ins_max = 10'000;
inline constexpr std::int64_t sign_ins_of_source_max = 64;
}  // namespace limits

/// A pending sign-in at a front door.
struct PendingSignIn {
  std::string id = {};       ///< SHA-256 of the id in its forms, hexadecimal.
  std::string browser = {};  ///< SHA-256 of the cookie of its browser, hexadecimal.
  std::string source = {};   ///< The network that it is counted for.
  std::string request = {};  ///< The request behind it, as JSON.
  std::int64_t ends = 0;     ///< Seconds since 1970.
};

/// The pending sign-ins, in the state file, so that they survive a restart.
///
/// Errors: those of `Store`.
class PendingSignIns {
 public:
  explicit PendingSignIns(Store& store) : store_(store) {}

  /// Stores a sign-in. Errors: overloaded if there are too many.
  Task<Result<void>> add(Loop& loop, PendingSignIn sign_in, std::int64_t now);
  /// The sign-in with that id in its forms; nothing if it has expired or was forwarded to the
  /// provider.
  Task<Result<std::optional<PendingSignIn>>> find(Loop& loop, std::string id, std::int64_t now);
  /// Forwards a sign-in to the provider, once. It returns with `state`, which is stored as its
  /// SHA-256. False if it was forwarded before, or has expired.
  Task<Result<bool>> forward(Loop& loop, std::string id, std::string state, std::string request,
                             std::int64_t now);
  /// Ends and returns the sign-in that returns with that state.
  Task<Result<std::optional<PendingSignIn>>> take(Loop& loop, std::string state, std::int64_t now);
  /// Ends a sign-in that was not forwarded.
  Task<Result<bool>> drop(Loop& loop, std::string id);

 private:
  Store& store_;
};

namespace limits {
/// The most remembered consents. Beyond that, those that end first are forgotten.
inline constexpr std::int64_t consents_max = 20'000;
/// The most self-registered clients, and the most from one network in a day. Clients without a
/// grant make room, the least recently used first.
inline constexpr std::int64_t registered_clients_max = 1'000;
inline constexpr std::int64_t registered_of_source_max = 32;
}  // namespace limits

/// Consents of users, in the state file.
///
/// Errors: those of `Store`.
class Consents {
 public:
  explicit Consents(Store& store) : store_(store) {}

  /// Stores a consent. Input: the SHA-256 of its subject, browser included, hexadecimal.
  Task<Result<void>> remember(Loop& loop, std::string digest, std::string principal,
                              std::int64_t ends, std::int64_t now);
  /// The principal with that consent; nothing if there is none or it has expired.
  Task<Result<std::optional<std::string>>> find(Loop& loop, std::string digest, std::int64_t now);

 private:
  Store& store_;
};

/// A client that registered itself at a front door.
struct RegisteredClient {
  std::string id = {};
  std::string door = {};           ///< Name of the front door.
  std::string name = {};           ///< The client's own name.
  std::string redirect_uris = {};  ///< Separated by blanks.
};

/// The self-registered clients, in the state file.
///
/// Errors: those of `Store`.
class RegisteredClients {
 public:
  explicit RegisteredClients(Store& store) : store_(store) {}

  /// Stores a client. Input: `source` is the network that it is counted for.
  /// Errors: overloaded if there are too many.
  Task<Result<void>> add(Loop& loop, RegisteredClient client, std::string source, std::int64_t now);
  /// The client with that id at that door. Also notes the time of this use.
  Task<Result<std::optional<RegisteredClient>>> find(Loop& loop, std::string id, std::string door,
                                                     std::int64_t now);

 private:
  Store& store_;
};

}  // namespace bartizan
