#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

/// A configuration with a server `s`, a place `d`, a form of URLs `u`, one of commands `k`, one of
/// SQL `q`, a place on the disk `disk` and, in line 17, that predicate of `/a`.
std::string with_predicate(std::string_view predicate) {
  return "version = 1\naudit.file = \"x\"\nserver.s.command = [\"p\"]\npath.d.root = \"/d\"\n"
         "[url.u]\nschemes = [\"https\", \"wss\"]\nhosts = [\"example.com\"]\nports = [8443]\n"
         "[command.k]\nprograms = [\"git\", \"/bin/ls\"]\narguments.git = [\"log\", \"-n\"]\n"
         "environment = [\"LANG\"]\nsyntax = [\"pipes\", \"globs\"]\nsudo = "
         "\"allow\"\narguments_of = \"git\"\n"
         "[tool.\"s/t\".arguments]\n\"/a\" = " +
         std::string(predicate) +
         "\n[sql.q]\ndialect = \"sqlite\"\ntables = [\"users\"]\n"
         "[path.disk]\nroot = \"/d\"\nresolve = \"filesystem\"\n";
}

LoadedConfig load(std::string_view predicate) {
  return load_config_text(with_predicate(predicate), "c.toml");
}

TEST(Predicates, AreWhatTheirTablesSay) {
  const struct {
    std::string_view name, text;
    Predicate want;
  } rows[] = {
      {"path", R"({ path = "d" })", PathPredicate{"d"}},
      {"a fixed text", R"({ fixed = "a\"b" })", FixedPredicate{R"("a\"b")"}},
      {"a fixed number", "{ fixed = 1.5 }", FixedPredicate{"1.5"}},
      {"fixed to false", "{ fixed = false }", FixedPredicate{"false"}},
      {"classes of characters", R"({ text = { classes = ["tabs", "letters"] } })",
       TextPredicate{.classes = {CharacterClass::tabs, CharacterClass::letters}}},
      {"a compact text", "{ text = { compact = true } }", TextPredicate{.compact = true}},
      {"number", "{ number = { min = 1, max = 10000 } }", NumberPredicate{"1", "10000"}},
      {"number without bounds", "{ number = {} }", NumberPredicate{}},
      {"one bound", "{ number = { min = -0.5 } }", NumberPredicate{"-0.5", ""}},
      {"both bounds alike", "{ number = { min = 3, max = 3.0 } }", NumberPredicate{"3", "3"}},
      {"bounds that a double has not got",
       "{ number = { min = -9223372036854775808, max = 9223372036854775807 } }",
       NumberPredicate{"-9223372036854775808", "9223372036854775807"}},
      {"the digits that were written", "{ number = { min = 0.1, max = 1e300 } }",
       NumberPredicate{"0.1", "1e+300"}},
      {"one_of", R"({ one_of = ["name", 3, true, 2.5, false, "", "3", "true"] })",
       OneOfPredicate{{R"("name")", "3", "true", "2.5", "false", R"("")", R"("3")", R"("true")"}}},
      {"text", R"({ text = { min_length = 1, max_length = 256, matches = '\d+' } })",
       TextPredicate{1, 256, R"(\d+)"}},
      {"any text", "{ text = {} }", TextPredicate{}},
      {"the empty text", "{ text = { max_length = 0 } }", TextPredicate{0, 0, ""}},
      {"absent", "{ absent = true }", AbsentPredicate{}},
      {"url", R"({ url = "u" })",
       UrlPredicate{"u", {.schemes = {"https", "wss"}, .hosts = {"example.com"}, .ports = {8443}}}},
      {"command", R"({ command = "k" })",
       CommandPredicate{"k",
                        {.programs = {"git", "/bin/ls"},
                         .arguments = {{"git", {"log", "-n"}}},
                         .environment = {"LANG"},
                         .allow_pipes = true,
                         .allow_globs = true,
                         .allow_sudo = true,
                         .arguments_of = "git"}}},
      {"url of its own", R"({ url = { hosts = ["*.example.com"] } })",
       UrlPredicate{"", {.schemes = {"https"}, .hosts = {"*.example.com"}}}},
      {"all of a url",
       R"({ url = { schemes = ["http", "git+ssh"], hosts = ["a", "**"], ports = [1, 65535], )"
       R"(private_networks = "allow" } })",
       UrlPredicate{"",
                    {.schemes = {"http", "git+ssh"},
                     .hosts = {"a", "**"},
                     .ports = {1, 65535},
                     .allow_private = true}}},
      {"sql", R"({ sql = "q" })",
       SqlPredicate{"q", {.dialect = SqlDialect::sqlite, .tables = {"users"}}}},
      {"sql of its own", R"({ sql = { dialect = "ansi", tables = ["**"], functions = [] } })",
       SqlPredicate{"", {.tables = {"**"}, .functions = std::vector<std::string>()}}},
      {"all of a sql",
       R"({ sql = { dialect = "postgresql", statements = ["select", "show", "explain"], )"
       R"(tables = ["a", "b.*"], deny_tables = ["c"], functions = ["d"], deny_functions = ["e"], )"
       R"(comments = "allow", first_byte = "keyword" } })",
       SqlPredicate{"",
                    {.dialect = SqlDialect::postgres,
                     .statements = {SqlClass::select, SqlClass::show, SqlClass::explain},
                     .tables = {"a", "b.*"},
                     .deny_tables = {"c"},
                     .functions = std::vector<std::string>{"d"},
                     .deny_functions = {"e"},
                     .allow_comments = true,
                     .begins_with_letter = true}}},
      {"a url that is looked up", R"({ url = { hosts = ["a"], resolve = true } })",
       UrlPredicate{"", {.hosts = {"a"}, .resolve = true}}},
      {"the digest of a value",
       R"({ digest = { sha256 = ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"] } })",
       DigestPredicate{{"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}, ""}},
      {"the digest of a file",
       R"({ digest = { path = "disk", sha256 = ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"] } })",
       DigestPredicate{{"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                       "disk"}},
      {"what a sql is without a word",
       R"({ sql = { dialect = "mysql", tables = ["a"], comments = "refuse", first_byte = "any" } })",
       SqlPredicate{"", {.dialect = SqlDialect::mysql, .tables = {"a"}}}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load(row.text);
    ASSERT_EQ(all_text(loaded.problems), "");
    const ArgumentPredicate& argument = loaded.config.tools.at(0).arguments.at(0);
    EXPECT_EQ(argument.pointer, "/a");
    EXPECT_FALSE(argument.optional);
    EXPECT_TRUE(argument.predicate == row.want);
    EXPECT_TRUE(check_text_against_schema(with_predicate(row.text), "c.toml").empty());
  }
}

TEST(Predicates, MayBeOptional) {
  const LoadedConfig loaded = load("{ number = { min = 1 }, optional = true }");
  ASSERT_EQ(all_text(loaded.problems), "");
  EXPECT_TRUE(loaded.config.tools.at(0).arguments.at(0).optional);
}

/// Numbers from 0 on, as TOML has them in an array.
std::string many(int count) {
  std::string numbers;
  for (int i = 0; i < count; ++i)
    numbers += std::to_string(i) + ",";
  return "[" + numbers + "]";
}

TEST(Predicates, AreRefusedWhereTheyAreWrong) {
  const std::string too_many = "{ one_of = " + many(1025) + " }";
  const std::string long_pattern = "{ text = { matches = '" + std::string(1025, 'a') + "' } }";
  const struct {
    std::string_view name, text, want;
  } rows[] = {
      {"two", R"({ number = { min = 1 }, one_of = [1] })",
       "17:41: error: an argument has one predicate, not both \"number\" and \"one_of\"; another "
       "profile that matches the tool can have the other; both will hold"},
      {"absent and another", R"({ absent = true, path = "d" })",
       "17:32: error: an argument has one predicate, not both \"absent\" and \"path\"; another "
       "profile that matches the tool can have the other; both will hold"},
      {"fixed to a list", "{ fixed = [1] }",
       "17:18: error: \"fixed\" has strings, numbers, true and false, not an array"},
      {"fixed and optional", "{ fixed = 1, optional = true }",
       "17:32: warning: \"optional\" says nothing beside \"fixed\""},
      {"no such class", R"({ text = { classes = ["words"] } })",
       "17:30: error: \"classes\" can hold \"digits\", \"letters\", \"line_ends\", "
       "\"punctuation\", \"spaces\", \"symbols\" or \"tabs\", not \"words\""},
      {"no class", "{ text = { classes = [] } }",
       "17:29: error: \"classes\" is empty; leave it out for any character"},
      {"absent that is not", "{ absent = false }",
       "17:19: error: \"absent\" can only be true; leave it out where the argument may be there"},
      {"absent of another type", "{ absent = 1 }",
       "17:19: error: \"absent\" must be true or false, not an integer"},
      {"absent and optional", "{ absent = true, optional = true }",
       "17:36: warning: \"optional\" says nothing beside \"absent\""},
      {"a number that is not a table", "{ number = 3 }",
       "17:19: error: \"number\" must be a table, not an integer"},
      {"a bound that is a string", R"({ number = { min = "1" } })",
       "17:27: error: \"min\" must be a number, not a string"},
      {"a bound without end", "{ number = { max = inf } }",
       "17:27: error: JSON has no number that is infinite or none; write a finite one"},
      {"bounds the wrong way round", "{ number = { min = 2, max = 1.5 } }",
       "17:27: error: \"min\" is larger than \"max\""},
      {"a key of a number", "{ number = { minimum = 2 } }",
       "17:21: error: unknown key \"minimum\" in tool.s/t.arguments./a.number"},
      {"one_of that is not an array", R"({ one_of = "a" })",
       "17:19: error: \"one_of\" must be an array, not a string"},
      {"one_of without values", "{ one_of = [] }",
       "17:19: error: \"one_of\" must have from 1 to 1024 values"},
      {"one_of of too many", too_many, "17:19: error: \"one_of\" must have from 1 to 1024 values"},
      {"one_of with a value twice", R"({ one_of = [1, "a", 1.0] })",
       "17:28: error: \"one_of\" has this value twice"},
      {"one_of with a table", "{ one_of = [1, { a = 1 }] }",
       "17:23: error: \"one_of\" has strings, numbers, true and false, not a table"},
      {"one_of with an array", "{ one_of = [[1]] }",
       "17:20: error: \"one_of\" has strings, numbers, true and false, not an array"},
      {"one_of with a date", "{ one_of = [2027-01-31] }",
       "17:20: error: \"one_of\" has strings, numbers, true and false, not a date"},
      {"text that is not a table", R"({ text = "a" })",
       "17:17: error: \"text\" must be a table, not a string"},
      {"a length below zero", "{ text = { max_length = -1 } }",
       "17:32: error: \"max_length\" must be from 0 to 4194304, not -1"},
      {"a length that no text has", "{ text = { max_length = 4194305 } }",
       "17:32: error: \"max_length\" must be from 0 to 4194304, not 4194305"},
      {"lengths the wrong way round", "{ text = { min_length = 2, max_length = 1 } }",
       "17:32: error: \"min_length\" is larger than \"max_length\""},
      {"a pattern that is none", "{ text = { matches = '[a-' } }",
       "17:29: error: \"matches\" is not a pattern that RE2 can use: \"missing ]: [a-\""},
      {"a pattern that looks ahead", "{ text = { matches = '(?=a)b' } }",
       "17:29: error: \"matches\" is not a pattern that RE2 can use: \"invalid perl operator: "
       "(?=\"; RE2 has no look-ahead and no look-behind: write what may stand there"},
      {"an empty pattern", "{ text = { matches = '' } }",
       "17:29: error: \"matches\" must not be empty"},
      {"a pattern that is long", long_pattern,
       "17:29: error: \"matches\" is longer than 1024 bytes"},
      {"a pattern that grows", "{ text = { matches = '((a{100}){100}){100}' } }",
       "17:29: error: \"matches\" is not a pattern that RE2 can use: \"invalid repetition size: "
       "{100}\""},
      {"a command that nobody defined", R"({ command = "c" })",
       "17:20: error: there is no command \"c\"; did you mean \"k\"?"},
      {"a command in place", R"({ command = { programs = ["ls"] } })",
       "17:20: error: \"command\" must be a string, not a table"},
      {"a url that nobody defined", R"({ url = "v" })",
       "17:16: error: there is no url \"v\"; did you mean \"u\"?"},
      {"a url of another type", "{ url = 3 }",
       "17:16: error: \"url\" must be a table or the name of a [url.NAME], not an integer"},
      {"a url without hosts", "{ url = {} }",
       "17:10: error: a url needs \"hosts\"; write [\"**\"] for every host"},
      {"no hosts", "{ url = { hosts = [] } }",
       "17:26: error: \"hosts\" is empty; write [\"**\"] for every host"},
      {"no schemes", R"({ url = { hosts = ["a"], schemes = [] } })",
       "17:43: error: \"schemes\" is empty"},
      {"no ports", R"({ url = { hosts = ["a"], ports = [] } })",
       "17:41: error: \"ports\" is empty; leave it out for the port of the scheme alone"},
      {"a scheme in capitals", R"({ url = { hosts = ["a"], schemes = ["HTTPS"] } })",
       "17:44: error: \"HTTPS\" is not a scheme of URLs; write it in lower case and without its "
       "colon, "
       "such as \"https\""},
      {"a scheme with its colon", R"({ url = { hosts = ["a"], schemes = ["https:"] } })",
       "17:44: error: \"https:\" is not a scheme of URLs; write it in lower case and without its "
       "colon, "
       "such as \"https\""},
      {"a scheme without hosts", R"({ url = { hosts = ["a"], schemes = ["https", "file"] } })",
       "17:53: error: URLs with \"file\" name no host, so none would pass"},
      {"a scheme that is hardly meant", R"({ url = { hosts = ["a"], schemes = ["htps"] } })",
       "17:44: warning: \"htps\" is an unusual scheme; did you mean \"https\"?"},
      {"a port of none", R"({ url = { hosts = ["a"], ports = [0] } })",
       "17:42: error: \"ports\" has whole numbers from 1 to 65535"},
      {"a port beyond", R"({ url = { hosts = ["a"], ports = [443, 65536] } })",
       "17:47: error: \"ports\" has whole numbers from 1 to 65535"},
      {"a port in words", R"({ url = { hosts = ["a"], ports = ["443"] } })",
       "17:42: error: \"ports\" has whole numbers from 1 to 65535"},
      {"a port twice", R"({ url = { hosts = ["a"], ports = [443, 443] } })",
       "17:47: error: \"ports\" has this port twice"},
      {"networks that are neither", R"({ url = { hosts = ["a"], private_networks = "yes" } })",
       "17:52: error: \"private_networks\" must be \"refuse\" or \"allow\", not \"yes\""},
      {"a key of a url", R"({ url = { hosts = ["a"], port = 443 } })",
       "17:33: error: unknown key \"port\" in tool.s/t.arguments./a.url; did you mean \"ports\"?"},
      {"a sql that nobody defined", R"({ sql = "p" })",
       "17:16: error: there is no sql \"p\"; did you mean \"q\"?"},
      {"a sql of another type", "{ sql = true }",
       "17:16: error: \"sql\" must be a table or the name of a [sql.NAME], not true or false"},
      {"a sql of no dialect", R"({ sql = { tables = ["a"] } })",
       "17:10: error: a sql needs \"dialect\"; write \"sqlite\", \"postgresql\", \"mysql\", or "
       "\"ansi\" for others"},
      {"a dialect of none", R"({ sql = { dialect = "postgres", tables = ["a"] } })",
       "17:28: error: \"dialect\" must be \"ansi\", \"mysql\", \"postgresql\" or \"sqlite\", not "
       "\"postgres\"; did you mean \"postgresql\"?"},
      {"a sql of no tables", R"({ sql = { dialect = "ansi" } })",
       "17:10: error: a sql needs \"tables\"; write [\"**\"] for every table"},
      {"no table", R"({ sql = { dialect = "ansi", tables = [] } })",
       "17:45: error: \"tables\" is empty; write [\"**\"] for every table"},
      {"no statement", R"({ sql = { dialect = "ansi", tables = ["a"], statements = [] } })",
       "17:65: error: \"statements\" is empty; leave it out for [\"select\"]"},
      {"a statement that writes",
       R"({ sql = { dialect = "ansi", tables = ["a"], statements = ["insert"] } })",
       "17:66: error: no \"insert\" statement can pass; write \"select\", \"show\" or \"explain\": "
       "what writes is never let through by its text"},
      {"comments that are neither",
       R"({ sql = { dialect = "ansi", tables = ["a"], comments = "no" } })",
       "17:63: error: \"comments\" must be \"refuse\" or \"allow\", not \"no\""},
      {"a first byte of none",
       R"({ sql = { dialect = "ansi", tables = ["a"], first_byte = "s" } })",
       "17:65: error: \"first_byte\" must be \"any\" or \"keyword\", not \"s\""},
      {"a key of a sql", R"({ sql = { dialect = "ansi", tables = ["a"], table = "b" } })",
       "17:52: error: unknown key \"table\" in tool.s/t.arguments./a.sql; did you mean "
       "\"tables\"?"},
      {"a look-up of none", R"({ url = { hosts = ["a"], resolve = "yes" } })",
       "17:43: error: \"resolve\" must be true or false, not a string"},
      {"a digest of none", "{ digest = {} }",
       "17:10: error: a digest needs \"sha256\"; write 64 digits, 0 to 9 and a to f, as sha256sum "
       "does"},
      {"no digest", "{ digest = { sha256 = [] } }",
       "17:30: error: \"sha256\" is empty; write 64 digits, 0 to 9 and a to f, as sha256sum does"},
      {"a digest that is cut", R"({ digest = { sha256 = ["ba7816bf"] } })",
       "17:31: error: \"ba7816bf\" is not a SHA-256; write 64 digits, 0 to 9 and a to f, as "
       "sha256sum "
       "does"},
      {"a digest of another type", R"({ digest = "ba7816bf" })",
       "17:19: error: \"digest\" must be a table, not a string"},
      {"a digest in a path that nobody defined",
       R"({ digest = { path = "dsk", sha256 = ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"] } })",
       "17:28: error: there is no path \"dsk\"; did you mean \"disk\"?"},
      {"a digest in a path of text alone",
       R"({ digest = { path = "d", sha256 = ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"] } })",
       "17:28: error: path \"d\" is judged by its text alone, and the digest is that of a file; "
       "write resolve = \"filesystem\" there, or in a path of its own that is like it"},
      {"a key of a digest", R"({ digest = { sha1 = [] } })",
       "17:10: error: a digest needs \"sha256\"; write 64 digits, 0 to 9 and a to f, as sha256sum "
       "does\nc.toml:17:21: error: unknown key \"sha1\" in tool.s/t.arguments./a.digest"},
      {"a key of a text", "{ text = { max = 3 } }",
       "17:19: error: unknown key \"max\" in tool.s/t.arguments./a.text"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load(row.text);
    EXPECT_EQ(all_text(loaded.problems), "c.toml:" + std::string(row.want) + "\n");
    EXPECT_EQ(loaded.usable(), !row.want.contains(": error: "));
  }
}

TEST(Commands, AreRefusedWhereTheyAreWrong) {
  const struct {
    std::string_view name, text, want;
  } rows[] = {
      {"none", "", "4:10: error: a command needs \"programs\""},
      {"no programs", "programs = []", "5:12: error: \"programs\" is empty"},
      {"a program with words", R"(programs = ["git log"])",
       "5:13: error: \"git log\" is not a program; write a name, or an absolute path without . and "
       ".."},
      {"a relative path", R"(programs = ["./x"])",
       "5:13: error: \"./x\" is not a program; write a name, or an absolute path without . and .."},
      {"a path that goes back", R"(programs = ["/bin/../x"])",
       "5:13: error: \"/bin/../x\" is not a program; write a name, or an absolute path without . "
       "and "
       ".."},
      {"sudo", R"(programs = ["sudo"])",
       "5:13: error: \"sudo\" is not a program of the list; write sudo = \"allow\"; what it runs "
       "is "
       "judged by the list"},
      {"arguments of another", "programs = [\"git\"]\narguments.gti = ['a']",
       "6:11: error: \"gti\" is not among \"programs\""},
      {"a pattern that is none", "programs = [\"git\"]\narguments.git = ['[a-']",
       "6:18: error: \"git\" is not a pattern that RE2 can use: \"missing ]: [a-\""},
      {"patterns of another type", "programs = [\"git\"]\narguments.git = 3",
       "6:17: error: \"git\" must be an array, not an integer"},
      {"a variable that is none", "programs = [\"git\"]\nenvironment = [\"A=1\"]",
       "6:16: error: \"A=1\" is not a name of a variable"},
      {"syntax that is none", "programs = [\"git\"]\nsyntax = [\"pipe\"]",
       "6:11: error: there is no syntax \"pipe\"; did you mean \"pipes\"?"},
      {"sudo that is neither", "programs = [\"git\"]\nsudo = \"yes\"",
       "6:8: error: \"sudo\" must be \"refuse\" or \"allow\", not \"yes\""},
      {"arguments of none", "programs = [\"git\"]\narguments_of = \"ls\"",
       "6:16: error: \"ls\" is not among \"programs\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load_config_text(
        "version = 1\naudit.file = \"x\"\nserver.s.command = [\"p\"]\n[command.k]\n" +
            std::string(row.text) + "\n",
        "c.toml");
    EXPECT_EQ(all_text(loaded.problems), "c.toml:" + std::string(row.want) + "\n");
  }
}

}  // namespace
}  // namespace bartizan
