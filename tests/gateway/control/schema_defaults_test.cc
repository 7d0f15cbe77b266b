// Holds the defaults of the published schema, which the reference shows, to those of the loader.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/control/changed_settings.h"
#include "schemas/json/json.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

/// A table of the configuration with the keys that it needs.
struct TableRow {
  std::string_view header;               ///< As the configuration has it.
  std::string_view needed;               ///< Its required keys, in lines.
  std::vector<std::string_view> schema;  ///< Where the schema has its keys, below `properties`.
  /// Keys whose other values are refused, or depend on other keys: only their defaults are
  /// compared.
  std::vector<std::string_view> fixed = {};
};

/// Whether two configurations differ in any setting outside the policy's tables.
bool differ(const Config& one, const Config& other) {
  const auto is_same_in = [](const auto& entries, const auto& others) {
    return std::ranges::equal(entries, others, [](const auto& entry, const auto& its) {
      return entry.first == its.first && is_same(entry.second, its.second);
    });
  };
  return !changed_settings(one, other).empty() || !restart_keys(one, other).empty() ||
         !is_same_in(one.exports, other.exports) || !is_same_in(one.alerts, other.alerts);
}

LoadedConfig load(const TableRow& row, const std::string& line) {
  std::string text =
      "version = 1\n[role.operator]\n[principal.ann]\nroles = "
      "[\"operator\"]\n[auth.api_key.laptop]\nprincipal = \"ann\"\n";
  text += "sha256 = \"" + std::string(64, '0') + "\"\n";
  if (row.header != "audit") text += "[audit]\nfile = \"/srv/record.jsonl\"\n";
  text += "[" + std::string(row.header) + "]\n" + std::string(row.needed) + line;
  return load_config_text(text, "bartizan.toml");
}

/// Another value than the default: the next of an enumeration, the opposite, or a larger number.
std::string other_value(JsonValue key) {
  const std::string value(key.find("default").raw());
  if (const JsonValue choices = key.find("enum")) {
    for (const JsonValue choice : choices) {
      if (choice.raw() != value) return std::string(choice.raw());
    }
  }
  if (value == "true" || value == "false") return value == "true" ? "false" : "true";
  const std::size_t end = value.find_last_of("0123456789");
  if (end == value.npos) return "\"/other\"";
  const std::size_t last = value.find_last_not_of("0123456789", end);
  const std::size_t begin = last == value.npos ? 0 : last + 1;
  const int number = std::stoi(value.substr(begin, end + 1 - begin));
  return value.substr(0, begin) + std::to_string(number + 1) + value.substr(end + 1);
}

TEST(SchemaDefaults, AreThoseOfTheLoader) {
  const std::string kExport = "type = \"syslog\"\nurl = \"unix:/dev/log\"\n";
  const TableRow rows[] = {
      {"listen", "", {"listen"}},
      {"metrics", "", {"metrics"}},
      {"process", "", {"process"}},
      {"session", "", {"session"}},
      {"client", "", {"client"}},
      {"log", "", {"log"}},
      {"pins", "file = \"/srv/bartizan.lock\"\n", {"pins"}, {"mode"}},
      {"policy", "", {"policy"}, {"mode"}},
      {"console", "roles = [\"operator\"]\n", {"console"}, {"address"}},
      {"approvals", "", {"approvals"}},
      {"capture", "file = \"/srv/capture.jsonl\"\n", {"capture"}},
      {"audit", "file = \"/srv/record.jsonl\"\n", {"audit"}},
      {"audit.rotate", "", {"audit", "properties", "rotate"}},
      {"export.desk", kExport, {"export", "additionalProperties"}, {"log_security_events"}},
      {"alert.desk",
       "url = \"https://127.0.0.1/\"\nsecret = \"env:S\"\n",
       {"alert", "additionalProperties"}},
      {"socket.desk",
       "path = \"/srv/s.sock\"\nprincipal = \"ann\"\n",
       {"socket", "additionalProperties"}},
  };
  std::ifstream file(project_file("config/config.schema.json"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> schema = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(schema.has_value()) << schema.error().detail;
  std::size_t compared = 0;
  for (const TableRow& row : rows) {
    JsonValue table = schema->find("properties");
    for (const std::string_view step : row.schema)
      table = table.find(step);
    for (const JsonValue key : table.find("properties")) {
      if (!key.find("default")) continue;
      const std::string name(key.key());
      SCOPED_TRACE(std::string(row.header) + "." + name);
      const LoadedConfig without = load(row, "");
      const LoadedConfig with =
          load(row, name + " = " + std::string(key.find("default").raw()) + "\n");
      EXPECT_TRUE(without.usable()) << bartizan::text(without.problems.front());
      EXPECT_TRUE(with.usable()) << bartizan::text(with.problems.front());
      EXPECT_FALSE(differ(without.config, with.config));
      ++compared;
      if (std::ranges::find(row.fixed, name) != row.fixed.end()) continue;
      // The control: another value is a difference.
      const LoadedConfig other = load(row, name + " = " + other_value(key) + "\n");
      EXPECT_TRUE(other.usable()) << bartizan::text(other.problems.front());
      EXPECT_TRUE(differ(without.config, other.config)) << other_value(key);
    }
  }
  EXPECT_GE(compared, 35U);
}

}  // namespace
}  // namespace bartizan
