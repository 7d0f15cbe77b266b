// Every piece of configuration in the manual loads as it stands, with what it refers to and does
// not define itself.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load_config.h"
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
  const std::filesystem::path root = BARTIZAN_SOURCE_DIR;
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
    {"[server.files]", "[server.files]\ncommand = [\"p\"]\ncwd = \"/srv/data\"\n"},
    {"[server.github]", "[server.github]\nurl = \"https://github.example.com/mcp\"\n"},
    {"[server.osquery]", "[server.osquery]\ncommand = [\"p\"]\n"},
    {"[server.browser]", "[server.browser]\ncommand = [\"p\"]\n"},
    {"[server.shell]", "[server.shell]\ncommand = [\"p\"]\n"},
    {"[server.db]", "[server.db]\ncommand = [\"p\"]\n"},
    {"[server.reporter]", "[server.reporter]\ncommand = [\"p\"]\n"},
    {"[server.search]", "[server.search]\ncommand = [\"p\"]\n"},
    {"[server.sql]", "[server.sql]\ncommand = [\"p\"]\n"},
    {"[server.vcs]", "[server.vcs]\ncommand = [\"p\"]\n"},
    {"[server.mail]", "[server.mail]\ncommand = [\"p\"]\n"},
    {"[role.analyst]", "[role.analyst]\npermissions = [\"read:*\", \"write:*\"]\n"},
    {"[role.developer]", "[role.developer]\n"},
    {"[role.maintainer]", "[role.maintainer]\n"},
    {"[principal.ann]", "[principal.ann]\nroles = [\"analyst\"]\n"},
    {"[path.docs]", "[path.docs]\nroot = \"/srv/data\"\n"},
};

bool defines(std::string_view snippet, std::string_view head) {
  return snippet.starts_with(head) || snippet.contains("\n" + std::string(head));
}

TEST(Manual, SnippetsLoad) {
  const Folder folder;
  folder.write("bartizan.lock", R"({"version":1,"servers":{}})");
  folder.write("refund.json", R"({"type":"object"})");
  std::size_t loaded = 0;
  for (const Snippet& snippet : all_snippets()) {
    // Case files are not configurations; `make test` runs them where they are.
    if (defines(snippet.text, "[case.") || defines(snippet.text, "[facts]")) continue;
    // Single keys first, so that they stand in no table.
    std::string text = snippet.text;
    for (const auto& [head, table] : kAround) {
      if (head == "version" || defines(snippet.text, head)) continue;
      text += table;
    }
    if (!defines(text, "version")) text.insert(0, "version = 1\n");
    const LoadedConfig config = load_config(folder.write("c.toml", text));
    for (const ConfigProblem& problem : config.problems) {
      EXPECT_NE(problem.severity, ConfigProblem::Severity::error)
          << snippet.page << ":" << snippet.line << ": " << problem.message;
    }
    ++loaded;
  }
  EXPECT_GT(loaded, 10U);
}

}  // namespace
}  // namespace bartizan
