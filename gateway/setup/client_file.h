#pragma once

#include <map>
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

/// A client's settings as strict JSON of the same length: comments, commas before a closing bracket
/// and a byte order mark become spaces, so that everything stays where it is.
std::string as_strict_json(std::string_view text);

/// One object in which a client keeps servers.
struct ClientTable {
  std::string pointer;  ///< RFC 6901: `/mcpServers`, `/servers`, `/mcp/servers` or, of a project,
                        ///< `/projects/~1srv~1shop/mcpServers`.
  std::string member;   ///< The last name of it.
  JsonValue servers;
};
/// All of a file, in its order. Lifetime: views the document.
std::vector<ClientTable> find_client_tables(JsonValue root);

/// Whether an entry starts its program by way of `bartizan wrap`.
bool is_wrapped_entry(JsonValue entry);

/// Why a text is no JSON, with `line 4, column 7`. Input: the error of reading it.
Error explain_client_file(std::string_view text, const Error& error);

/// Reads the servers of a desktop client's settings: those of all its tables. Whatever else stands
/// in the file is the client's own.
///
/// Input:   the file's text: JSON, with `//` and `/* */` comments and commas before a closing
///          bracket, as editors write these files.
/// Errors:  config_invalid when it is no JSON, with line and column, or has no servers.
Result<ClientFile> read_client_file(std::string_view text);

}  // namespace bartizan
