#include "config/known_keys.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/config_schema.h"
#include "config/load/load_config.h"
#include "config/toml_reader.h"
#include "schemas/json/json.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

using Names = std::set<std::string>;
using State = KnownKey::State;

std::string join(const std::string& table, std::string_view key) {
  return table.empty() ? std::string(key) : table + "." + std::string(key);
}

Names known(State state) {
  Names names;
  for (const KnownKey& key : known_keys()) {
    if (key.state == state) names.insert(join(std::string(key.table), key.key));
  }
  return names;
}

/// All keys that a schema describes, the free ones as `*`.
void collect(JsonValue root, JsonValue schema, const std::string& table, Names& names) {
  const JsonValue elsewhere = schema.find("$ref");
  if (elsewhere) schema = root.at_pointer(elsewhere.text().substr(1));
  for (const JsonValue property : schema.find("properties")) {
    const std::string name = join(table, property.key());
    names.insert(name);
    collect(root, property, name, names);
  }
  const JsonValue others = schema.find("additionalProperties");
  if (others.is(JsonType::object)) {
    names.insert(join(table, "*"));
    // What is described elsewhere has its keys there: a predicate is the same in rules.
    if (!others.find("$ref")) collect(root, others, join(table, "*"), names);
  }
  for (const JsonValue form : schema.find("anyOf"))
    collect(root, form, table, names);
}

TEST(KnownKeys, AreThoseOfTheSchema) {
  const Bytes bytes(config_schema_text());
  JsonDocument document;
  const Result<JsonValue> schema = document.read(bytes);
  ASSERT_TRUE(schema.has_value());
  Names described;
  collect(*schema, *schema, "", described);
  EXPECT_EQ(described, known(State::built));
}

TEST(KnownKeys, AreClosedInTheSchema) {
  const std::string_view text = config_schema_text();
  // A key of ours has that name; the keyword has a text.
  EXPECT_FALSE(text.contains("\"pattern\": \"") || text.contains("\"patternProperties\""))
      << "valijson would feed documents to std::regex";
}

/// All keys that a document uses; a name below a table with free keys becomes `*`.
void collect_used(const TomlValue& table, const std::string& kind, const Names& built,
                  Names& used) {
  const bool is_free = built.contains(join(kind, "*"));
  for (const TomlEntry& entry : table.entries) {
    const std::string own = join(kind, entry.key);
    const std::string name = is_free && !built.contains(own) ? join(kind, "*") : own;
    used.insert(name);
    // What no known key lies below is another language: a JSON Schema.
    const auto below = built.lower_bound(name + ".");
    const bool is_ours = below != built.end() && below->starts_with(name + ".");
    if (is_ours && entry.value.type == TomlValue::Type::table)
      collect_used(entry.value, name, built, used);
  }
}

TEST(KnownKeys, AreAllShownInTheFullExample) {
  std::ifstream file(project_file("config/full.toml"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto parsed = parse_toml(text, 0);
  ASSERT_TRUE(parsed.has_value());
  Names built = known(State::built);
  Names used;
  collect_used(*parsed, "", built, used);
  // It needs a loopback address, which would leave the keys for exposed ones unshown.
  built.erase("auth.principal");
  // It is not served beside endpoints, which the example has.
  built.erase("listen.path");
  // The URL is shown, which stands in its place.
  built.erase("auth.issuer.*.jwks_file");
  // One of the two ways is shown of each client at a provider.
  built.erase("auth.issuer.*.introspection.client_secret");
  built.erase("auth.front_door.*.provider.client_key");
  built.erase("auth.front_door.*.provider.key_id");
  EXPECT_EQ(used, built);
}

/// The header of a table of that kind, with names in place of `*`.
std::string header(std::string_view table) {
  std::string text;
  std::string_view before;
  while (!table.empty()) {
    const std::string_view part = table.substr(0, table.find('.'));
    const bool is_pointer = before == "arguments" || before == "when" || before == "unless";
    const std::string_view name = before == "tool" ? "\"s/*\"" : is_pointer ? "\"/p\"" : "x";
    text += (text.empty() ? "" : ".") + std::string(part == "*" ? name : part);
    before = part;
    table.remove_prefix(std::min(part.size() + 1, table.size()));
  }
  return text.empty() ? "" : "[" + text + "]\n";
}

TEST(KnownKeys, OfLaterVersionsAreRefusedByName) {
  int refused = 0;
  for (const KnownKey& key : known_keys()) {
    if (key.state != State::later) continue;
    SCOPED_TRACE(std::string(key.table) + "." + std::string(key.key));
    const std::string text = header(key.table) + std::string(key.key) + " = 1\n";
    const LoadedConfig loaded = load_config_text(text, "c.toml");
    EXPECT_FALSE(loaded.usable());
    const std::string expected =
        "\"" + std::string(key.key) + "\" is known but not built in this version";
    int found = 0;
    for (const ConfigProblem& problem : loaded.problems)
      found += problem.message == expected;
    EXPECT_EQ(found, 1);
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

/// The words that a key may have, and whether it has a list of them.
struct Words {
  Names words;
  bool is_list = false;
};

/// All keys that a schema gives words for. A predicate refers to itself.
void collect_words(JsonValue root, JsonValue schema, const std::string& key,
                   std::set<std::string_view> followed, std::map<std::string, Words>& all) {
  while (const JsonValue elsewhere = schema.find("$ref")) {
    if (!followed.insert(elsewhere.text()).second) return;
    schema = root.at_pointer(elsewhere.text().substr(1));
  }
  const JsonValue items = schema.find("items");
  for (const JsonValue of : {schema, items}) {
    for (const JsonValue word : of.find("enum")) {
      if (!word.is(JsonType::string)) continue;
      all[key].words.emplace(word.text());
      all[key].is_list = static_cast<bool>(items.find("enum"));
    }
  }
  for (const JsonValue property : schema.find("properties"))
    collect_words(root, property, join(key, property.key()), followed, all);
  const JsonValue others = schema.find("additionalProperties");
  if (others.is(JsonType::object)) collect_words(root, others, join(key, "*"), followed, all);
  for (const JsonValue form : schema.find("anyOf"))
    collect_words(root, form, key, followed, all);
}

constexpr std::string_view kNoWord = "no such word";

/// The words that the loader names where it is given another one; none where it does not say so.
Names loaded_words(const std::string& key, bool is_list) {
  const std::size_t end = key.rfind('.');
  const std::string name = key.substr(end + 1);
  const std::string value = "\"" + std::string(kNoWord) + "\"";
  const std::string text =
      header(key.substr(0, end)) + name + " = " + (is_list ? "[" + value + "]" : value) + "\n";
  Names words;
  for (const ConfigProblem& problem : load_config_text(text, "c.toml").problems) {
    const std::string beginning = "\"" + name + "\" " + (is_list ? "can hold " : "must be ");
    const std::string ending = ", not " + value;
    std::string_view list = problem.message;
    if (!list.starts_with(beginning) || !list.ends_with(ending)) continue;
    list.remove_prefix(beginning.size());
    list.remove_suffix(ending.size());
    for (std::size_t from = list.find('"'); from != list.npos; from = list.find('"')) {
      list.remove_prefix(from + 1);
      words.emplace(list.substr(0, list.find('"')));
      list.remove_prefix(list.find('"') + 1);
    }
  }
  return words;
}

TEST(KnownKeys, HaveTheWordsThatTheLoaderTakes) {
  const Bytes bytes(config_schema_text());
  JsonDocument document;
  const Result<JsonValue> schema = document.read(bytes);
  ASSERT_TRUE(schema.has_value());
  std::map<std::string, Words> all;
  collect_words(*schema, *schema, "", {}, all);
  // Keys whose loader says in a sentence of its own what they may have.
  std::erase_if(all, [](const auto& entry) {
    const std::string_view key = entry.first;
    return key == "command.*.syntax" || key.ends_with("sql.statements") ||
           key == "sql.*.statements" ||
           (key.starts_with("auth.") && key.ends_with(".private_networks"));
  });
  EXPECT_GT(all.size(), 0U);
  for (const auto& [key, described] : all)
    EXPECT_EQ(described.words, loaded_words(key, described.is_list)) << key;
}

TEST(CheckAgainstSchema, SaysWhere) {
  const auto problems = check_text_against_schema(
      "version = 1\naudit.file = \"a\"\n[server.s]\ncommand = [\"x\"]\nclient_features = "
      "[\"roots\", \"rots\"]\n",
      "c.toml");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].where, "c.toml:5:29");
}

TEST(CheckAgainstSchema, SaysWhatIsNoToml) {
  const auto problems = check_text_against_schema("version = ", "c.toml");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].where, "c.toml:1:11");
}

}  // namespace
}  // namespace bartizan
