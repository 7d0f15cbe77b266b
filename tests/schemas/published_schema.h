#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "schemas/json/json.h"
#include "schemas/message/protocol_version.h"
#include "tests/checkout.h"

namespace bartizan {

/// The text of the schema that MCP published for a revision.
inline std::string published_schema(ProtocolVersion version) {
  std::ifstream file(project_file("schemas/mcp/") + std::string(text(version)) + ".json");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Its types, which older revisions keep under another name.
inline JsonValue published_types(JsonValue schema) {
  const JsonValue types = schema.find("$defs");
  return types ? types : schema.find("definitions");
}

}  // namespace bartizan
