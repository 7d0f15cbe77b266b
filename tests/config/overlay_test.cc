#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "config/problems.h"
#include "tests/config/folder.h"
#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

constexpr std::string_view kServer =
    "version = 1\naudit.file = \"x\"\nserver.s.command = [\"p\"]\n";

/// A configuration with a server `s` and, from line 4 on, that text.
std::string with_server(std::string_view text) {
  return std::string(kServer) + std::string(text);
}

LoadedConfig load(std::string_view text) {
  return load_config_text(with_server(text), "/etc/b/c.toml");
}

TEST(Overlay, IsTheJsonThatItsTableSays) {
  const struct {
    std::string_view name, text, want;
  } rows[] = {
      {"none", "", ""},
      {"an empty one", "schema = {}", "{}"},
      {"inline", R"(schema = { required = ["a", "b"], minProperties = 1 })",
       R"({"minProperties":1,"required":["a","b"]})"},
      {"a table of its own", "[tool.\"s/t\".schema.properties.a]\ntype = \"integer\"",
       R"({"properties":{"a":{"type":"integer"}}})"},
      {"dotted keys", "schema.properties.a.enum = [1, -9223372036854775808, true, \"x\", []]",
       R"({"properties":{"a":{"enum":[1,-9223372036854775808,true,"x",[]]}}})"},
      {"floats", "schema.enum = [0.1, 1.0, -0.0, 1e300, 5e-324, 0.30000000000000004]",
       R"({"enum":[0.1,1,-0,1e+300,5e-324,0.30000000000000004]})"},
      {"escapes", R"(schema.enum = ["\u0000\"\\\n/ä"])", R"({"enum":["\u0000\"\\\n/ä"]})"},
      {"a name with an escape", R"(schema.properties."a\"/~\n" = true)",
       R"({"properties":{"a\"/~\n":true}})"},
      {"tables in arrays", R"(schema.anyOf = [{ required = ["a"] }, {}])",
       R"({"anyOf":[{"required":["a"]},{}]})"},
      {"another dialect", "schema.\"$schema\" = \"http://json-schema.org/draft-07/schema#\"",
       R"({"$schema":"http://json-schema.org/draft-07/schema#"})"},
      {"a reference into itself", R"(schema = { "$defs" = { a = {} }, "$ref" = "#/$defs/a" })",
       R"({"$defs":{"a":{}},"$ref":"#/$defs/a"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load("[tool.\"s/t\"]\n" + std::string(row.text) + "\n");
    ASSERT_EQ(all_text(loaded), "");
    ASSERT_EQ(loaded.config.tools.size(), 1U);
    EXPECT_EQ(loaded.config.tools[0].schema, row.want);
  }
}

TEST(Overlay, KnowsWhereItStands) {
  const ToolProfile profile = load("[tool.\"s/*\"]\ntimeout = \"1s\"\nschema = {}").config.tools[0];
  EXPECT_EQ(profile.schema_where.line, 6U);
  EXPECT_EQ(profile.schema_where.column, 1U);
}

TEST(Overlay, IsRefusedAtTheKeyThatIsWrong) {
  const struct {
    std::string_view name, text, want;
  } rows[] = {
      {"a date", R"(schema = { enum = ["a", 2027-01-31] })",
       ":5:25: error: a date is not a JSON value; write it as a string"},
      {"a moment", R"(schema.const = 2027-01-31T10:00:00Z)",
       ":5:16: error: a time is not a JSON value; write it as a string"},
      {"a time", R"(schema.const = 10:00:00)",
       ":5:16: error: a time is not a JSON value; write it as a string"},
      {"infinity", "schema.maximum = inf",
       ":5:18: error: JSON has no number that is infinite or none; write a finite one"},
      {"no number", "schema.properties.a = { enum = [1.5, nan] }",
       ":5:38: error: JSON has no number that is infinite or none; write a finite one"},
      {"a keyword's value", "schema.properties.size = { minLength = -1 }",
       ":5:28: error: the schema cannot be used: not an integer of at least 0 at "
       "\"/properties/size/minLength\""},
      {"in a table of its own",
       "[tool.\"s/t\".schema]\n[tool.\"s/t\".schema.properties.\"a/b~\"]\n"
       "minimum = \"1\"",
       ":7:1: error: the schema cannot be used: not a number at "
       "\"/properties/a~1b~0/minimum\""},
      {"a name that begins like another",
       "schema.properties = { a = {}, ab = { minimum = \"1\" } }",
       ":5:38: error: the schema cannot be used: not a number at \"/properties/ab/minimum\""},
      {"an element", R"(schema.allOf = [{}, { maximum = "1" }])",
       ":5:23: error: the schema cannot be used: not a number at \"/allOf/1/maximum\""},
      {"an element that is the flaw", R"(schema.allOf = [{}, 5])",
       ":5:21: error: the schema cannot be used: no schema at \"/allOf/1\""},
      {"another dialect", R"(schema."$schema" = "http://json-schema.org/draft-03/schema#")",
       ":5:8: error: the schema cannot be used: no dialect that is known here: "
       "http://json-schema.org/draft-03/schema# at \"/$schema\""},
      {"a keyword that is misspelled", "schema.properties.a.maxmum = 1",
       ":5:21: error: the schema cannot be used: no keyword of JSON Schema at "
       "\"/properties/a/maxmum\"; did you mean \"maximum\"?"},
      {"members without properties", "schema.a.maxLength = 1",
       ":5:8: error: the schema cannot be used: no keyword of JSON Schema; names of members stand "
       "in \"properties\" at \"/a\""},
      {"a keyword of another dialect", "schema.dependencies.a = [\"b\"]",
       ":5:8: error: the schema cannot be used: a keyword of another dialect than the schema's at "
       "\"/dependencies\""},
      {"a branch without a condition", "schema.then.type = \"null\"",
       ":5:8: error: the schema cannot be used: means nothing without \"if\" at \"/then\""},
      {"a format that nobody asserts", R"(schema.format = "iri")",
       ":5:8: error: the schema cannot be used: a format that is not asserted at \"/format\"; "
       "asserted are \"date-time\", \"date\", \"time\", \"email\", \"hostname\", \"ipv4\", "
       "\"ipv6\", "
       "\"uri\", \"uri-reference\", \"uuid\" or \"regex\""},
      {"a relative reference", R"(schema."$ref" = "b.json")",
       ":5:8: error: the schema cannot be used: nothing is fetched: b.json at \"/$ref\""},
      {"another document", R"(schema."$ref" = "https://example.com/a.json")",
       ":5:8: error: the schema cannot be used: nothing is fetched: https://example.com/a.json at "
       "\"/$ref\""},
      {"a pattern with look-ahead", R"(schema.properties.a.pattern = "(?=a)b")",
       ":5:21: error: the schema cannot be used: look-around at \"/properties/a/pattern\""},
      {"a text", R"(schema = "a.json")",
       ":5:10: error: \"schema\" must be a table or a file; write { … }, or \"file:PATH\""},
      {"no path", R"(schema = "file:")",
       ":5:10: error: \"schema\" must be a table or a file; write { … }, or \"file:PATH\""},
      {"a NUL in the path", R"(schema = "file:a\u0000b")",
       ":5:10: error: \"schema\" must be a table or a file; write { … }, or \"file:PATH\""},
      {"a boolean", "schema = true",
       ":5:10: error: \"schema\" must be a table or a file; write { … }, or \"file:PATH\""},
      {"a file in a text", R"(schema = "file:a.json")",
       ":5:10: error: \"schema\" as \"file:PATH\" needs a file that it stands in"},
      {"additional properties", R"(additional_properties = "refused")",
       ":5:25: error: \"additional_properties\" must be \"by_schema\" or \"refuse\", not "
       "\"refused\"; did you mean \"refuse\"?"},
      {"additional properties as JSON Schema has them", "additional_properties = false",
       ":5:25: error: \"additional_properties\" must be a string, not true or false"},
      {"formats", R"(formats = "asserted")",
       ":5:11: error: \"formats\" must be \"annotate\" or \"assert\", not \"asserted\"; did you "
       "mean \"assert\"?"},
      {"patterns", R"(untranslatable_patterns = "allow")",
       ":5:27: error: \"untranslatable_patterns\" must be \"quarantine\" or \"accept\", not "
       "\"allow\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load("[tool.\"s/t\"]\n" + std::string(row.text) + "\n");
    EXPECT_EQ(all_text(loaded), "/etc/b/c.toml" + std::string(row.want) + "\n");
    EXPECT_FALSE(loaded.usable());
    ASSERT_EQ(loaded.config.tools.size(), 1U);
    EXPECT_EQ(loaded.config.tools[0].schema, "");
  }
}

TEST(Overlay, AcceptsPatternsOfOneToolOnly) {
  const std::string hint = "; write it in a profile of that tool, [tool.\"SERVER/TOOL\"]\n";
  const auto refused = [&](std::string_view pattern) {
    return "/etc/b/c.toml:5:27: error: \"untranslatable_patterns\" can be \"accept\" for one tool "
           "only, not for \"" +
           std::string(pattern) + "\"" + hint;
  };
  const struct {
    std::string_view pattern, value;
    std::string want;
  } rows[] = {
      {"s/t", "accept", ""},
      {"s/t", "quarantine", ""},
      {"s/*", "quarantine", ""},
      {"s/*", "accept", refused("s/*")},
      {"s/t*", "accept", refused("s/t*")},
      {"s/**", "accept", refused("s/**")},
      {"*/t", "accept", refused("*/t")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.pattern);
    EXPECT_EQ(all_text(load("[tool.\"" + std::string(row.pattern) +
                            "\"]\nuntranslatable_patterns = \"" + std::string(row.value) + "\"")),
              row.want);
  }
}

TEST(Rename, IsOfArgumentsOfOneTool) {
  const std::string hint =
      "; write the pointer that clients know, and the one that the server reads, such as { "
      "\"/query\" = \"/sql\" }\n";
  const auto at = [](std::string_view place) {
    return "/etc/b/c.toml:" + std::string(place) + ": error: ";
  };
  const struct {
    std::string_view pattern, text;
    std::string want;
  } rows[] = {
      {"s/t", R"(rename = { "/query" = "/sql" })", ""},
      {"s/t", R"(rename = { "/a/b" = "/a/c", "/d" = "/e" })", ""},
      {"s/t", R"(rename = { "query" = "/sql" })",
       at("5:10") + R"("query" = "/sql" is not a JSON pointer to an argument)" + hint},
      {"s/t", R"(rename = { "/sql" = "/sql" })",
       at("5:10") + R"("/sql" = "/sql" renames nothing)" + hint},
      {"s/t", R"(rename = { "/a/b" = "/b" })",
       at("5:10") + R"("/a/b" = "/b" leads to another object)" + hint},
      {"s/t", R"(rename = { "/a/*/b" = "/a/*/c" })",
       at("5:10") + R"("/a/*/b" = "/a/*/c" leads into an array)" + hint},
      {"s/t", R"(rename = { "/a" = "/b", "/b" = "/a" })",
       at("5:10") + "\"/b\" = \"/a\" names what another rename has\n"},
      {"s/t", R"(rename = { "/a" = "/c", "/b" = "/c" })",
       at("5:10") + "\"/b\" = \"/c\" names what another rename has\n"},
      {"s/*", R"(rename = { "/query" = "/sql" })",
       at("5:10") + "\"rename\" is of one tool only, not of \"s/*\"; write it in a profile of "
                    "that tool, [tool.\"SERVER/TOOL\"]\n"},
      {"s/t", "rename = { \"/a\" = \"/b\" }\narguments.\"/a\".absent = true",
       at("6:11") + "\"/a\" is never sent: it is renamed to \"/b\"; write the predicate of the "
                    "name that the server reads\n"},
      {"s/t", "rename = { \"/a\" = \"/b\" }\narguments.\"/b\".fixed = 1",
       at("6:11") + "\"/b\" is renamed, and forced\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(all_text(load("[tool.\"" + std::string(row.pattern) + "\"]\n" +
                            std::string(row.text) + "\n")),
              row.want);
  }
}

TEST(Overlay, ReadsTheSettingsBesideIt) {
  const ToolProfile none = load("[tool.\"s/t\"]").config.tools[0];
  EXPECT_EQ(none.additional_properties, ToolProfile::AdditionalProperties::by_schema);
  EXPECT_EQ(none.formats, ToolProfile::Formats::annotate);
  EXPECT_EQ(none.untranslatable_patterns, ToolProfile::UntranslatablePatterns::quarantine);
  const ToolProfile all = load(
                              "[tool.\"s/t\"]\nadditional_properties = \"refuse\"\n"
                              "formats = \"assert\"\nuntranslatable_patterns = \"accept\"")
                              .config.tools[0];
  EXPECT_EQ(all.additional_properties, ToolProfile::AdditionalProperties::refuse);
  EXPECT_EQ(all.formats, ToolProfile::Formats::assert_them);
  EXPECT_EQ(all.untranslatable_patterns, ToolProfile::UntranslatablePatterns::accept);
  const ToolProfile named = load(
                                "[tool.\"s/t\"]\nadditional_properties = \"by_schema\"\n"
                                "formats = \"annotate\"\nuntranslatable_patterns = "
                                "\"quarantine\"")
                                .config.tools[0];
  EXPECT_EQ(named.additional_properties, none.additional_properties);
  EXPECT_EQ(named.formats, none.formats);
  EXPECT_EQ(named.untranslatable_patterns, none.untranslatable_patterns);
}

TEST(OutputSchema, IsHeldToUnlessTheServerSaysOtherwise) {
  using OutputSchema = ServerConfig::OutputSchema;
  const auto of = [](std::string_view text) { return load(text).config.servers.at("s"); };
  EXPECT_EQ(of("").output_schema, OutputSchema::withhold);
  EXPECT_EQ(of("server.s.output_schema = \"withhold\"").output_schema, OutputSchema::withhold);
  EXPECT_EQ(of("server.s.output_schema = \"warn\"").output_schema, OutputSchema::warn);
  EXPECT_EQ(all_text(load("server.s.output_schema = \"warning\"")),
            "/etc/b/c.toml:4:26: error: \"output_schema\" must be \"withhold\" or \"warn\", not "
            "\"warning\"\n");
  EXPECT_EQ(all_text(load("server.s.output_schema = {}")),
            "/etc/b/c.toml:4:26: error: \"output_schema\" must be a string, not a table\n");
}

// --- Schemas in files ---------------------------------------------------------------------------

std::string profile_of_file(std::string_view tool, std::string_view path) {
  return "[tool.\"s/" + std::string(tool) + "\"]\nschema = \"file:" + std::string(path) + "\"\n";
}

TEST(OverlayFile, IsFoundBesideTheFileThatNamesIt) {
  const Folder folder;
  folder.write("a.json", " {\"maxProperties\": 1} ");
  folder.write("policy.d/a.json", "false\n");
  folder.write("policy.d/p.toml",
               profile_of_file("b", "a.json") + profile_of_file("c", "../a.json"));
  const std::string main =
      folder.write("c.toml", "include = [\"policy.d/*.toml\"]\n" +
                                 with_server(profile_of_file("a", "./a.json")));
  const LoadedConfig loaded = load_config(main);
  ASSERT_EQ(all_text(loaded), "");
  EXPECT_TRUE(check_against_schema(main).empty());
  ASSERT_EQ(loaded.config.tools.size(), 3U);
  // As the bytes stand in the file, each read once.
  EXPECT_EQ(loaded.config.tools[0].schema, " {\"maxProperties\": 1} ");
  EXPECT_EQ(loaded.config.tools[1].schema, "false\n");
  EXPECT_EQ(loaded.config.tools[2].schema, loaded.config.tools[0].schema);
  // What a reload watches, and waits for while it is written.
  const std::vector<std::string> files{main, folder.name("policy.d/p.toml"), folder.name("a.json"),
                                       folder.name("policy.d/a.json")};
  EXPECT_EQ(loaded.config.files, files);
}

TEST(OverlayFile, IsPartOfThePolicyThatTheDigestNames) {
  const Folder folder;
  folder.write("a.json", "{}");
  const std::string main = folder.write("c.toml", with_server(profile_of_file("a", "a.json")));
  const std::string before = load_config(main).config.digest;
  EXPECT_EQ(load_config(main).config.digest, before);
  folder.write("a.json", "{} ");
  EXPECT_NE(load_config(main).config.digest, before);
  folder.write("a.json", "{}");
  EXPECT_EQ(load_config(main).config.digest, before);
}

TEST(OverlayFile, IsRefusedWithThePointerIntoIt) {
  const Folder folder;
  const struct {
    std::string_view name, bytes, want;
  } rows[] = {
      {"a flaw", R"({"properties": {"a": {"minLength": -1}}})",
       " cannot be used: not an integer of at least 0 at \"/properties/a/minLength\"\n"},
      {"no schema", "5", " cannot be used: no schema\n"},
      {"a name twice", R"({"type": "object", "type": "array"})",
       ", line 1, column 20 cannot be used: a member name occurs twice\n"},
      {"a name twice, below", "{\n  \"a\": 1,\n  \"a\": 2}",
       ", line 3, column 3 cannot be used: a member name occurs twice\n"},
  };
  const std::string main = folder.write("c.toml", with_server(profile_of_file("a", "a.json")));
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string file = folder.write("a.json", row.bytes);
    const LoadedConfig loaded = load_config(main);
    EXPECT_FALSE(loaded.usable());
    EXPECT_EQ(all_text(loaded),
              main + ":5:10: error: the schema in " + quote(file) + std::string(row.want));
    EXPECT_EQ(loaded.config.tools[0].schema, "");
  }
  for (const std::string_view bytes : {"", "{", "{} {}", "type = 1"}) {
    SCOPED_TRACE(bytes);
    folder.write("a.json", bytes);
    EXPECT_TRUE(all_text(load_config(main)).starts_with(main + ":5:10: error: the schema in "));
  }
}

TEST(OverlayFile, IsWatchedForWhereItCannotBeRead) {
  const Folder folder;
  const std::string main = folder.write(
      "c.toml", with_server(profile_of_file("a", "policy.d") + profile_of_file("b", "gone.json") +
                            profile_of_file("c", "gone.json")));
  const LoadedConfig loaded = load_config(main);
  EXPECT_FALSE(loaded.usable());
  // Of a file that two name it is said once.
  EXPECT_EQ(all_text(loaded), main + ":5:10: error: cannot read " + quote(folder.name("policy.d")) +
                                  ": it is a folder\n" + main + ":7:10: error: cannot read " +
                                  quote(folder.name("gone.json")) + ": no such file\n");
  const std::vector<std::string> files{main, folder.name("gone.json"), folder.name("policy.d")};
  EXPECT_EQ(loaded.config.files, files);
}

TEST(OverlayFile, IsBoundedAloneAndTogether) {
  constexpr std::size_t kBytesMax = std::size_t{256} << 10;
  const Folder folder;
  const std::string main = folder.write("c.toml", with_server(profile_of_file("a", "a.json")));
  const std::string file = folder.write("a.json", "{}" + std::string(kBytesMax - 2, ' '));
  EXPECT_EQ(all_text(load_config(main)), "");
  folder.write("a.json", "{}" + std::string(kBytesMax - 1, ' '));
  EXPECT_EQ(all_text(load_config(main)),
            main + ":5:10: error: " + quote(file) + " is larger than 256 KiB\n");
  std::string many;
  for (int i = 10; i < 74; ++i) {
    const std::string name = std::to_string(i) + ".json";
    folder.write(name, "{}" + std::string(kBytesMax - 2, ' '));
    many += profile_of_file(std::to_string(i), name);
  }
  folder.write("c.toml", with_server(many));
  EXPECT_EQ(all_text(load_config(main)),
            main + ":131:10: error: all files together are larger than 16 MiB\n");
}

TEST(OverlayFile, IsOneOfManyAtMost) {
  const Folder folder;
  std::string text;
  for (int i = 100; i < 357; ++i) {
    const std::string name = std::to_string(i) + ".json";
    folder.write(name, "{}");
    text += profile_of_file(std::to_string(i), name);
  }
  const std::string main = folder.write("c.toml", with_server(text));
  const std::string too_many = main + ":517:10: error: more than 256 files hold schemas\n";
  EXPECT_EQ(all_text(load_config(main)), too_many);
  // Those that cannot be read are watched for, so they count.
  std::filesystem::remove(folder.name("100.json"));
  const LoadedConfig loaded = load_config(main);
  EXPECT_TRUE(all_text(loaded).ends_with(too_many)) << all_text(loaded);
  EXPECT_EQ(loaded.config.files.size(), 257U);
}

}  // namespace
}  // namespace bartizan
