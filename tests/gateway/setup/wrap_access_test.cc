#include "gateway/setup/wrap_access.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/check/compile_policy.h"
#include "policy/explain/judge_cases.h"

namespace bartizan {
namespace {

/// What the policy of a command line says of a call.
std::string judged(const WrapOptions& options, std::string_view call,
                   const std::map<std::string, DescribedTool>& tools = {}) {
  const auto config = wrap_config(options, "ann", "/home/ann");
  if (!config.has_value()) return config.error().detail;
  CaseFile file = read_call_json(call, "call");
  if (!file.problems.empty()) return text(file.problems.front());
  for (const auto& [name, tool] : tools)
    file.tools.emplace(name, tool);
  const ReadDefinitions definitions = read_definitions(file);
  const CaseResults results = judge_cases(*config, file, definitions.tools, 0);
  const CaseResult& result = results.results.front();
  if (!result.failure.empty()) return result.failure;
  const Decision& decision = result.answer.decision;
  if (decision.permits()) return "permit";
  return std::string(text(decision.reason)) +
         (decision.rule == nullptr ? "" : " " + decision.rule->name);
}

std::string call_of(std::string_view tool, std::string_view arguments = "{}") {
  return R"({"principal":"ann","tool":"s/)" + std::string(tool) + R"(","arguments":)" +
         std::string(arguments) + "}";
}

TEST(WrapAccess, NarrowsTheToolsThatAreNamed) {
  const struct {
    std::string_view name;
    std::vector<std::string> tools, deny;
    std::string_view tool, want;
  } rows[] = {
      {"all without options", {}, {}, "write_file", "permit"},
      {"a named tool", {"read_file"}, {}, "read_file", "permit"},
      {"a tool of a glob", {"read_*"}, {}, "read_file", "permit"},
      {"another tool", {"read_*"}, {}, "write_file", "no_matching_rule"},
      {"a name that begins alike", {"read_file"}, {}, "read_file_2", "no_matching_rule"},
      {"a denied tool", {}, {"write_*"}, "write_file", "forbidden wrap-deny"},
      {"a tool beside the denied ones", {}, {"write_*"}, "read_file", "permit"},
      {"denied beats named", {"*"}, {"write_*"}, "write_file", "forbidden wrap-deny"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const WrapOptions options{.command = {"x"}, .name = "s", .tools = row.tools, .deny = row.deny};
    EXPECT_EQ(judged(options, call_of(row.tool)), row.want);
  }
}

TEST(WrapAccess, KeepsPathsBelowTheRoot) {
  const WrapOptions options{
      .command = {"x"}, .name = "s", .cwd = "/srv/data", .root = "/srv/data/"};
  const struct {
    std::string_view name, arguments, want;
  } rows[] = {
      {"below", R"({"path":"/srv/data/a.md"})", "permit"},
      {"the root itself", R"({"path":"/srv/data"})", "permit"},
      {"relative: servers differ in where they start", R"({"path":"sub/a.md"})", "path_relative"},
      {"beside, with the same beginning", R"({"path":"/srv/data2/a.md"})", "path_outside_root"},
      {"above", R"({"path":"/srv/data/../a.md"})", "path_outside_root"},
      {"elsewhere", R"({"path":"/etc/passwd"})", "path_outside_root"},
      {"one of several", R"({"paths":["/srv/data/a","/etc/passwd"]})", "path_outside_root"},
      {"a second argument", R"({"source":"/srv/data/a","destination":"/tmp/a"})",
       "path_outside_root"},
      {"a path that is not a string", R"({"path":7})", "argument_wrong_type"},
      {"what is not a path", R"({"content":"/etc/passwd"})", "permit"},
      {"no argument", "{}", "permit"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    std::string call(call_of("read", row.arguments));
    call.insert(
        call.size() - 1,
        R"(,"facts":{"places":{"/srv/data":"directory","/srv/data/a.md":"file","/srv/data/a":"file","/srv/data/sub/a.md":"file"}})");
    const std::string got = judged(options, call);
    EXPECT_TRUE(got.starts_with(row.want)) << got;
  }
  for (const auto& [uri, want] : {std::pair("file:///srv/data/a.md", "permit"),
                                  std::pair("file:///srv/data2/a.md", "no_matching_rule"),
                                  std::pair("file:///etc/passwd", "no_matching_rule"),
                                  std::pair("note://a", "no_matching_rule")}) {
    EXPECT_EQ(judged(options, R"({"principal":"ann","method":"resources/read","resource":"s:)" +
                                  std::string(uri) + R"("})"),
              want)
        << uri;
  }
}

/// A server's own hint is no proof: only an approved fingerprint makes it count.
TEST(WrapAccess, TakesForReadOnlyWhatAPersonApproved) {
  constexpr std::string_view kReads =
      R"({"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})";
  constexpr std::string_view kWrites = R"({"name":"read","inputSchema":{"type":"object"}})";
  const auto fingerprint = [](std::string_view entry) {
    const Bytes bytes(entry);
    JsonDocument document;
    return read_tool_definition(*document.read(bytes), Era::legacy)->fingerprint;
  };
  const struct {
    std::string_view name;
    std::vector<std::string> approve;
    std::string_view listed, want;
  } rows[] = {
      {"approved, and says so", {"read=" + fingerprint(kReads)}, kReads, "permit"},
      {"a lying annotation: nobody approved it", {}, kReads, "forbidden wrap-read-only"},
      {"approved, and says nothing",
       {"read=" + fingerprint(kWrites)},
       kWrites,
       "forbidden wrap-read-only"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const WrapOptions options{
        .command = {"x"}, .name = "s", .approve = row.approve, .read_only = true};
    EXPECT_EQ(judged(options, call_of("read"), {{"s/read", {.entry = std::string(row.listed)}}}),
              row.want);
  }
  // Approved was another definition: pinning refuses it before.
  const WrapOptions swapped{.command = {"x"},
                            .name = "s",
                            .approve = {"read=" + fingerprint(kWrites)},
                            .read_only = true};
  EXPECT_NE(judged(swapped, call_of("read"), {{"s/read", {.entry = std::string(kReads)}}}),
            "permit");
}

TEST(WrapAccess, SaysWhichOptionIsWrong) {
  for (const auto& options : {WrapOptions{.command = {"x"}, .name = "s", .tools = {"a/b"}},
                              WrapOptions{.command = {"x"}, .name = "s", .deny = {""}}}) {
    const auto config = wrap_config(options, "ann", "/");
    ASSERT_FALSE(config.has_value());
    EXPECT_TRUE(config.error().detail.contains("requires names of tools")) << config.error().detail;
  }
}

}  // namespace
}  // namespace bartizan
