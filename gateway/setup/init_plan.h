#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/client_file.h"

namespace bartizan {

/// A secret in a client's settings, and the file that it moves to.
struct MovedSecret {
  std::string file;      ///< Absolute path.
  std::string value;     ///< Written only to that file.
  std::string variable;  ///< Name of the variable or header; empty for a bearer token.
  std::string pointer;   ///< Its original place.
};

/// One server of a client, as the gateway's configuration will have it.
struct PlannedServer {
  std::string name;   ///< `[a-z0-9-]{1,32}`, unique.
  ClientEntry entry;  ///< Without the moved secrets.
  std::vector<MovedSecret> secrets;
  /// Variables that the server gets from the environment of the gateway: those that a program which
  /// fetches needs, and those that the client fills in.
  std::vector<std::string> env_allow = {};
};

/// The planned output of `bartizan init`, with its notes.
struct InitPlan {
  std::string client_file;            ///< As the user named it.
  std::string member = "mcpServers";  ///< The client's member with servers.
  std::string principal;
  std::string key_name;
  std::string key_sha256;
  std::string record;  ///< File, as in the configuration.
  std::vector<PlannedServer> servers;
  /// Variables with placeholders that the client fills in, for an entry that stands for all
  /// servers.
  std::map<std::string, std::string> filled_env = {};
  std::vector<ClientNote> notes;
};

/// Names the servers, and moves the secrets of their entries into files of `secrets_folder`. Pure:
/// reads and writes nothing.
///
/// Input: `variables`, the names in this process's environment. Programs such as npx are passed
///        those that they need.
InitPlan plan_init(ClientFile file, std::string_view secrets_folder,
                   const std::vector<std::string>& variables = {});

}  // namespace bartizan
