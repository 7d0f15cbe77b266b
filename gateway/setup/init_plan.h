#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/client_file.h"

namespace bartizan {

/// A secret that was found in a client's settings, and the file that it moves to.
struct MovedSecret {
  std::string file;      ///< Absolute path.
  std::string value;     ///< Written there and nowhere else.
  std::string variable;  ///< Of the environment, or of a header; empty for a bearer token.
  std::string pointer;   ///< Where it stood.
};

/// One server of a client, as the gateway will have it.
struct PlannedServer {
  std::string name;   ///< `[a-z0-9-]{1,32}`, distinct.
  ClientEntry entry;  ///< Without what became a secret.
  std::vector<MovedSecret> secrets;
  /// Variables that the server gets from the environment of the gateway: those that a program which
  /// fetches needs, and those that the client fills in.
  std::vector<std::string> env_allow = {};
};

/// What `bartizan init` is about to write, and what it has to say.
struct InitPlan {
  std::string client_file;            ///< As it was named.
  std::string member = "mcpServers";  ///< What the client calls its servers.
  std::string principal;
  std::string key_name;
  std::string key_sha256;
  std::string record;  ///< File, as the configuration names it.
  std::vector<PlannedServer> servers;
  /// Variables with placeholders that the client fills in, for an entry that stands for all
  /// servers.
  std::map<std::string, std::string> filled_env = {};
  std::vector<ClientNote> notes;
};

/// Names the servers and takes the secrets out of their entries, into files of `secrets_folder`.
/// Pure: nothing is read or written.
///
/// Input: `variables` are the names in this process's environment; what a program such as npx needs
/// of them is passed on.
InitPlan plan_init(ClientFile file, std::string_view secrets_folder,
                   const std::vector<std::string>& variables = {});

}  // namespace bartizan
