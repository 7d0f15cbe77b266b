#include "gateway/command/command_convert.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "config/config_file.h"
#include "config/config_problem.h"
#include "config/load/load_config.h"
#include "config/parse_host_port.h"
#include "config/parse_units.h"
#include "config/problems.h"
#include "config/toml_reader.h"
#include "gateway/process/write_file.h"
#include "gateway/setup/convert_groundhog.h"
#include "policy/text/printable.h"

namespace bartizan {
namespace {

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan convert: " << why << '\n';
  return finish(output, kExitFailed);
}

std::size_t count_refused(const Conversion& conversion) {
  return static_cast<std::size_t>(std::ranges::count_if(
      conversion.keys, [](const ConvertedKey& key) { return !key.refused.empty(); }));
}

/// The format of `check`, so that editors find the places.
std::string line_of(const ConvertedKey& key) {
  const std::string name = key.key.empty() ? "" : printable(key.key) + ": ";
  if (key.refused.empty()) return fmt::format("{}: {}{}", key.where, name, key.became);
  const std::string instead = key.instead.empty() ? "" : "; " + key.instead;
  return fmt::format("{}: error: {}{}{}", key.where, name, key.refused, instead);
}

std::string summary(const ConvertOptions& options, const Conversion& conversion) {
  const std::size_t refused = count_refused(conversion);
  if (refused > 0) {
    return fmt::format("{} refused, so nothing was written", format_count(refused, "key"));
  }
  const std::string converted = format_count(conversion.keys.size(), "key") + " converted";
  return options.output.empty() ? converted
                                : fmt::format("{}; wrote {}", converted, options.output);
}

void write_text(const ConvertOptions& options, const Conversion& conversion,
                const CommandOutput& output) {
  for (const ConvertedKey& key : conversion.keys)
    output.problems << line_of(key) << '\n';
  for (const std::string& note : conversion.notes)
    output.problems << "note: " << note << '\n';
  output.problems << summary(options, conversion) << '\n';
  if (options.output.empty()) output.results << conversion.config;
}

void write_json(const ConvertOptions& options, const Conversion& conversion,
                const CommandOutput& output) {
  std::vector<JsonObject> keys;
  for (const ConvertedKey& key : conversion.keys) {
    JsonObject& object = keys.emplace_back();
    object.add("where", key.where);
    object.add("key", key.key);
    if (key.refused.empty()) {
      object.add("became", key.became);
      continue;
    }
    object.add("refused", key.refused);
    if (!key.instead.empty()) object.add("instead", key.instead);
  }
  JsonObject json;
  json.add("file", options.file);
  json.add_flag("ok", conversion.is_whole());
  json.add("refused", count_refused(conversion));
  json.add("keys", std::span<const JsonObject>(keys));
  json.add("notes", conversion.notes);
  if (conversion.is_whole() && !options.output.empty()) json.add("output", options.output);
  if (conversion.is_whole()) json.add("config", conversion.config);
  output.results << json.text() << '\n';
}

/// Why the result would not load. That is a bug of the gateway, and must be found now.
std::string find_load_fault(const ConvertOptions& options, const Conversion& conversion) {
  if (!conversion.is_whole()) return {};
  const LoadedConfig loaded =
      load_config_text(conversion.config, options.output.empty() ? "gateway.toml" : options.output);
  for (const ConfigProblem& problem : loaded.problems) {
    if (problem.severity == ConfigProblem::Severity::error) {
      return "the converted configuration would not load: " + text(problem);
    }
  }
  return {};
}

}  // namespace

int convert_configuration(const ConvertOptions& options, const CommandOutput& output) {
  for (const std::string& host : options.allowed_hosts) {
    if (!is_host(host)) return refuse(output, "--allowed-host requires a name or an address");
  }
  Problems unread;
  const auto text = read_config_file(options.file, kConfigFileBytesMax, {}, unread);
  for (const ConfigProblem& problem : unread.sorted())
    return refuse(output, problem.message);
  const Conversion conversion =
      convert_groundhog(text.value_or(""), options.file, options.allowed_hosts);
  if (const std::string fault = find_load_fault(options, conversion); !fault.empty()) {
    return refuse(output, fault);
  }
  if (conversion.is_whole() && !options.output.empty()) {
    const std::error_code error = write_new_file(options.output, conversion.config);
    if (error == std::errc::file_exists) {
      return refuse(
          output, fmt::format("{} exists already, and is not replaced: give --output another name",
                              options.output));
    }
    if (error) {
      return refuse(output, fmt::format("cannot write {}: {}", options.output, error.message()));
    }
  }
  const bool is_json = output.format == OutputFormat::json;
  (is_json ? write_json : write_text)(options, conversion, output);
  return finish(output, conversion.is_whole() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
