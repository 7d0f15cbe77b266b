#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

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

/// Reads the servers of a desktop client's settings: the objects in `mcpServers`, or in `servers`
/// as one editor calls them. Whatever else stands in the file is the client's own.
///
/// Input:   the file's text: JSON, with `//` and `/* */` comments and commas before a closing
///          bracket, as editors write these files.
/// Errors:  config_invalid when it is no JSON, with line and column, or has no servers.
Result<ClientFile> read_client_file(std::string_view text);

}  // namespace bartizan
