#include "gateway/command/command_diff.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "gateway/command/command_check.h"
#include "gateway/review/last_config.h"
#include "gateway/review/policy_widening.h"

namespace bartizan {
namespace {

const std::string kPolicy = R"(version = 1
[auth.api_key.laptop]
principal = "ann"
sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
[principal.ann]
roles = ["analyst"]
[role.analyst]
[server.files]
command = ["/bin/cat"]
[path.docs]
root = "/usr"
kind = "file"
extensions = [".md"]
hidden = "refuse"
[tool."files/read_*".arguments]
"/path" = { path = "docs" }
"/head" = { number = { min = 1, max = 10 }, optional = true }
[rule.analysts-read]
effect = "permit"
roles = ["analyst"]
tools = ["files/read_text", "files/read_bytes"]
[audit]
file = "audit.jsonl"
)";
const std::string kKey = R"([auth.api_key.ci]
principal = "ann"
sha256 = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
)";

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Two configurations in a folder that goes with the test.
class CommandDiffTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "bartizan-diff-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }

  /// The answer, without the folder's name.
  std::string diff(const std::string& older, const std::string& newer,
                   OutputFormat format = OutputFormat::text) const {
    const DiffOptions options{.older = file("old.toml", older), .newer = file("new.toml", newer)};
    std::ostringstream results;
    diff_configurations(options, {results, results, format});
    std::string text = results.str();
    const std::string prefix = folder_.string() + "/";
    for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

  std::filesystem::path folder_;
};

TEST_F(CommandDiffTest, SaysOnceWhatHasTheSameAnswer) {
  const std::string newer = changed(kPolicy, "hidden = \"refuse\"", "hidden = \"allow\"");
  EXPECT_EQ(
      diff(kPolicy, newer),
      "role analyst: 1 gained, 0 lost\n\n"
      R"(new.toml:10:7: role analyst gains more of files/read_bytes, files/read_text, for example )"
      R"({"roles":["analyst"],"tool":"files/read_bytes","arguments":{"path":"/usr/.x.md"}} )"
      R"((before: path_not_allowed at /path; /path was a file below /usr of [path.docs] with .md, )"
      R"(without hidden names by [tool."files/read_*"], is a file below /usr of [path.docs] )"
      "with .md by [tool.\"files/read_*\"])\n1 gained, 0 lost\n");
  const std::string json = diff(kPolicy, newer, OutputFormat::json);
  EXPECT_NE(json.find(R"("roles":["analyst"],"principals":[],"what":["files/read_bytes",)"
                      R"("files/read_text"])"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("where":"new.toml:10:7","where_in":"newer")"), std::string::npos) << json;
}

// Where other arguments have predicates, an argument without one is refused: a first predicate for
// it permits more, which must not read as if it had been free.
TEST_F(CommandDiffTest, SaysThatAnArgumentWithoutAPredicateWasRefused) {
  const std::string tail = "\"/tail\" = { number = { max = 5 }, optional = true }\n";
  const std::string newer = changed(kPolicy, "[rule.", tail + "[rule.");
  const std::string refused =
      "/tail was refused, as no predicate names it, is a number of at most 5";
  EXPECT_TRUE(diff(kPolicy, newer).contains(refused)) << diff(kPolicy, newer);
  const std::string back = diff(newer, kPolicy);
  EXPECT_TRUE(back.contains("is refused, as no predicate names it")) << back;
  const std::string open = "[policy]\nunguarded_arguments = \"allow\"\n";
  const std::string narrower = diff(kPolicy + open, newer + open);
  EXPECT_TRUE(narrower.contains("loses some of")) << narrower;
  EXPECT_TRUE(narrower.contains("/tail was without a predicate, is a number")) << narrower;
  EXPECT_TRUE(narrower.ends_with("0 gained, 1 lost\n")) << narrower;
}

// By name and principal, and never by what it hashes.
TEST_F(CommandDiffTest, TellsOfKeys) {
  EXPECT_EQ(diff(kPolicy, kPolicy + kKey),
            "settings: 1 gained, 0 lost\n\n"
            "new.toml:24:15: key ci is new, and makes its holder ann (gained)\n"
            "1 gained, 0 lost\n");
  EXPECT_EQ(diff(kPolicy + kKey, kPolicy),
            "settings: 0 gained, 1 lost\n\n"
            "old.toml:24:15: key ci is gone, and made its holder ann (lost)\n0 gained, 1 lost\n");
}

TEST_F(CommandDiffTest, SaysWhichTextALineIsOf) {
  const std::string json = diff(kPolicy + kKey, kPolicy, OutputFormat::json);
  EXPECT_NE(json.find(R"("where":"old.toml:24:15","where_in":"older")"), std::string::npos) << json;
}

TEST_F(CommandDiffTest, WideningIsToldWithWhatItIsComparedWith) {
  const std::string kept = file("kept.toml", kPolicy);
  const LoadedConfig older = load_config(kept);
  ASSERT_TRUE(older.usable());
  const PolicyWidening unknown = find_widening(older.config);
  EXPECT_EQ(unknown.compared_with, "");
  EXPECT_EQ(unknown.why_not, "no gateway has kept what it loaded: there is no " +
                                 (folder_ / "audit.jsonl.loaded").string());
  keep_loaded(older.config);
  const PolicyWidening same = find_widening(older.config);
  EXPECT_EQ(same.why_not, "");
  EXPECT_TRUE(same.compared_with.starts_with("what was loaded at 20")) << same.compared_with;
  EXPECT_NE(same.compared_with.find(" from " + kept + " ("), std::string::npos)
      << same.compared_with;
  EXPECT_TRUE(same.problems.empty());

  const LoadedConfig newer =
      load_config(file("proposed.toml", changed(kPolicy, "max = 10 }", "max = 20 }") + kKey));
  const PolicyWidening wider = find_widening(newer.config);
  ASSERT_EQ(wider.problems.size(), 2U);
  EXPECT_EQ(wider.problems[0].message,
            "wider than what was loaded: role analyst gains more of files/read_bytes, "
            "files/read_text (before: argument_not_allowed at /head)");
  EXPECT_EQ(wider.problems[0].where, (folder_ / "proposed.toml").string() + ":17:1");
  EXPECT_EQ(wider.problems[0].example,
            R"({"roles":["analyst"],"tool":"files/read_bytes","arguments":{"head":11,)"
            R"("path":"/usr/x.md"}})");
  EXPECT_EQ(wider.problems[1].message,
            "wider than what was loaded: key ci is new, and makes its holder ann");

  // What is gone has no line in the file at hand.
  const std::string limit = "[limit.all]\nper = [\"principal\"]\nrate = [\"5/s\"]\n";
  const LoadedConfig limited = load_config(file("kept.toml", kPolicy + limit));
  ASSERT_TRUE(limited.usable());
  keep_loaded(limited.config);
  const PolicyWidening gone = find_widening(older.config);
  ASSERT_EQ(gone.problems.size(), 1U);
  EXPECT_EQ(gone.problems[0].message,
            "wider than what was loaded: limit all is gone (was at " + kept + ":24:8)");
  EXPECT_EQ(gone.problems[0].where, kept + ":1:1");

  std::ofstream(last_loaded_path(older.config.audit.file)) << "{";
  const PolicyWidening damaged = find_widening(older.config);
  EXPECT_EQ(damaged.compared_with, "");
  ASSERT_EQ(damaged.problems.size(), 1U);
  EXPECT_TRUE(damaged.problems[0].message.starts_with("not compared with what was loaded last: "));
}

// A log is no place for a list of a hundred.
TEST_F(CommandDiffTest, LogsAreToldAFewOfMany) {
  const LoadedConfig older = load_config(file("kept.toml", kPolicy));
  keep_loaded(older.config);
  std::string text = kPolicy;
  for (int i = 10; i < 40; ++i) {
    const std::string number = std::to_string(i);
    text += changed(changed(kKey, "60", number), "ci", "ci" + number);
  }
  const LoadedConfig newer = load_config(file("proposed.toml", text));
  ASSERT_TRUE(newer.usable());
  std::size_t told = 0;
  std::string last;
  for (const ConfigProblem& problem : review_widening(*older.config.sources, newer.config)) {
    if (!problem.message.starts_with("wider than what was loaded")) continue;
    ++told;
    last = problem.message;
  }
  EXPECT_EQ(told, 21U);
  EXPECT_EQ(last, "wider than what was loaded in 10 more ways; bartizan diff tells all");
}

// Nor is a line of one for hundreds of names.
TEST_F(CommandDiffTest, LogsNameAFewOfMany) {
  const LoadedConfig older = load_config(file("kept.toml", kPolicy));
  keep_loaded(older.config);
  std::string tools;
  std::string roles;
  std::string declared;
  for (int i = 10; i < 30; ++i) {
    const std::string number = std::to_string(i);
    tools += ", \"files/t" + number + "\"";
    roles += ", \"r" + number + "\"";
    declared += "[role.r" + number + "]\n";
  }
  const LoadedConfig newer = load_config(file(
      "proposed.toml",
      changed(changed(changed(kPolicy, "[\"analyst\"]\ntools", "[\"analyst\"" + roles + "]\ntools"),
                      "\"files/read_bytes\"]", "\"files/read_bytes\"" + tools + "]"),
              "[server.files]", declared + "[server.files]")));
  ASSERT_TRUE(newer.usable());
  const auto messages = [](const std::vector<ConfigProblem>& problems) {
    std::string all;
    for (const ConfigProblem& problem : problems)
      all += problem.message + "\n";
    return all;
  };
  const std::string told = messages(find_widening(newer.config).problems);
  EXPECT_NE(told.find("role analyst gains files/t10, files/t11, files/t12, files/t13, files/t14, "
                      "files/t15, files/t16, files/t17 and 12 more (before"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("roles r10, r11, r12, r13, r14, r15, r16, r17 and 12 more gain"),
            std::string::npos)
      << told;
  EXPECT_EQ(told.find("t18"), std::string::npos) << told;
  // What nobody waits for is told likewise.
  const std::string left =
      messages(review_widening(*older.config.sources, newer.config, [] { return true; }));
  EXPECT_TRUE(left.starts_with(
      "not compared to the end with what was loaded: files/read_*, files/read_bytes, "))
      << left;
  EXPECT_NE(left.find(" and 15 more; bartizan diff"), std::string::npos) << left;
}

TEST_F(CommandDiffTest, CheckSaysWhatItWasComparedWith) {
  const CheckOptions options{.file = file("kept.toml", kPolicy)};
  const Result<Launcher> launcher = Launcher::start();
  const auto check = [&](OutputFormat format) {
    std::ostringstream results;
    std::ostringstream problems;
    EXPECT_EQ(check_configuration(options, *launcher, {results, problems, format}), kExitDone);
    EXPECT_EQ(problems.str(), "");
    return results.str();
  };
  const std::string_view why = "no gateway has kept what it loaded: there is no ";
  EXPECT_NE(check(OutputFormat::text)
                .find("\nnote: not compared with what was loaded last: " + std::string(why)),
            std::string::npos);
  EXPECT_NE(check(OutputFormat::json).find(R"("not_compared":")" + std::string(why)),
            std::string::npos);
  keep_loaded(load_config(options.file).config);
  EXPECT_NE(check(OutputFormat::text).find("\nnote: compared with what was loaded at "),
            std::string::npos);
  EXPECT_NE(check(OutputFormat::json).find(R"("compared_with":"what was loaded at )"),
            std::string::npos);
}

TEST_F(CommandDiffTest, CheckNamesTheKeysThatNeedARestart) {
  const std::string policy = kPolicy;
  const Result<Launcher> launcher = Launcher::start();
  const struct {
    std::string_view name;
    std::string added;
    std::string_view keys;  ///< In JSON.
  } cases[] = {
      {"nothing changed", "", "[]"},
      {"a key that a reload applies", "[process]\ndrain = \"5s\"\n", "[]"},
      {"a key that it does not", "[process]\nworkers = 3\n", R"(["process.workers"])"},
      {"two", "[process]\nworkers = 3\n[admin]\nsocket = \"/run/admin.sock\"\n",
       R"(["admin.socket","process.workers"])"},
  };
  const std::string loaded = file("kept.toml", policy);
  keep_loaded(load_config(loaded).config);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const CheckOptions options{.file = file("kept.toml", policy + c.added)};
    for (const OutputFormat format : {OutputFormat::text, OutputFormat::json}) {
      std::ostringstream results;
      std::ostringstream problems;
      check_configuration(options, *launcher, {results, problems, format});
      const bool is_json = format == OutputFormat::json;
      const std::string want = is_json ? R"("needs_restart":)" + std::string(c.keys)
                                       : "note: a reload refuses this file: a change of ";
      const bool is_wanted = is_json || c.keys != "[]";
      EXPECT_EQ(results.str().contains(want), is_wanted) << results.str();
    }
  }
}

}  // namespace
}  // namespace bartizan
