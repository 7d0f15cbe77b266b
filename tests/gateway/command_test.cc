#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "audit/audit_log.h"
#include "audit/verify.h"
#include "gateway/command_audit.h"
#include "gateway/command_check.h"
#include "gateway/command_key.h"

namespace bartizan {
namespace {

struct Finished {
  int exit_code;
  std::string results;
  std::string problems;
};

/// Calls a command with streams of its own.
template <class Command>
Finished call(Command command, OutputFormat format = OutputFormat::text) {
  std::ostringstream results;
  std::ostringstream problems;
  const int exit_code = command(CommandOutput{results, problems, format});
  return {exit_code, results.str(), problems.str()};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A directory that goes with the test.
class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "bartizan-command-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  /// A record of `count` decisions; returns its file.
  std::string record_of(std::size_t count) const {
    const std::string file = path("audit.jsonl");
    Result<AuditLog::Opened> opened = AuditLog::open(file);
    EXPECT_TRUE(opened);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string id = id_of(i);
      Record record;
      record.decision_id = id;
      record.principal = "ann";
      record.target = "read_file";
      const EncodedRecord encoded = encode_record(record);
      EXPECT_TRUE(opened->log.append(std::span(&encoded, 1)));
    }
    return file;
  }
  static std::string id_of(std::size_t i) {
    return "01900000-0000-7000-8000-0000000000" + std::string(i < 10 ? "0" : "") +
           std::to_string(i);
  }

 private:
  std::filesystem::path folder_;
};

const std::string kConfiguration = R"(version = 1
[auth.api_key.laptop]
principal = "ann"
sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
[principal.ann]
roles = ["analyst"]
[role.analyst]
trust = "verified"
[server.files]
command = ["/bin/cat"]
[rule.analysts-read]
effect = "permit"
roles = ["analyst"]
tools = ["files/read_*"]
[audit]
file = "audit.jsonl"
)";

Finished check(const std::string& file, OutputFormat format = OutputFormat::text) {
  return call([&](const CommandOutput& output) { return check_configuration(file, output); },
              format);
}

TEST_F(CommandTest, CheckPassesAGoodConfigurationAndSaysWhereLimitsHold) {
  const Finished checked = check(file("good.toml", kConfiguration));
  EXPECT_EQ(checked.exit_code, kExitDone) << checked.problems;
  EXPECT_TRUE(contains(checked.results, "ok, 1 server, 1 rule, 3 limits")) << checked.results;
  EXPECT_TRUE(contains(checked.results, "limits count in this process only"));
}

TEST_F(CommandTest, CheckSaysAllProblemsAtOnce) {
  const std::string bad = file("bad.toml", kConfiguration + "colour = 1\n[sever.x]\na = 1\n");
  const Finished checked = check(bad);
  EXPECT_EQ(checked.exit_code, kExitFailed);
  EXPECT_TRUE(contains(checked.problems, "colour")) << checked.problems;
  EXPECT_TRUE(contains(checked.problems, "sever")) << checked.problems;
  EXPECT_TRUE(contains(checked.problems, "bad.toml:17:")) << checked.problems;
  EXPECT_FALSE(contains(checked.results, "ok, "));
}

TEST_F(CommandTest, CheckWarnsOfWhatIsMissingOrOver) {
  const struct {
    std::string_view name;
    std::string_view line;
    std::string with;
    std::string_view want;
  } cases[] = {
      {"a program", "command = [\"/bin/cat\"]", "command = [\"/nonexistent/cat\"]",
       "the program \"/nonexistent/cat\" cannot be run on this machine"},
      {"a directory", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\ncwd = \"/nonexistent\"", "does not exist on this machine"},
      {"the record's folder", "file = \"audit.jsonl\"", "file = \"/nonexistent/audit.jsonl\"",
       "the folder of the record"},
      {"a secret", "file = \"audit.jsonl\"",
       "file = \"audit.jsonl\"\ndigest_key = \"env:BARTIZAN_NO_SUCH_VARIABLE\"",
       "BARTIZAN_NO_SUCH_VARIABLE"},
      {"a key's time", "principal = \"ann\"", "principal = \"ann\"\nexpires = 2020-01-01",
       "has expired"},
      {"observing", "[audit]", "[policy]\nmode = \"observe\"\nuntil = 2999-01-01\n[audit]",
       "what rules refuse is forwarded"},
      {"observing that is over", "[audit]",
       "[policy]\nmode = \"observe\"\nuntil = 2020-01-01\n[audit]", "the policy enforces"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = kConfiguration;
    text.replace(text.find(c.line), c.line.size(), c.with);
    const Finished checked = check(file("lacking.toml", text));
    EXPECT_EQ(checked.exit_code, kExitDone) << checked.problems;
    EXPECT_TRUE(contains(checked.problems, c.want)) << checked.problems;
  }
}

TEST_F(CommandTest, CheckAnswersInJson) {
  const std::string good = file("good.toml", kConfiguration);
  const Finished passed = check(good, OutputFormat::json);
  EXPECT_EQ(passed.exit_code, kExitDone);
  EXPECT_TRUE(contains(passed.results, R"("ok":true,"errors":0)")) << passed.results;
  EXPECT_TRUE(contains(passed.results, R"("limit_scope":"process")"));
  EXPECT_EQ(passed.problems, "");
  const Finished refused = check(file("bad.toml", "version = 1\ncolour = 1\n"), OutputFormat::json);
  EXPECT_EQ(refused.exit_code, kExitFailed);
  EXPECT_TRUE(contains(refused.results, R"("ok":false)")) << refused.results;
  EXPECT_TRUE(contains(refused.results, R"("severity":"error")")) << refused.results;
}

TEST_F(CommandTest, CheckRefusesAFileThatIsNotThere) {
  EXPECT_EQ(check(path("missing.toml")).exit_code, kExitFailed);
}

TEST_F(CommandTest, ANewKeyIsShownOnceWithATableThatFitsIt) {
  const Finished made =
      call([](const CommandOutput& output) { return make_key("ann-laptop", "ann", output); });
  ASSERT_EQ(made.exit_code, kExitDone) << made.problems;
  const std::string key = made.results.substr(0, made.results.find('\n'));
  EXPECT_EQ(key.size(), 4U + 64U);
  EXPECT_TRUE(key.starts_with("btz_"));
  EXPECT_TRUE(contains(made.results, "[auth.api_key.ann-laptop]\nprincipal = \"ann\"\nsha256 = "));
  EXPECT_FALSE(contains(made.results.substr(key.size()), key)) << "the table holds no secret";
  EXPECT_FALSE(contains(made.problems, key));

  std::istringstream input(key + "\n");
  const Finished hashed =
      call([&](const CommandOutput& output) { return hash_key({input, ""}, output); });
  EXPECT_EQ(hashed.exit_code, kExitDone);
  EXPECT_TRUE(contains(made.results, "sha256 = \"" + hashed.results.substr(0, 64) + "\""));
}

TEST_F(CommandTest, NewKeysDiffer) {
  std::set<std::string> keys;
  for (int i = 0; i < 8; ++i) {
    keys.insert(
        call([](const CommandOutput& output) { return make_key("k", "p", output); }).results);
  }
  EXPECT_EQ(keys.size(), 8U);
}

TEST_F(CommandTest, ANameMustFitTheConfiguration) {
  struct Row {
    std::string name;
    std::string principal;
    int exit_code;
  };
  const std::vector<Row> rows = {
      {"a", "ann", kExitDone},
      {"a.b", "ann@host", kExitFailed},
      {"a.b", "ann", kExitDone},
      {"", "ann", kExitFailed},
      {"a]\n[x", "ann", kExitFailed},
      {"a", "ann\"\nx = \"", kExitFailed},
      {std::string(64, 'a'), "ann", kExitDone},
      {std::string(65, 'a'), "ann", kExitFailed},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name + " " + row.principal);
    const Finished made = call(
        [&](const CommandOutput& output) { return make_key(row.name, row.principal, output); });
    EXPECT_EQ(made.exit_code, row.exit_code);
    EXPECT_EQ(made.results.empty(), row.exit_code != kExitDone);
  }
}

TEST_F(CommandTest, AKeyIsHashedFromInputOrEnvironment) {
  // SHA-256 of `test`.
  const std::string digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n";
  struct Row {
    std::string input;
    std::string results;
  };
  const std::vector<Row> rows = {
      {"test", digest},
      {"test\n", digest},
      {"test\r\n", digest},
      {"", ""},
      {"\n", ""},
      {"te st", ""},
      {"test\nmore\n", ""},
      {"t\x01st", ""},
      {std::string("te\0st", 5), ""},
      {std::string(4097, 'a'), ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.input.substr(0, 20));
    std::istringstream input(row.input);
    const Finished hashed =
        call([&](const CommandOutput& output) { return hash_key({input, ""}, output); });
    EXPECT_EQ(hashed.results, row.results);
    EXPECT_EQ(hashed.exit_code, row.results.empty() ? kExitFailed : kExitDone);
  }
  setenv("BARTIZAN_TEST_KEY", "test", 1);
  std::istringstream none;
  EXPECT_EQ(call([&](const CommandOutput& output) {
              return hash_key({none, "BARTIZAN_TEST_KEY"}, output);
            }).results,
            digest);
  unsetenv("BARTIZAN_TEST_KEY");
  EXPECT_EQ(call([&](const CommandOutput& output) {
              return hash_key({none, "BARTIZAN_TEST_KEY"}, output);
            }).exit_code,
            kExitFailed);
}

TEST_F(CommandTest, VerifyTellsAWholeRecordFromABrokenOne) {
  const std::string record = record_of(5);
  const auto verify = [&](std::string head, OutputFormat format = OutputFormat::text) {
    return call(
        [&](const CommandOutput& output) {
          return verify_record({.files = {record}, .head = head}, output);
        },
        format);
  };
  const Finished whole = verify("");
  EXPECT_EQ(whole.exit_code, kExitDone) << whole.problems;
  EXPECT_TRUE(contains(whole.results, "5 records, chain ok, head 5:")) << whole.results;
  EXPECT_TRUE(contains(whole.results, "not covered: ")) << whole.results;
  EXPECT_TRUE(contains(verify("", OutputFormat::json).results, R"("intact":true,"records":5)"));
  EXPECT_EQ(verify("nonsense").exit_code, kExitFailed);

  const std::string kept = verify_audit({record}, {}).head.text();
  EXPECT_EQ(verify(kept).exit_code, kExitDone);
  std::filesystem::resize_file(record, std::filesystem::file_size(record) * 3 / 4);
  EXPECT_EQ(verify(kept).exit_code, kExitFailed);

  std::fstream edited(record, std::ios::in | std::ios::out);
  std::string text((std::istreambuf_iterator<char>(edited)), {});
  edited.seekp(static_cast<std::streamoff>(text.find("ann")));
  edited << "eve";
  edited.close();
  const Finished broken = verify("");
  EXPECT_EQ(broken.exit_code, kExitFailed);
  EXPECT_TRUE(contains(broken.problems, "audit.jsonl:1:")) << broken.problems;
  EXPECT_TRUE(contains(verify("", OutputFormat::json).results, R"("intact":false)"));
}

TEST_F(CommandTest, ShowFindsADecision) {
  const std::string record = record_of(3);
  const auto show = [&](AuditShowOptions options) {
    return call([&](const CommandOutput& output) { return show_record(options, output); });
  };
  const Finished found = show({.id = id_of(1), .files = {record}});
  EXPECT_EQ(found.exit_code, kExitDone) << found.problems;
  EXPECT_TRUE(contains(found.results, id_of(1)));
  EXPECT_FALSE(contains(found.results, id_of(2)));

  const std::string config = file("c.toml", kConfiguration);
  EXPECT_TRUE(contains(show({.id = id_of(2), .config_file = config}).results, id_of(2)));

  const Finished missing = show({.id = id_of(9), .files = {record}});
  EXPECT_EQ(missing.exit_code, kExitFailed);
  EXPECT_EQ(missing.results, "");
  EXPECT_TRUE(contains(missing.problems, id_of(9)));
  EXPECT_EQ(show({.id = id_of(1), .config_file = path("missing.toml")}).exit_code, kExitFailed);
}

TEST_F(CommandTest, TailShowsTheLastRecords) {
  const std::string record = record_of(12);
  struct Row {
    std::size_t lines;
    std::size_t first;
  };
  for (const Row row : {Row{0, 12}, Row{1, 11}, Row{3, 9}, Row{12, 0}, Row{100, 0}}) {
    SCOPED_TRACE(row.lines);
    const Finished shown = call(
        [&](const CommandOutput& output) {
          return tail_record({.file = record, .lines = row.lines}, output);
        },
        OutputFormat::json);
    EXPECT_EQ(shown.exit_code, kExitDone);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(contains(shown.results, id_of(i)), i >= row.first) << i;
    }
  }
  const Finished shown = call([&](const CommandOutput& output) {
    return tail_record({.file = record, .lines = 2}, output);
  });
  EXPECT_EQ(std::ranges::count(shown.results, '\n'), 2) << shown.results;
}

TEST_F(CommandTest, OneFileBringsItsChain) {
  const std::string record = record_of(4);
  std::string closed;
  {
    Result<AuditLog::Opened> opened = AuditLog::open(record);
    ASSERT_TRUE(opened);
    const auto rotated = opened->log.rotate(std::chrono::system_clock::now());
    ASSERT_TRUE(rotated);
    closed = *rotated;
    const std::string id = id_of(4);
    const EncodedRecord last = encode_record({.decision_id = id});
    ASSERT_TRUE(opened->log.append({&last, 1}));
  }
  const auto verify = [&](std::vector<std::string> files) {
    return call([&](const CommandOutput& output) {
      return verify_record({.files = std::move(files)}, output);
    });
  };
  const Finished whole = verify({record});
  EXPECT_EQ(whole.exit_code, kExitDone) << whole.problems;
  EXPECT_TRUE(contains(whole.results, "7 records, chain ok")) << whole.results;
  EXPECT_TRUE(contains(whole.results, "read with it: 1 closed file of its chain, from " + closed));
  EXPECT_EQ(verify({closed, record}).exit_code, kExitDone);
  EXPECT_EQ(verify({record, closed}).exit_code, kExitFailed);

  const auto show = [&](std::size_t number) {
    return call([&](const CommandOutput& output) {
      return show_record({.id = id_of(number), .files = {record}}, output);
    });
  };
  EXPECT_TRUE(contains(show(1).results, id_of(1)));
  EXPECT_TRUE(contains(show(4).results, id_of(4)));

  const auto tail = [&](std::size_t lines) {
    const Finished shown = call(
        [&](const CommandOutput& output) {
          return tail_record({.file = record, .lines = lines}, output);
        },
        OutputFormat::json);
    return std::ranges::count(shown.results, '\n');
  };
  for (const std::size_t lines : {1U, 2U, 3U, 6U, 7U})
    EXPECT_EQ(tail(lines), static_cast<std::ptrdiff_t>(lines));
  EXPECT_EQ(tail(100), 7);

  std::filesystem::remove(closed);
  const Finished missing = verify({record});
  EXPECT_EQ(missing.exit_code, kExitFailed);
  EXPECT_TRUE(contains(missing.problems, "records 1 to 5 missing")) << missing.problems;
}

TEST_F(CommandTest, FollowingGoesOnInTheNextFile) {
  const std::string record = record_of(2);
  // Ends when it has seen enough, as a reader does that goes away.
  class Reader : public std::stringbuf {
   public:
    explicit Reader(std::function<void(std::size_t)> seen) : seen_(std::move(seen)) {}

   private:
    int sync() override {
      seen_(static_cast<std::size_t>(std::ranges::count(str(), '\n')));
      return 0;
    }
    std::function<void(std::size_t)> seen_;
  };
  Result<AuditLog::Opened> opened = AuditLog::open(record);
  ASSERT_TRUE(opened);
  std::ostream* stream = nullptr;
  std::size_t rounds = 0;
  Reader reader([&](std::size_t lines) {
    if (lines < 2 + 3 * rounds) return;
    if (rounds == 3) return stream->setstate(std::ios::badbit);
    const std::string id = id_of(10 + rounds);
    const EncodedRecord more = encode_record({.decision_id = id});
    EXPECT_TRUE(opened->log.rotate(std::chrono::system_clock::now()));
    EXPECT_TRUE(opened->log.append({&more, 1}));
    ++rounds;
  });
  std::ostream results(&reader);
  stream = &results;
  std::ostringstream problems;
  const CommandOutput output{results, problems, OutputFormat::json};
  tail_record({.file = record, .then = AuditTailOptions::Then::follow}, output);
  EXPECT_EQ(rounds, 3U);
  for (std::size_t round = 0; round < rounds; ++round)
    EXPECT_TRUE(contains(reader.str(), id_of(10 + round)));
  EXPECT_EQ(std::ranges::count(reader.str(), '\n'), 2 + 3 * 3);
}

TEST_F(CommandTest, TailReadsOverBlocksAndPassesOverWhatIsNoLine) {
  // Over a block, so that the search for line ends goes back through several.
  const std::string long_line(100'000, 'a');
  const std::string record =
      file("long.jsonl", "first\n" + long_line + "\n" + long_line + "\nlast\ntorn");
  const auto tail = [&](std::size_t lines) {
    return call(
        [&](const CommandOutput& output) {
          return tail_record({.file = record, .lines = lines}, output);
        },
        OutputFormat::json);
  };
  EXPECT_EQ(tail(1).results, "last\n");
  EXPECT_EQ(tail(3).results, long_line + "\n" + long_line + "\nlast\n");
  EXPECT_EQ(tail(9).results, "first\n" + long_line + "\n" + long_line + "\nlast\n");
  EXPECT_EQ(call([&](const CommandOutput& output) {
              return tail_record({.file = path("missing")}, output);
            }).exit_code,
            kExitFailed);
}

TEST_F(CommandTest, AResultThatCannotBeWrittenIsAFailure) {
  const std::string record = record_of(2);
  std::ofstream full("/dev/full");
  std::ostringstream problems;
  const CommandOutput output{full, problems};
  EXPECT_EQ(verify_record({.files = {record}}, output), kExitFailed);
  EXPECT_TRUE(contains(problems.str(), "could not be written")) << problems.str();
  // Following must not go on for nobody.
  const AuditTailOptions follow{.file = record, .then = AuditTailOptions::Then::follow};
  EXPECT_EQ(tail_record(follow, output), kExitFailed);
}

}  // namespace
}  // namespace bartizan
