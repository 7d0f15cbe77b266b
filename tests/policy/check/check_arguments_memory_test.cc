// A program of its own, since it counts what anybody allocates.
#include <cstddef>
#include <string>

#include "policy/check/check_arguments.h"
#include "tests/count_allocations.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

Config guarded_config() {
  Config config = sample_config();
  PathConfig& docs = config.paths["docs"];
  docs.extensions = {".txt"};
  docs.refuse_hidden = true;
  docs.allow = {"**"};
  docs.deny = {"secrets", "*/raw"};
  docs.deny_names = {"*.key"};
  docs.writable = {{"some/**", "a"}};
  docs.refuse_windows_names = true;
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments = {
      {.pointer = "/path", .predicate = PathPredicate{"docs"}},
      {.pointer = "/head", .predicate = NumberPredicate{"1", "10000"}, .optional = true},
      {.pointer = "/sortBy", .predicate = OneOfPredicate{{R"("name")", R"("size")", "3", "true"}}},
      {.pointer = "/words/*",
       .predicate =
           TextPredicate{1, 300, "[a-z ä]+", {CharacterClass::letters, CharacterClass::spaces}},
       .optional = true},
      {.pointer = "/o/gone", .predicate = AbsentPredicate()},
      {.pointer = "/o/2", .predicate = TextPredicate{}, .optional = true},
      {.pointer = "/run",
       .predicate = CommandPredicate{.name = "c",
                                     .form = {.programs = {"git", "ls"},
                                              .arguments = {{"git", {"log|show", "-n", R"(\d+)"}}},
                                              .environment = {"LANG"},
                                              .allow_pipes = true}},
       .optional = true},
      {.pointer = "/url",
       .predicate = UrlPredicate{.form = {.hosts = {"**.example.com"}}},
       .optional = true},
      {.pointer = "/sql",
       .predicate = SqlPredicate{.form = {.dialect = SqlDialect::sqlite,
                                          .tables = {"users", "processes"},
                                          .deny_tables = {"shadow"}}},
       .optional = true},
  };
  config.tools = {profile};
  return config;
}

TEST(CheckArgumentsMemory, CountsAllocations) {
  const std::size_t before = allocations_so_far();
  const std::string text(1000, 'a');
  EXPECT_EQ(allocations_so_far() - before, 1U);
  EXPECT_FALSE(text.empty());
}

TEST(CheckArgumentsMemory, TakesNoneWhereNothingIsRefused) {
  const Config config = guarded_config();
  const ToolProfiles profiles(config, sample_names());
  const std::string long_word(250, 'w');
  const std::string words = R"("words":["a word","ä","\u0061",")" + long_word + "\"]";
  const std::string sql =
      R"("sql":"WITH b AS (SELECT uid, count(*) AS n FROM processes GROUP BY 1) )"
      R"(SELECT lower(u.username), [n] FROM \"users\" u JOIN b USING (uid);")";
  for (const std::string& arguments :
       {R"({"path":"/srv/data/some/long/way/to/a/file.txt","sortBy":"name"})" + std::string(),
        R"({"path":"some/my%20f%69le.txt","sortBy":"name"})" + std::string(),
        R"({"path":"a","sortBy":3.0,"head":99.5,)" + words + R"(,"o":{"2":"x"}})",
        R"({"path":"a","sortBy":true,"words":[],"o":{"2":""}})" + std::string(),
        R"({"path":"a","sortBy":3,"url":"https://api.example.com/v1/a?b=c#d"})" + std::string(),
        R"({"path":"a","sortBy":3,"run":"LANG=C git log -n '20' | ls \"a b\""})" + std::string(),
        R"({"path":"a","sortBy":3,"run":["git","log","-n","20"]})" + std::string(),
        R"({"path":"a","sortBy":3,)" + sql + "}"}) {
    const auto sample = sample_tool_call("files", "read_text", arguments);
    const auto judge = [&] {
      return check_arguments(profiles, config.servers, Unguarded::refuse, sample->call);
    };
    // A pattern's automaton is made when it first meets a text.
    ASSERT_EQ(judge().reason, Reason::none) << arguments;
    const std::size_t before = allocations_so_far();
    const bool denies = judge().denies();
    EXPECT_EQ(allocations_so_far() - before, 0U) << arguments;
    EXPECT_FALSE(denies);
  }
}

TEST(CheckArgumentsMemory, TakesLittleForManyValues) {
  const Config config = guarded_config();
  const ToolProfiles profiles(config, sample_names());
  std::string words;
  for (int i = 0; i < 1000; ++i)
    words += R"(,"w")";
  const auto sample = sample_tool_call("files", "read_text",
                                       R"({"path":"a","sortBy":3,"words":["w")" + words + "]}");
  ASSERT_EQ(check_arguments(profiles, config.servers, Unguarded::refuse, sample->call).reason,
            Reason::none);
  const std::size_t before = allocations_so_far();
  const bool denies =
      check_arguments(profiles, config.servers, Unguarded::refuse, sample->call).denies();
  EXPECT_LE(allocations_so_far() - before, 6U);
  EXPECT_FALSE(denies);
}

}  // namespace
}  // namespace bartizan
