#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// One server in a desktop client's settings: a program or a URL.
struct ClientEntry {
  std::string name;                       ///< The client's name of it.
  std::string pointer;                    ///< RFC 6901 into the file: `/mcpServers/files`.
  std::vector<std::string> command = {};  ///< Program and arguments; empty for a URL.
  std::string cwd = {};
  std::map<std::string, std::string> env = {};
  /// Variables whose values hold a placeholder that only the client fills in, such as
  /// `${input:key}`; not in `env`.
  std::map<std::string, std::string> filled_env = {};
  std::string url = {};
  bool is_sse = false;  ///< The URL is an event stream of 2024-11-05.
  std::map<std::string, std::string> headers = {};
};

/// A part of the settings that was not converted or needs a check.
struct ClientNote {
  std::string pointer;
  std::string message;  ///< Never has a value from the file.
};

struct ClientFile {
  std::string member = "mcpServers";  ///< The member with the client's servers.
  std::vector<ClientEntry> entries;
  std::vector<ClientNote> notes;
};

/// Limits of a client's settings. They are large because some clients store whole conversations
/// there.
inline constexpr JsonLimits kClientFileLimits{.bytes_max = std::size_t{32} << 20,
                                              .values_max = std::size_t{1} << 20,
                                              .numbers = JsonLimits::Numbers::keep_as_text};

/// One object of servers in a client's settings.
struct ClientTable {
  /// RFC 6901: `/mcpServers`, `/servers` or `/mcp/servers`; for a project,
  /// `/projects/~1srv~1shop/mcpServers`.
  std::string pointer;
  std::string member;  ///< The last segment of the pointer.
  JsonValue servers;
};

/// Whether an entry starts its program through `bartizan wrap`.
bool is_wrapped_entry(JsonValue entry);

/// A client's parsed settings, with their tables of servers; at least one.
/// Lifetime: handles in `tables` live as long as this object, which is never moved.
struct ReadClientTables {
  std::string strict = {};
  std::optional<Bytes> bytes = {};
  JsonDocument document = {};
  std::vector<ClientTable> tables = {};

  /// Errors: `config_invalid` if the text is not JSON, with line and column, or has no servers.
  Result<void> read(std::string_view text);
};

/// Reads the servers in all tables of a desktop client's settings. Ignores the rest of the file.
///
/// Input:   the file's text: JSON with `//` and `/* */` comments and trailing commas, as editors
///          write these files.
/// Errors:  `config_invalid` if it is not JSON, with line and column, or has no servers.
Result<ClientFile> read_client_file(std::string_view text);

}  // namespace bartizan
