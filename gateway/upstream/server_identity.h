#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/load/lock_file.h"

namespace bartizan {

/// A configured server as it is found on this machine, before anything of it runs.
struct IdentifiedServer {
  ServerIdentity identity;
  PinnedFiles executables;         ///< Its `executables`, with the digest of each.
  std::vector<std::string> notes;  ///< What could not be told, and what would make it so.
};

/// What a server is: its command; the file of a program, or the script that an interpreter runs;
/// the package that this belongs to, or that `npx` would run, with the integrity of the lock beside
/// it; the digest of a container's image; its URL. Not the key of its certificate.
///
/// Errors: server_failed where a file cannot be read, with its path.
/// Cost:   reads the files. Never on a worker.
Result<IdentifiedServer> identify_server(const ServerConfig& server);

/// SHA-256 of the public key of the certificate that a server behind `https://` shows, which is
/// verified as that of a call would be; no request is sent. Empty behind `http://`.
///
/// Errors: those of the connection; config_invalid where `tls_ca` cannot be read.
/// Cost:   one handshake, `limits::server_start_deadline` at most.
Result<std::string> ask_certificate_key(const ServerConfig& server);

}  // namespace bartizan
