#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// One server as a desktop client's settings have it: a program or a URL.
struct ClientEntry {
  std::string name;                       ///< As the client calls it.
  std::string pointer;                    ///< RFC 6901 into the file: `/mcpServers/files`.
  std::vector<std::string> command = {};  ///< Program and arguments; empty for a URL.
  std::string cwd = {};
  std::map<std::string, std::string> env = {};
  /// Variables whose values hold a placeholder that only the client fills in, such as
  /// `${input:key}`; not in `env`.
  std::map<std::string, std::string> filled_env = {};
  std::string url = {};
  bool is_sse = false;  ///< The URL is that of an event stream of 2024-11-05.
  std::map<std::string, std::string> headers = {};
};

/// Something that could not be carried over, or needs a look.
struct ClientNote {
  std::string pointer;
  std::string message;  ///< Never holds a value from the file.
};

struct ClientFile {
  std::string member = "mcpServers";  ///< Under which the client keeps its servers.
  std::vector<ClientEntry> entries;
  std::vector<ClientNote> notes;
};

/// What a client's settings may be at most: some clients keep whole conversations there.
inline constexpr JsonLimits kClientFileLimits{.bytes_max = std::size_t{32} << 20,
                                              .values_max = std::size_t{1} << 20,
                                              .numbers = JsonLimits::Numbers::keep_as_text};

/// One object in which a client keeps servers.
struct ClientTable {
  std::string pointer;  ///< RFC 6901: `/mcpServers`, `/servers`, `/mcp/servers` or, of a project,
                        ///< `/projects/~1srv~1shop/mcpServers`.
  std::string member;   ///< The last name of it.
  JsonValue servers;
};

/// Whether an entry starts its program by way of `bartizan wrap`.
bool is_wrapped_entry(JsonValue entry);

/// A client's settings, read: the tables of servers in them, of which there is one at least.
/// Lifetime: handles in `tables` live as long as this does, which does not move.
struct ReadClientTables {
  std::string strict = {};
  std::optional<Bytes> bytes = {};
  JsonDocument document = {};
  std::vector<ClientTable> tables = {};

  /// Errors: config_invalid when the text is no JSON, with line and column, or has no servers.
  Result<void> read(std::string_view text);
};

/// Reads the servers of a desktop client's settings: those of all its tables. Whatever else stands
/// in the file is the client's own.
///
/// Input:   the file's text: JSON, with `//` and `/* */` comments and commas before a closing
///          bracket, as editors write these files.
/// Errors:  config_invalid when it is no JSON, with line and column, or has no servers.
Result<ClientFile> read_client_file(std::string_view text);

}  // namespace bartizan
