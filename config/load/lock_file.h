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

/// What a server is, as far as that can be told before it runs. What is empty is not known. The
/// lock file is kept where many read it, so whatever may hold a secret stands in it as a digest.
struct ServerIdentity {
  std::string program = {};    ///< The first word of its command.
  std::string arguments = {};  ///< SHA-256 of the others, lower-case hex.
  /// Of a command that starts others: the files that it runs, as the command names them, with the
  /// SHA-256 of each, lower-case hex.
  std::map<std::string, std::string> files = {};
  /// A package, its version, and what its lock says of its content.
  std::string package = {}, version = {}, integrity = {};
  std::string image = {};            ///< Digest of a container's image: `sha256:…`.
  std::string origin = {};           ///< Scheme, host and port of its URL.
  std::string target = {};           ///< SHA-256 of its path and query, lower-case hex.
  std::string certificate_key = {};  ///< SHA-256 of the public key's DER, lower-case hex.
  bool operator==(const ServerIdentity&) const = default;
};

/// What a lock file holds.
struct LockFile {
  PinnedTools tools = {};
  PinnedExecutables executables = {};
  std::map<std::string, ServerIdentity, std::less<>> identities = {};
  bool operator==(const LockFile&) const = default;
};

/// The key that the certificate of a server must have; empty where nobody pinned one, or nothing is
/// held against pins at all.
std::string pinned_certificate_key(const PinsConfig& pins, std::string_view server);

/// Reads a lock file: JSON, `{"version": 2, "servers": {SERVER: {"tools": {TOOL: {"approval":
/// "person" | "first_use", "definition": {…}}}, "executables": {PATH: SHA-256}, "identity":
/// {…}}}}`, a definition as the server lists it, a path absolute, a digest in lower-case hex, an
/// identity as `ServerIdentity` names its members, `package` an object of `name`, `version` and
/// `integrity`. One of `tools` and `executables` may be missing, and `identity`. A file of version
/// 1 is written alike; each of its tools is of that version. In one of version 2 a tool that was
/// kept from such a file has `"version": 1`.
///
/// Input:  `volatile_members`, JSON pointers to what is left out of fingerprints.
/// Errors: reported at `where`, the place that names the file, with the line and column, or the
///         pointer, within it; nothing of such a file is kept.
LockFile parse_lock_file(std::string_view bytes, const std::string& path, Position where,
                         Problems& problems, std::span<const std::string> volatile_members = {});

/// A lock file's text: members sorted, one a line, so that what changes in it is a line of a
/// difference. It is of version 2. Definitions of version 1 are written without what that version
/// does not cover.
/// Input: definitions that were read before, without their volatile members.
std::string write_lock_file(const LockFile& lock);

/// The definitions of a lock file, as JSON, by `server/tool`; of one that was read before, and has
/// nothing wrong.
std::map<std::string, std::string> pinned_definitions(std::string_view bytes);

}  // namespace bartizan
