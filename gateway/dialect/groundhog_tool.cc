#include "gateway/dialect/groundhog_tool.h"

#include <utility>

#include <fmt/format.h>

#include "policy/verdict/principal.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts)
    list += (list.size() > 1 ? "," : "") + json_string(text);
  return list + "]";
}

/// A schema that both must accept. A reference in either would point elsewhere in the combination;
/// then only the server's schema is shown.
std::string both(std::string server, const std::string& registered) {
  if (registered.empty()) return server;
  if (server.empty()) return registered;
  const bool has_references = server.contains("$ref") || registered.contains("$ref");
  return has_references ? server : fmt::format(R"({{"allOf":[{},{}]}})", server, registered);
}

/// `schema`: the schemas of arguments and results.
std::string schema_of(JsonValue definition, const ToolRegistration* registration) {
  std::string input(definition.find("inputSchema").raw());
  std::string output(definition.find("outputSchema").raw());
  if (registration != nullptr) {
    input = both(std::move(input), registration->input_schema);
    output = both(std::move(output), registration->output_schema);
  }
  std::string schema = R"({"input":)" + (input.empty() ? "{}" : input);
  if (!output.empty()) schema += R"(,"output":)" + output;
  return schema + "}";
}

}  // namespace

std::string write_groundhog_tool(const GroundhogTool& tool) {
  const Bytes bytes{tool.definition};
  JsonDocument document;
  const JsonValue definition = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const ToolRegistration* registration = tool.profile.registration;
  const std::string name = json_string(definition.find("name").text());
  std::string entry = fmt::format(R"({{"tool_id":{},"name":{},"version":{})", name, name,
                                  json_string(tool.version));
  const bool is_described = registration != nullptr && !registration->description.empty();
  const std::string description(is_described ? std::string_view(registration->description)
                                             : definition.find("description").text());
  if (!description.empty()) entry += R"(,"description":)" + json_string(description);
  if (registration != nullptr && !registration->author.empty()) {
    entry += R"(,"author":)" + json_string(registration->author);
  }
  entry += fmt::format(R"(,"categories":{},"trust_level":{},"permissions":{},"schema":{}}})",
                       list_of(tool.profile.categories), json_string(text(tool.trust)),
                       list_of(tool.profile.permissions), schema_of(definition, registration));
  return entry;
}

std::string groundhog_list_result(const std::vector<std::string>& entries, std::size_t total,
                                  double seconds) {
  std::string list;
  for (const std::string& entry : entries)
    list += (list.empty() ? "" : ",") + entry;
  return fmt::format(R"({{"tools":[{}],"total_matches":{},"search_time":{:.6f})", list, total,
                     seconds);
}

std::string_view version_of(const MergedProfile& profile, std::string_view server_version) {
  return profile.registration != nullptr ? std::string_view(profile.registration->version)
                                         : server_version;
}

}  // namespace bartizan
