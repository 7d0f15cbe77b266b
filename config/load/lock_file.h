#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/pinned_tool.h"
#include "config/position.h"
#include "config/problems.h"

namespace bartizan {

/// The identity of a server, as far as it is known before the server runs. Empty members are
/// unknown. Many people can read the lock file, so values that may have secrets are stored as
/// digests.
struct ServerIdentity {
  std::string program = {};    ///< The first word of its command.
  std::string arguments = {};  ///< SHA-256 of the other words, lower-case hex.
  /// For a command that starts others: the files that it runs, as the command names them → SHA-256,
  /// lower-case hex.
  std::map<std::string, std::string> files = {};
  /// A package, its version, and the integrity value of its own lock file.
  std::string package = {}, version = {}, integrity = {};
  std::string image = {};            ///< Digest of a container's image: `sha256:…`.
  std::string origin = {};           ///< Scheme, host and port of its URL.
  std::string target = {};           ///< SHA-256 of its path and query, lower-case hex.
  std::string certificate_key = {};  ///< SHA-256 of the public key's DER, lower-case hex.
  bool operator==(const ServerIdentity&) const = default;
};

/// The contents of a lock file.
struct LockFile {
  PinnedTools tools = {};
  PinnedExecutables executables = {};
  std::map<std::string, ServerIdentity, std::less<>> identities = {};
  bool operator==(const LockFile&) const = default;
};

/// The pinned key of a server's certificate. Empty if none is pinned, or pins are off.
std::string pinned_certificate_key(const PinsConfig& pins, std::string_view server);

/// Reads a lock file: JSON, `{"version": 2, "servers": {SERVER: {"tools": {TOOL: {"approval":
/// "person" | "first_use", "definition": {…}}}, "executables": {PATH: SHA-256}, "identity":
/// {…}}}}`.
///
/// - A definition is as the server lists it. Paths are absolute; digests are lower-case hex.
/// - An identity has the members of `ServerIdentity`; `package` is an object of `name`, `version`
///   and `integrity`.
/// - One of `tools` and `executables` may be missing, and so may `identity`.
/// - Version 1 has the same format; each of its tools is of version 1. In version 2, a tool that
///   was kept from such a file has `"version": 1`.
///
/// Input:  `volatile_members`, JSON pointers to members that fingerprints leave out.
/// Errors: reported at `where`, the place that names the file, with the line and column, or the
///         pointer, within it. Nothing of an invalid file is kept.
LockFile parse_lock_file(std::string_view bytes, const std::string& path, Position where,
                         Problems& problems, std::span<const std::string> volatile_members = {});

/// The text of a lock file of version 2. Members are sorted, one per line, so that each change is
/// one line of a diff. Definitions of version 1 are written without the members that version 1 does
/// not cover.
/// Input: definitions that were read before, without their volatile members.
std::string write_lock_file(const LockFile& lock);

/// The definitions of a lock file, as JSON, by `server/tool`. Input: a lock file that was read
/// before without errors.
std::map<std::string, std::string> pinned_definitions(std::string_view bytes);

}  // namespace bartizan
