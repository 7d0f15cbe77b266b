#include "policy/check/argument_readings.h"

#include <gtest/gtest.h>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ArgumentPredicate asked(std::string pointer, Predicate predicate) {
  ArgumentPredicate argument;
  argument.pointer = std::move(pointer);
  argument.predicate = std::move(predicate);
  return argument;
}

Config config_of(std::vector<ArgumentPredicate> arguments) {
  Config config = sample_config();
  config.paths["anywhere"] = {.name = "anywhere", .root = "/", .base = "/home/ann", .where = {}};
  ToolProfile profile;
  profile.pattern = "files/*";
  profile.arguments = std::move(arguments);
  config.tools = {std::move(profile)};
  return config;
}

/// `POINTER kind: READING`, one after another, with ` | ` for line feeds.
std::string read(const Config& config, std::string_view arguments, std::string_view rule = "",
                 std::string_view server = "files") {
  const ToolProfiles profiles(config, sample_names());
  const auto sample = sample_tool_call(server, "read_text", arguments);
  const auto readings = read_arguments({.config = config,
                                        .profiles = profiles,
                                        .server = server,
                                        .tool = "read_text",
                                        .rule = rule,
                                        .arguments = sample->call.message.arguments});
  if (!readings.has_value()) return "too many";
  std::string all;
  for (const ArgumentReading& one : *readings) {
    if (!all.empty()) all += "; ";
    all += one.pointer + " " + std::string(one.kind) + ": " + one.reading;
  }
  for (std::size_t at = all.find('\n'); at != all.npos; at = all.find('\n', at))
    all.replace(at, 1, " | ");
  return all;
}

TEST(ArgumentReadings, SayWhereAPathLeads) {
  const Config config = config_of({asked("/path", PathPredicate{"docs"})});
  const struct {
    std::string_view name, path, want;
  } cases[] = {
      {"as it stands", "/srv/data/a.txt", "/srv/data/a.txt"},
      {"relative to the server's directory", "a/b", "/srv/data/a/b"},
      {"a step back", "/srv/data/a/../b", "/srv/data/b"},
      {"out of the root", "../../etc/passwd", "/etc/passwd"},
      {"above the top", "/../../x", "/x"},
      {"the top", "/", "/"},
      {"slashes and dots", "/srv//data/./a/", "/srv/data/a"},
      {"an escape, both ways", "a%2Fb", "/srv/data/a%2Fb | or /srv/data/a/b"},
      {"escaped twice", "a%252Fb", "/srv/data/a%252Fb | or /srv/data/a%2Fb | or /srv/data/a/b"},
      {"escaped dots", "%2e%2e/%2e%2e/etc", "/srv/data/%2e%2e/%2e%2e/etc | or /etc"},
      {"a backslash, both ways", "..\\\\..\\\\etc", "/srv/data/..\\..\\etc | or /etc"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config, R"({"path":")" + std::string(c.path) + "\"}"),
              "/path path: " + std::string(c.want));
  }
}

TEST(ArgumentReadings, SayWhereAUrlLeads) {
  const Config config = config_of({asked("/url", UrlPredicate{})});
  const struct {
    std::string_view name, url, want;
  } cases[] = {
      {"plain", "https://example.com/a?b#c",
       "scheme https | host example.com | port 443 | path /a | query b | fragment c"},
      {"a port", "http://example.com:8080/", "scheme http | host example.com | port 8080 | path /"},
      {"a host behind a name", "https://bank.example@evil.example/",
       "scheme https | host evil.example | port 443 | user bank.example | path /"},
      {"a host by a backslash", "https://evil.example\\\\@bank.example/",
       "scheme https | host evil.example | port 443 | path /@bank.example/"},
      {"an address as a number", "http://2130706433/",
       "scheme http | host 127.0.0.1 | port 80 | path /"},
      {"another script", "https://b\u00fccher.example/",
       "scheme https | host xn--bcher-kva.example (b\u00fccher.example) | port 443 | path /"},
      {"without a host", "mailto:ann@example.com", "scheme mailto | path ann@example.com"},
      {"none", "not a url", "it cannot be read"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config, R"({"url":")" + std::string(c.url) + "\"}"),
              "/url url: " + std::string(c.want));
  }
}

TEST(ArgumentReadings, SayWhatAStatementReads) {
  const Config config = config_of({asked("/sql", SqlPredicate{})});
  const struct {
    std::string_view name, sql, want;
  } cases[] = {
      {"one table", "SELECT a FROM users", "a query | reads users"},
      {"each once", "SELECT a FROM users u JOIN public.orders o ON u.id = o.id, users",
       "a query | reads users, public.orders"},
      {"functions", "SELECT count(*), lower(a) FROM users",
       "a query | reads users | calls count, "
       "lower"},
      {"in a query below", "SELECT a FROM (SELECT b FROM secrets) s", "a query | reads secrets"},
      {"a name that WITH defines", "WITH w AS (SELECT 1) SELECT a FROM w", "a query"},
      {"a comment", "SELECT a FROM users -- x", "a query | reads users | has a comment"},
      {"what is not understood", "DROP TABLE users", "it cannot be read"},
      {"two statements", "SELECT 1; SELECT 2", "it cannot be read"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config, R"({"sql":")" + std::string(c.sql) + "\"}"),
              "/sql sql: " + std::string(c.want));
  }
}

TEST(ArgumentReadings, SayWhatACommandRuns) {
  CommandPredicate of_git;
  of_git.form.arguments_of = "git";
  const Config config =
      config_of({asked("/command", CommandPredicate{}), asked("/argument", std::move(of_git))});
  const struct {
    std::string_view name, arguments, want;
  } cases[] = {
      {"one program", R"({"command":"ls -l 'a b'"})", R"(/command command: "ls" "-l" "a b")"},
      {"two", R"({"command":"ls | sort -r"})", R"(/command command: "ls" | "sort" "-r")"},
      {"an array of words", R"({"command":["ls","a b"]})", R"(/command command: "ls" "a b")"},
      {"quotes within a name", R"({"command":"r''m -rf x"})",
       R"(/command command: "rm" "-rf" "x")"},
      {"what expands", R"({"command":"cat a$B $C"})", R"(/command command: "cat" "a"… …)"},
      {"a substitution", R"-({"command":"echo $(id)"})-", R"(/command command: "id" | "echo" …)"},
      {"a program that runs another", R"({"command":"env A=1 nice rm x"})",
       R"(/command command: "env" "A=1" "nice" "rm" "x" |   "nice" "rm" "x" |     "rm" "x")"},
      {"a text for a shell", R"({"command":"sh -c 'rm x; ls'"})",
       R"(/command command: "sh" "-c" "rm x; ls" |   "rm" "x" |   "ls")"},
      {"what find runs", R"({"command":"find . -exec rm {} +"})",
       R"(/command command: "find" "." "-exec" "rm" "{}" "+" |   "rm" … …)"},
      {"words that only xargs knows", R"({"command":"xargs rm"})",
       R"(/command command: "xargs" "rm" |   "rm" …)"},
      {"variables and files", R"({"command":"A=1 cat <in >out"})",
       R"(/command command: "A=1" "cat" with the file "in" with the file "out")"},
      {"an unknown end", R"({"command":"ls 'x"})", "/command command: what cannot be read"},
      {"one argument of a program", R"({"argument":"; rm x"})",
       R"(/argument command: "git" "; rm x")"},
      {"a word that is none", R"({"command":["ls",1]})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config, c.arguments), c.want);
  }
}

TEST(ArgumentReadings, AreOfWhatIsSelected) {
  const Config config = config_of({asked("/paths/*", PathPredicate{"docs"}),
                                   asked("/paths/*", PathPredicate{"anywhere"}),
                                   asked("/n", NumberPredicate{}), asked("/x", AbsentPredicate{})});
  const struct {
    std::string_view name, arguments, want;
  } cases[] = {
      {"nothing", "{}", ""},
      {"no arguments", "", ""},
      {"each reading once", R"({"paths":["/srv/a"]})", "/paths/0 path: /srv/a"},
      {"one for each predicate that reads otherwise", R"({"paths":["a"]})",
       "/paths/0 path: /srv/data/a; /paths/0 path: /home/ann/a"},
      {"each element", R"({"paths":["/a","/b"]})", "/paths/0 path: /a; /paths/1 path: /b"},
      {"another type", R"({"paths":[1]})", ""},
      {"another shape", R"({"paths":"a"})", ""},
      {"what is read as it stands", R"({"n":1,"other":"/a"})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config, c.arguments), c.want);
  }
  EXPECT_EQ(read(config, R"({"paths":["a"]})", "", "mail"), "") << "another server has no profile";
}

TEST(ArgumentReadings, AreOfTheRuleThatAsksToo) {
  Config config = config_of({});
  RuleConfig rule = sample_rule("big", Effect::require_approval, {"analyst"}, {"files/*"});
  rule.when.arguments = {asked("/path", PathPredicate{"docs"})};
  rule.unless.arguments = {asked("/url", UrlPredicate{}), asked("/x", AbsentPredicate{})};
  add_rule(config, rule);
  const std::string_view arguments = R"({"path":"a/../b","url":"http://x.example","x":1})";
  EXPECT_EQ(read(config, arguments, "big"),
            "/path path: /srv/data/b; "
            "/url url: scheme http | host x.example | port 80 | path /");
  EXPECT_EQ(read(config, arguments, "another"), "");
  EXPECT_EQ(read(config, arguments), "");
}

TEST(ArgumentReadings, AreBounded) {
  const Config config = config_of({asked("/paths/*", PathPredicate{"docs"})});
  const auto paths = [](std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
      all += (all.empty() ? "\"" : ",\"") + std::to_string(i) + "\"";
    return R"({"paths":[)" + all + "]}";
  };
  EXPECT_NE(read(config, paths(limits::argument_readings_max)), "too many");
  EXPECT_EQ(read(config, paths(limits::argument_readings_max + 1)), "too many");
}

}  // namespace
}  // namespace bartizan
