#include "config/config_sources.h"

#include <cstddef>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// The largest size of all files of a configuration, with each byte escaped.
constexpr JsonLimits kSourcesLimits{.bytes_max = std::size_t{128} << 20};

void append_member(std::string& json, std::string_view name, std::string_view text) {
  append_json_string(json, name);
  json += ':';
  append_json_string(json, text);
}

/// The texts by path, as an object.
void append_texts(std::string& json, std::string_view name,
                  const std::map<std::string, std::string, std::less<>>& texts) {
  append_json_string(json, name);
  json += ":{";
  for (const auto& [path, text] : texts) {
    if (path != texts.begin()->first) json += ',';
    append_member(json, path, text);
  }
  json += '}';
}

}  // namespace

std::string encode_sources(const ConfigSources& sources) {
  std::string json = R"({"files":[)";
  for (const ConfigSources::File& file : sources.files) {
    json += &file == sources.files.data() ? "{" : ",{";
    append_member(json, "name", file.name);
    json += ',';
    append_member(json, "text", file.text);
    json += '}';
  }
  json += "],";
  append_texts(json, "schemas", sources.schemas);
  json += ',';
  append_texts(json, "rules", sources.rules);
  if (sources.lock.has_value()) {
    json += ',';
    append_member(json, "lock", *sources.lock);
  }
  return json + "}";
}

Result<ConfigSources> decode_sources(std::string_view json) {
  const Bytes bytes(json);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kSourcesLimits);
  if (!root.has_value()) return std::unexpected(root.error());
  ConfigSources sources;
  for (const JsonValue file : root->find("files"))
    sources.files.push_back(
        {std::string(file.find("name").text()), std::string(file.find("text").text())});
  if (sources.files.empty()) {
    return fail(ErrorCode::config_invalid, Fault::gateway, "it holds no configuration");
  }
  for (const JsonValue schema : root->find("schemas"))
    sources.schemas.emplace(schema.key(), schema.text());
  for (const JsonValue rules : root->find("rules"))
    sources.rules.emplace(rules.key(), rules.text());
  if (const JsonValue lock = root->find("lock")) sources.lock = lock.text();
  return sources;
}

}  // namespace bartizan
