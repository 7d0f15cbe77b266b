#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/load/lock_file.h"

namespace bartizan {

/// The identity of a configured server on this machine, before anything of it runs.
struct IdentifiedServer {
  ServerIdentity identity;
  PinnedFiles executables;         ///< Its `executables`, with the digest of each.
  std::vector<std::string> notes;  ///< What could not be determined, and how to change that.
};

/// Identifies a server: its command; the file of a program, or the script that an interpreter runs;
/// the package of that file, or the package that `npx` would run, with the integrity of the lock
/// beside it; the digest of a container's image; its URL. Without the key of its certificate.
///
/// Errors: server_failed with the path of a file that cannot be read.
/// Cost:   reads the files. Never on a worker.
Result<IdentifiedServer> identify_server(const ServerConfig& server);

/// SHA-256 of the public key of the certificate of a server behind `https://`. The certificate is
/// verified as for a call. No request is sent. Empty for `http://`.
///
/// Errors: those of the connection; config_invalid if `tls_ca` cannot be read.
/// Cost:   one handshake, `limits::server_start_deadline` at most.
Result<std::string> ask_certificate_key(const ServerConfig& server);

}  // namespace bartizan
