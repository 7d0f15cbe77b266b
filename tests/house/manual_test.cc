// Every piece of configuration in the manual loads as it stands, with what it refers to and does
// not define itself, and every call in it comes out as it is written.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/load/case_file.h"
#include "config/load/load_config.h"
#include "gateway/setup/example_config.h"
#include "policy/check/compile_policy.h"
#include "policy/explain/case_call.h"
#include "policy/explain/judge_cases.h"
#include "tests/checkout.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

struct Snippet {
  std::string page;
  std::size_t line = 0;  ///< Of the page, where it begins.
  std::string text;
};

std::vector<Snippet> snippets_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  std::vector<Snippet> snippets;
  bool is_inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("```")) {
      is_inside = line == "```toml";
      if (is_inside) snippets.push_back({page.filename().string(), number, ""});
    } else if (is_inside) {
      snippets.back().text += line + "\n";
    }
  }
  return snippets;
}

std::vector<Snippet> all_snippets() {
  std::vector<Snippet> all;
  const std::filesystem::path root = project_file("");
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    std::ranges::move(snippets_of(entry.path()), std::back_inserter(all));
  }
  std::ranges::move(snippets_of(root / "README.md"), std::back_inserter(all));
  return all;
}

/// What pages speak of: one table each, left out where the snippet has it.
constexpr std::pair<std::string_view, std::string_view> kAround[] = {
    {"version", "version = 1\n"},
    {"[audit]", "[audit]\nfile = \"record\"\n"},
    {"[server.files]",
     "[server.files]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\ncwd = \"/srv/data\"\n"},
    {"[server.github]", "[server.github]\nurl = \"https://github.example.com/mcp\"\n"},
    {"[server.osquery]", "[server.osquery]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.browser]", "[server.browser]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.shell]", "[server.shell]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.db]", "[server.db]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.reporter]", "[server.reporter]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.search]", "[server.search]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.sql]", "[server.sql]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.vcs]", "[server.vcs]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[server.mail]", "[server.mail]\ncommand = [\"p\"]\nsandbox = { user = \"mcp\" }\n"},
    {"[role.analyst]", "[role.analyst]\npermissions = [\"read:*\", \"write:*\"]\n"},
    {"[role.developer]", "[role.developer]\n"},
    {"[role.maintainer]", "[role.maintainer]\n"},
    {"[principal.ann]", "[principal.ann]\nroles = [\"analyst\"]\n"},
    {"[role.reader]", "[role.reader]\n"},
    {"[role.writer]", "[role.writer]\n"},
    {"[path.docs]", "[path.docs]\nroot = \"/srv/data\"\n"},
};

bool defines(std::string_view snippet, std::string_view head) {
  return snippet.starts_with(head) || snippet.contains("\n" + std::string(head));
}

/// Calls with what is expected of them, which are no configuration.
bool is_case_file(std::string_view snippet) {
  return defines(snippet, "[case.") || defines(snippet, "[facts]");
}

std::string with_version(std::string text) {
  return defines(text, "version") ? text : "version = 1\n" + text;
}

/// What a front door needs beside the part that a snippet shows.
std::string around_front_door(std::string_view snippet) {
  constexpr std::string_view kHead = "[auth.front_door.";
  const std::size_t at = snippet.find(kHead);
  if (at == snippet.npos) return "";
  std::string_view name = snippet.substr(at + kHead.size());
  name = name.substr(0, name.find_first_of(".]"));
  const std::string table = std::string(kHead) + std::string(name);
  std::string text;
  if (!defines(snippet, table + "]")) {
    text += table + "]\nissuer = \"https://gateway.example.com/sign-in\"\n";
  }
  if (!defines(snippet, table + ".provider]")) {
    text += table +
            ".provider]\nissuer = \"https://login.example.com\"\nclient_id = \"a\"\n"
            "client_secret = \"env:A\"\n";
  }
  if (!defines(snippet, "[state]")) text += "[state]\nfile = \"state.db\"\n";
  if (!defines(snippet, "[endpoint.")) {
    text += "[endpoint.all]\npath = \"/mcp\"\nresource = \"https://gateway.example.com/mcp\"\n";
  }
  return text;
}

/// A snippet with what it refers to and does not define itself.
std::string whole(const Snippet& snippet) {
  // Single keys first, so that they stand in no table.
  std::string text = snippet.text;
  for (const auto& [head, table] : kAround) {
    if (head == "version" || defines(snippet.text, head)) continue;
    text += table;
  }
  text += around_front_door(snippet.text);
  return with_version(text);
}

std::string errors_among(const std::vector<ConfigProblem>& problems) {
  std::string lines;
  for (const ConfigProblem& problem : problems) {
    if (problem.severity == ConfigProblem::Severity::error) lines += problem.message + "\n";
  }
  return lines;
}

std::string place_of(const Snippet& snippet) {
  return snippet.page + ":" + std::to_string(snippet.line);
}

/// Configurations, in the folder that has the files which they name.
class Manual : public testing::Test {
 protected:
  Manual() {
    const std::filesystem::path lock =
        folder_.write("bartizan.lock", R"({"version":1,"servers":{}})");
    folder_.write("refund.json", R"({"type":"object"})");
    std::filesystem::copy_file(project_file("config/gitleaks.toml"),
                               lock.parent_path() / "gitleaks.toml");
  }
  Config load(const Snippet& snippet) const {
    const LoadedConfig loaded = load_config(folder_.write("c.toml", whole(snippet)));
    EXPECT_EQ(errors_among(loaded.problems), "") << place_of(snippet);
    EXPECT_EQ(errors_among(find_policy_problems(loaded.config, {})), "") << place_of(snippet);
    return loaded.config;
  }

 private:
  Folder folder_;
};

TEST_F(Manual, SnippetsLoad) {
  std::size_t loaded = 0;
  for (const Snippet& snippet : all_snippets()) {
    if (is_case_file(snippet.text)) continue;
    load(snippet);
    ++loaded;
  }
  EXPECT_GT(loaded, 30U);
}

std::string describe(const CaseResult& result) {
  if (!result.failure.empty()) return result.failure;
  const Decision& decision = result.answer.decision;
  return std::string(decision.permits() ? "permit" : text(decision.reason)) + " at \"" +
         decision.pointer + "\", by rule \"" + std::string(decision.rule_name()) + "\"";
}

/// Judges the calls of one snippet. Each is as the page says, some pass and some do not, and every
/// rule that the page shows decides something.
void judge(const Config& config, const Snippet& snippet) {
  const CaseFile file =
      with_pinned(load_cases_text(with_version(snippet.text), place_of(snippet)), config);
  const ReadDefinitions definitions = read_definitions(file);
  ASSERT_EQ(errors_among(file.problems) + errors_among(definitions.problems) +
                errors_among(find_case_problems(config, file)),
            "")
      << place_of(snippet);
  const CaseResults judged = judge_cases(config, file, definitions.tools, 0);
  std::set<bool> answers;
  for (const CaseResult& result : judged.results) {
    EXPECT_TRUE(result.has_passed())
        << place_of(snippet) << ": " << result.asked->name << ": " << describe(result);
    answers.insert(result.answer.decision.permits());
  }
  EXPECT_EQ(answers.size(), 2U) << place_of(snippet)
                                << " has no call that passes, or none that does not";
  for (const auto& [name, rule] : config.rules) {
    // An observed rule counts as absent.
    if (rule.observe) continue;
    EXPECT_TRUE(judged.matched_rules.contains(name)) << place_of(snippet) << ": " << name;
  }
}

/// Cases are about the configuration that stands in front of them on their page.
TEST_F(Manual, CasesComeOutAsTheyAreWritten) {
  Snippet before;
  std::set<std::size_t> predicates;
  bool has_schema = false;
  std::size_t pages = 0;
  for (const Snippet& snippet : all_snippets()) {
    if (!is_case_file(snippet.text)) {
      before = snippet;
      continue;
    }
    // One case fails on purpose; `CommandLine` runs it, output and all.
    if (defines(snippet.text, "[case.nobody-removes-files]")) continue;
    ASSERT_EQ(before.page, snippet.page);
    const Config config = load(before);
    judge(config, snippet);
    ++pages;
    if (snippet.page != "writing-policy.md") continue;
    for (const ToolProfile& profile : config.tools) {
      has_schema |= !profile.schema.empty();
      for (const ArgumentPredicate& argument : profile.arguments)
        predicates.insert(argument.predicate.index());
    }
  }
  EXPECT_GT(pages, 10U);
  // "One example for each predicate"
  EXPECT_EQ(predicates.size(), std::variant_size_v<Predicate>);
  EXPECT_TRUE(has_schema);
}

TEST(Readme, ShowsTheExampleThatInitWrites) {
  std::ifstream file(project_file("README.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string shown = example_config(
      "/srv/demo", "ed46118f20bd0acd8419bd31c6cd3f38b2e9a5e4f947948ec4ab2689c6058a0a");
  EXPECT_NE(page.find("```toml\n" + shown + "```"), std::string::npos) << shown;
}

}  // namespace
}  // namespace bartizan
