#include <gtest/gtest.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/checkout.h"
#include "tests/gateway/launch/other_process.h"
#include "tests/gateway/launch/started_child.h"

namespace bartizan {
namespace {

struct Finished {
  std::string results;
  std::string problems;
  std::string end;
};

/// Runs the program itself: what the other tests of commands cannot see is how it is wired.
Finished run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), gateway_program());
  StartedChild child({.command = arguments});
  if (!child) return {.results = "", .problems = child.error().detail, .end = "not started"};
  child->standard_input = Descriptor();
  Finished finished;
  finished.results = read_all(child->standard_output);
  finished.problems = read_all(child->standard_error);
  pollfd ended{.fd = child->control().get(), .events = POLLIN, .revents = 0};
  poll(&ended, 1, -1);
  finished.end = child->ended().value_or("still running");
  return finished;
}

TEST(CommandLine, HelpFitsAScreen) {
  // A small window of today: the list of commands has outgrown the 24 lines of a terminal.
  constexpr std::ptrdiff_t kScreenLines = 40;
  const std::vector<std::vector<std::string>> commands = {
      {},
      {"run"},
      {"wrap"},
      {"init"},
      {"convert"},
      {"check"},
      {"test"},
      {"explain"},
      {"who-can"},
      {"diff"},
      {"replay"},
      {"learn"},
      {"pin"},
      {"scan"},
      {"release"},
      {"revoke"},
      {"revoke", "token"},
      {"block"},
      {"block", "tool"},
      {"revocations"},
      {"lift"},
      {"registrations"},
      {"registrations", "approve"},
      {"approvals"},
      {"approvals", "list"},
      {"approvals", "approve"},
      {"health"},
      {"key"},
      {"key", "new"},
      {"key", "hash"},
      {"audit"},
      {"audit", "verify"},
      {"audit", "show"},
      {"audit", "tail"},
      {"version"},
  };
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const Finished help = run(command);
    SCOPED_TRACE(help.results);
    EXPECT_EQ(help.end, "exit 0");
    EXPECT_LE(std::ranges::count(help.results, '\n'), kScreenLines);
    EXPECT_NE(help.results.find("Exit codes: 0"), std::string::npos);
    EXPECT_EQ(help.problems, "");
  }
}

TEST(CommandLine, ExitCodesAreAsDocumented) {
  struct Row {
    std::vector<std::string> arguments;
    std::string end;
  };
  const std::vector<Row> rows = {
      {{"version"}, "exit 0"},
      {{"key", "new", "laptop", "--principal", "ann"}, "exit 1"},  // There is no terminal.
      {{"key", "new", "laptop", "--principal", "ann", "--json"}, "exit 0"},
      {{"key", "new", "no name", "--principal", "ann"}, "exit 1"},
      {{"key", "hash"}, "exit 1"},
      {{"check", "/missing.toml"}, "exit 1"},
      {{"test", "/missing.toml", "/missing.cases.toml"}, "exit 1"},
      {{"test", "/missing.toml"}, "exit 2"},
      {{"explain", "/missing.json", "--policy", "/missing.toml"}, "exit 1"},
      {{"explain", "01a1fe6b", "--record", "/missing.jsonl"}, "exit 1"},
      {{"explain", "/missing.json"}, "exit 2"},
      {{"explain", "--record", "/missing.jsonl", "01a1fe6b"}, "exit 1"},
      {{"who-can", "files/read", "--config", "/missing.toml"}, "exit 2"},
      {{"who-can"}, "exit 2"},
      {{"run", "/missing.toml"}, "exit 1"},
      {{"health", "127.0.0.1:1"}, "exit 1"},
      {{"health", "nowhere"}, "exit 2"},
      {{"run", "--stdio", "/missing.toml"}, "exit 1"},
      {{"wrap"}, "exit 2"},
      {{"wrap", "--name", "A", "--", "x"}, "exit 2"},
      {{"init", "/missing.json"}, "exit 1"},
      {{"convert", "/missing.toml"}, "exit 1"},
      {{"convert"}, "exit 2"},
      {{"audit", "verify", "/missing.jsonl"}, "exit 1"},
      {{}, "exit 2"},
      {{"dance"}, "exit 2"},
      {{"run"}, "exit 2"},
      {{"key", "new", "laptop"}, "exit 2"},
      {{"key", "hash", "a-key-on-the-command-line"}, "exit 2"},
      {{"audit", "tail", "x", "-n", "-1"}, "exit 2"},
      {{"approvals", "list"}, "exit 2"},
      {{"approvals", "list", "/missing.toml"}, "exit 2"},
      {{"approvals", "show", "/missing.toml"}, "exit 2"},
      {{"approvals", "list", "--console", "http://127.0.0.1:1", "--key", "the-key"}, "exit 2"},
  };
  for (const Row& row : rows) {
    const Finished finished = run(row.arguments);
    SCOPED_TRACE((row.arguments.empty() ? "nothing" : row.arguments[0]) + finished.problems);
    EXPECT_EQ(finished.end, row.end);
    if (row.end != "exit 0") {
      EXPECT_NE(finished.problems, "");
    }
  }
}

TEST(CommandLine, SaysWhatWasMeant) {
  const struct {
    std::vector<std::string> arguments;
    std::string_view want;
  } rows[] = {
      {{"chek", "x"}, "there is no command \"bartizan chek\"; did you mean \"check\"?"},
      {{"frobnicate"}, "there is no command \"bartizan frobnicate\"; there are \"run\", "},
      {{"verify", "x"}, "there is no command \"bartizan verify\"; did you mean \"audit verify\"?"},
      {{"audit", "tial"}, "there is no command \"bartizan audit tial\"; did you mean \"tail\"?"},
      {{"run", "--stido", "g.toml"},
       "\"bartizan run\" has no option \"--stido\"; did you mean \"--stdio\"?"},
      {{"run", "g.toml", "--recrod=x"}, "\"--recrod\"; did you mean \"--record\"?"},
      {{"key", "new", "--princpal", "ann", "k"},
       "\"bartizan key new\" has no option \"--princpal\"; did you mean \"--principal\"?"},
      {{"wrap", "--recrd", "x", "--", "cat"}, "\"--recrd\"; did you mean \"--record\"?"},
      {{"wrap", "--name", "--recrd", "--sandbox", "cat"},
       "\"bartizan wrap\" has no option \"--sandbox\"; bartizan wrap --help lists them"},
      {{"audit", "tail", "-x"}, "\"bartizan audit tail\" has no option \"-x\""},
      {{"--versoin"}, "\"bartizan\" has no option \"--versoin\"; did you mean \"--version\"?"},
      {{"audit", "--fle", "x"}, "\"bartizan audit\" has no option \"--fle\""},
      {{"wrap", "--env", "A", "B", "--", "cmd"}, "\"B\" is before --; an option takes one value"},
  };
  for (const auto& row : rows) {
    const Finished finished = run(row.arguments);
    EXPECT_EQ(finished.end, "exit 2") << row.want;
    EXPECT_NE(finished.problems.find(row.want), std::string::npos) << finished.problems;
  }
  // What options take is never taken for one.
  EXPECT_EQ(run({"audit", "tail", "-n5", "--principal", "--ann", "/missing.jsonl"}).end, "exit 1");
  EXPECT_EQ(run({"audit", "tail", "-f", "--tool=-x", "/missing.jsonl"}).end, "exit 1");
  EXPECT_EQ(run({"--version"}).results, run({"version"}).results);
  // Without -- all that follows the program is the program's, also what looks like an option.
  for (const std::vector<std::string>& program :
       {std::vector<std::string>{"x", "y"}, {"x", "-y"}, {"x", "--name", "B"}, {"x", "--json"}}) {
    std::vector<std::string> bare{"wrap", "--name", "A"};
    std::vector<std::string> divided{"wrap", "--name", "A", "--"};
    bare.insert(bare.end(), program.begin(), program.end());
    divided.insert(divided.end(), program.begin(), program.end());
    const Finished without = run(bare);
    EXPECT_EQ(without.problems, run(divided).problems);
    EXPECT_EQ(without.end, "exit 2") << without.problems;
  }
}

/// The parts of a page that are fenced as one language, in their order.
std::vector<std::string> fenced(const std::string& page, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  std::vector<std::string> parts;
  for (std::size_t begin = page.find(fence); begin != page.npos; begin = page.find(fence, begin)) {
    begin += fence.size();
    const std::size_t end = page.find("```", begin);
    parts.push_back(page.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string page_text(const std::string& name) {
  std::ifstream page(project_file(name));
  return {std::istreambuf_iterator<char>(page), {}};
}

/// What the page shows is what its own files and commands come to.
TEST(CommandLine, ThePageAboutTestingSaysWhatIsAnswered) {
  const std::string page = page_text("docs/testing-a-policy.md");
  const std::vector<std::string> files = fenced(page, "toml");
  const std::vector<std::string> calls = fenced(page, "json");
  const std::vector<std::string> answers = fenced(page, "text");
  ASSERT_GE(files.size(), 2U);
  ASSERT_EQ(calls.size(), 1U);
  ASSERT_EQ(answers.size(), 3U);
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "policy.toml") << files[0];
  std::ofstream(folder + "cases.toml") << files[1];
  std::ofstream(folder + "call.json") << calls[0];
  const auto without_folder = [&folder](std::string text) {
    for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  };
  const std::vector<std::string> test = {"test", folder + "policy.toml", folder + "cases.toml"};
  const Finished failed = run(test);
  EXPECT_EQ(without_folder(failed.results), answers[0]);
  EXPECT_EQ(failed.end, "exit 1") << failed.problems;
  const Finished explained =
      run({"explain", "--policy", folder + "policy.toml", folder + "call.json"});
  EXPECT_EQ(without_folder(explained.results), answers[1]);
  EXPECT_EQ(explained.end, "exit 0") << explained.problems;
  // The rule that the page adds in the end.
  std::ofstream(folder + "policy.toml") << files[0] + files[2];
  const Finished passed = run(test);
  EXPECT_EQ(without_folder(passed.results), answers[2]);
  EXPECT_EQ(passed.end, "exit 0") << passed.problems;
}

/// What a reader copies from the front page must work.
TEST(CommandLine, TheConfigurationOfTheFrontPagePasses) {
  const std::vector<std::string> files = fenced(page_text("README.md"), "toml");
  ASSERT_FALSE(files.empty());
  const std::string file = testing::TempDir() + "front_page.toml";
  std::ofstream(file) << files.front();
  const Finished checked = run({"check", file});
  EXPECT_EQ(checked.end, "exit 0") << checked.problems;
  // Not even a warning, but for what the machine of the test lacks of the example.
  std::istringstream problems(checked.problems);
  for (std::string line; std::getline(problems, line);) {
    EXPECT_TRUE(line.contains(" on this machine")) << line;
  }
}

}  // namespace
}  // namespace bartizan
