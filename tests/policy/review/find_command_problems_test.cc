#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

std::vector<std::string> problems_of(const CommandForm& form, bool is_used = true) {
  Config config;
  config.files = {"c.toml"};
  config.commands["c"] = {.name = "c", .form = form, .where = {.line = 3, .column = 1}};
  const CommandPredicate named{.name = "c", .form = form};
  if (is_used) {
    config.tools = {{.pattern = "s/t", .arguments = {{.pointer = "/a", .predicate = named}}}};
  }
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_command_problems(config))
    lines.push_back(problem.where + " " + problem.message);
  return lines;
}

TEST(FindCommandProblems, FindsProgramsThatRunTheirArguments) {
  const std::vector<std::string> none;
  EXPECT_EQ(problems_of({.programs = {"ls", "grep", "sh", "env"}}), none);
  EXPECT_EQ(problems_of({.programs = {"ls", "/usr/bin/perl"}}),
            std::vector<std::string>{
                "c.toml:3:1 [command.c] lets \"/usr/bin/perl\" run whatever its arguments say"});
  for (const std::string program : {"find", "python3.12", "perl5.36", "nodejs", "sqlite3", "psql",
                                    "curl", "go", "cargo", "uvx", "pip3"})
    EXPECT_EQ(problems_of({.programs = {program}}).size(), 1U) << program;
  EXPECT_EQ(problems_of({.programs = {"perldoc", "luac"}}), none);
  EXPECT_EQ(problems_of({.programs = {"git"}, .arguments = {{"git", {"log"}}}}), none);
  EXPECT_EQ(problems_of({.programs = {"git"}, .arguments_of = "git"}), none);
  EXPECT_EQ(problems_of({.programs = {"ls"}}, false),
            std::vector<std::string>{
                "c.toml:3:1 [command.c] guards nothing: no [tool.…] and no rule names it"});
}

}  // namespace
}  // namespace bartizan
