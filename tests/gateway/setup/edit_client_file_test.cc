#include "gateway/setup/edit_client_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/client_places.h"

namespace bartizan {
namespace {

constexpr std::string_view kProgram = "/usr/bin/bartizan";

std::string wrapped(std::string_view text) {
  const auto edit = wrap_entries(text, kProgram, {});
  return edit.has_value() ? edit->text : edit.error().detail;
}

TEST(WrapEntries, ChangesTheProgramAndNothingElse) {
  const struct {
    std::string_view name, before, after;
  } rows[] = {
      {"a program with arguments",
       R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "server", "/srv"]}}})",
       R"({"mcpServers": {"files": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "files", "npx", "-y", "server", "/srv"]}}})"},
      {"one without arguments", R"({"mcpServers": {"files": {"command": "server"}}})",
       R"({"mcpServers": {"files": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "files", "server"]}}})"},
      {"variables are passed on by name, and stay where they are",
       R"({"mcpServers": {"a": {"command": "x", "args": [], "env": {"TOKEN": "hunter2", "PORT": 3000}}}})",
       R"({"mcpServers": {"a": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "a", "--env", "TOKEN", "--env", "PORT", "x"], "env": {"TOKEN": "hunter2", "PORT": 3000}}}})"},
      {"placeholders are the client's to fill in",
       R"({"servers": {"a": {"type": "stdio", "command": "x", "args": ["${input:key}"], "env": {"K": "${input:key}"}}}})",
       R"({"servers": {"a": {"type": "stdio", "command": "/usr/bin/bartizan", "args": ["wrap", "--name", "a", "--env", "K", "x", "${input:key}"], "env": {"K": "${input:key}"}}}})"},
      {"comments, commas and members of the client's own stay",
       "{ // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"autoApprove\": "
       "[\"b\"],},\n  },\n}\n",
       "{ // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"/usr/bin/bartizan\", \"args\": "
       "[\"wrap\", \"--name\", "
       "\"a\", \"x\"], \"autoApprove\": [\"b\"],},\n  },\n}\n"},
      {"a byte order mark stays",
       "\xef\xbb\xbf{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": []}}}",
       "\xef\xbb\xbf{\"mcpServers\": {\"a\": {\"command\": \"/usr/bin/bartizan\", \"args\": "
       "[\"wrap\", \"--name\", "
       "\"a\", \"x\"]}}}"},
      {"the servers of an editor's settings, and of a project",
       R"({"mcp": {"servers": {"a": {"command": "x", "args": []}}}, "projects": {"/p": {"mcpServers": {"a": {"command": "y", "args": []}}}}})",
       R"({"mcp": {"servers": {"a": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "a", "x"]}}}, "projects": {"/p": {"mcpServers": {"a": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "a-2", "y"]}}}}})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(wrapped(row.before), row.after);
    // Undone, a file is what it was, but for an empty list of arguments.
    const std::vector<std::string> backups{std::string(row.before)};
    const auto undone = unwrap_entries(row.after, backups);
    ASSERT_TRUE(undone.has_value());
    EXPECT_TRUE(undone->unchanged.empty());
    if (row.before.contains("args")) {
      EXPECT_EQ(undone->text, row.before);
    }
  }
}

TEST(WrapEntries, NamesEachEntryThatStaysAsItIs) {
  const struct {
    std::string_view entry, why;
  } rows[] = {
      {R"("x")", "it is not an object"},
      {R"({"url": "https://h/mcp"})",
       "it has a URL and no program: `bartizan init FILE` shows how to put a gateway before it"},
      {R"({"type": "ws", "url": "ws://h/mcp"})",
       "it has a URL and no program: `bartizan init FILE` shows how to put a gateway before it"},
      {R"({"type": "sse", "command": "x"})", "its type is not \"stdio\""},
      {R"({"command": "x", "envFile": ".env"})",
       "the variables of its envFile are not known here: wrap it by hand, with --env NAME for "
       "each"},
      {R"({"command": ""})", "\"command\" is not the name of a program"},
      {R"({"command": ["x"]})", "\"command\" is not the name of a program"},
      {R"({"command": "x", "args": "y"})", "\"args\" is not an array of texts"},
      {R"({"command": "x", "args": [1]})", "\"args\" is not an array of texts"},
      {R"({"command": "x", "env": []})", "\"env\" is not an object"},
      {R"({"command": "x", "env": {"A=B": "c"}})", "\"env\" has a name that no variable can have"},
      {R"({"command": "/opt/bartizan", "args": ["wrap", "x"]})", "it is wrapped already"},
      {R"({"command": "bartizan", "args": ["run", "--stdio", "f"]})", "it starts bartizan already"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.entry);
    const std::string text =
        R"({"mcpServers": {"bad": )" + std::string(row.entry) + R"(, "good": {"command": "x"}}})";
    const auto edit = wrap_entries(text, kProgram, {});
    ASSERT_TRUE(edit.has_value());
    ASSERT_EQ(edit->unchanged.size(), 1U);
    EXPECT_EQ(edit->unchanged[0].pointer, "/mcpServers/bad");
    EXPECT_EQ(edit->unchanged[0].message, row.why);
    EXPECT_EQ(edit->changed, std::vector<std::string>{"/mcpServers/good"}) << "goes on past it";
    EXPECT_TRUE(edit->text.contains(row.entry));
  }
}

TEST(WrapEntries, PassesOnWhatAProgramThatFetchesNeeds) {
  const auto edit = wrap_entries(R"({"mcpServers": {"a": {"command": "npx", "args": ["x"]}}})",
                                 kProgram, {"HOME", "HTTPS_PROXY"});
  ASSERT_TRUE(edit.has_value());
  EXPECT_TRUE(edit->text.contains(R"("--env", "HTTPS_PROXY", "npx", "x")")) << edit->text;
}

TEST(WrapEntries, RefusesWhatIsNoSettingsFile) {
  const auto cut = wrap_entries("{\n\"mcpServers\": {", kProgram, {});
  ASSERT_FALSE(cut.has_value());
  EXPECT_TRUE(cut.error().detail.starts_with("line 2, column ")) << cut.error().detail;
  EXPECT_FALSE(wrap_entries("{}", kProgram, {}).has_value());
}

TEST(UnwrapEntries, KeepsWhatWasChangedSince) {
  const std::vector<std::string> backups{
      R"({"mcpServers": {"a": {"command": "x", "args": ["1" /* one */]}}})"};
  const auto undone = unwrap_entries(
      R"({"theme": "dark", "mcpServers": {"new": {"command": "z"}, "a": {"disabled": true, "args": ["wrap", "x"], "command": "bartizan"}}})",
      backups);
  ASSERT_TRUE(undone.has_value());
  EXPECT_EQ(
      undone->text,
      R"({"theme": "dark", "mcpServers": {"new": {"command": "z"}, "a": {"disabled": true, "args": ["1" /* one */], "command": "x"}}})");
}

TEST(UnwrapEntries, NamesWhatNoBackupHas) {
  constexpr std::string_view kText =
      R"({"mcpServers": {"a": {"command": "/b/bartizan", "args": ["wrap", "x"]}}})";
  // The newest backup may have been made when it was wrapped already.
  const std::vector<std::string> backups{std::string(kText), "no JSON"};
  const auto undone = unwrap_entries(kText, backups);
  ASSERT_TRUE(undone.has_value());
  EXPECT_EQ(undone->text, kText);
  ASSERT_EQ(undone->unchanged.size(), 1U);
  EXPECT_EQ(undone->unchanged[0].pointer, "/mcpServers/a");
}

TEST(ClientPlaces, AreBelowTheHome) {
  for (const ClientPlace& place : client_places("/home/ann", "")) {
    ASSERT_FALSE(place.files.empty());
    for (const std::string& file : place.files)
      EXPECT_TRUE(file.starts_with("/home/ann/.") && file.ends_with(".json")) << file;
  }
  EXPECT_EQ(client_places("/home/ann", "/cfg")[0].files[0],
            "/cfg/Claude/claude_desktop_config.json");
}

}  // namespace
}  // namespace bartizan
