#include "policy/check/listed_tool.h"

#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

std::optional<std::string> listed_tool(std::string_view entry, std::string_view name,
                                       const ArgumentRewrites& rewrites) {
  const Bytes bytes(entry);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root.has_value()) return std::nullopt;
  std::string out = "{";
  for (const JsonValue member : *root) {
    if (out.size() > 1) out += ',';
    out += member.key_range().of(bytes.view());
    out += ':';
    if (member.key() == "name") {
      append_json_string(out, name);
    } else if (member.key() == "inputSchema") {
      out += rewrites.without_forced(member, bytes.view());
    } else {
      out += member.raw();
    }
  }
  return out + "}";
}

}  // namespace bartizan
