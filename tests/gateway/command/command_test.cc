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
#include "gateway/catalogue/naming.h"
#include "gateway/command/command_audit.h"
#include "gateway/command/command_check.h"
#include "gateway/command/command_key.h"
#include "gateway/command/explain_record.h"
#include "gateway/review/machine_problems.h"

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
  const Result<Launcher> launcher = Launcher::start();
  return call(
      [&](const CommandOutput& output) {
        return check_configuration({.file = file}, *launcher, output);
      },
      format);
}

TEST_F(CommandTest, CheckPassesAGoodConfigurationAndSaysWhereLimitsHold) {
  const Finished checked = check(file("good.toml", kConfiguration));
  EXPECT_EQ(checked.exit_code, kExitDone) << checked.problems;
  EXPECT_TRUE(contains(checked.results, "ok, 1 server, 1 rule, 3 limits")) << checked.results;
  EXPECT_TRUE(contains(checked.results, "limits count in this process only"));
  EXPECT_TRUE(contains(checked.results,
                       "limit tool: 100/s, 3000/min for each principal and tool (default)\n"))
      << checked.results;
  EXPECT_TRUE(
      contains(checked.results, "limit everyone: 1000/s, 60000/min for all callers together"));
  const Finished own = check(file("own.toml", kConfiguration + R"([limit.few]
per = ["principal"]
rate = ["7/h"]
concurrency = 2
tools = { except = ["files/read_*"] }
)"));
  EXPECT_TRUE(contains(own.results,
                       "limit few: 7/h, 2 at once for each principal of all but files/read_*\n"))
      << own.results;
  const Finished all = check(file("all.toml", kConfiguration + R"([limit.all]
per = ["attributes.team"]
budget = ["100/h", "1000/d"]
bytes = ["64 KiB/min"]
concurrency = 2
queue = 8
loop = {}
)"));
  EXPECT_TRUE(contains(all.results,
                       "limit all: cost 100/h, cost 1000/d, 64 KiB/min, 2 at once, 8 waiting, no "
                       "loop of 4 calls 5 times for each attributes.team\n"))
      << all.results;
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
  constexpr std::string_view kNobody =
      "[auth.api_key.laptop]\nprincipal = \"ann\"\nsha256 = "
      "\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n";
  const struct {
    std::string_view name;
    std::string_view line;
    std::string with;
    std::string_view want;
  } cases[] = {
      {"a program", "command = [\"/bin/cat\"]", "command = [\"/nonexistent/cat\"]",
       "program \"/nonexistent/cat\" not found on this machine"},
      {"a program in no PATH", "command = [\"/bin/cat\"]",
       "command = [\"bartizan-no-such-program\"]",
       "program \"bartizan-no-such-program\" not found in PATH on this machine"},
      {"a program in the PATH that it is given", "command = [\"/bin/cat\"]",
       "command = [\"cat\"]\nenv = { PATH = \"/nonexistent\" }", "\"cat\" not found in PATH"},
      {"a certificate", "[audit]",
       "[listen]\ntls = { cert = \"no.pem\", key = \"file:no.key\" }\n[audit]",
       "the certificate \""},
      {"the root of paths", "[audit]", "[path.docs]\nroot = \"/nonexistent\"\n[audit]",
       "the root \"/nonexistent\" is not a folder"},
      {"a record that is a folder", "file = \"audit.jsonl\"", "file = \"/tmp\"",
       "the record \"/tmp\" is a folder"},
      {"a variable to inherit", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\nenv_allow = [\"BARTIZAN_NO_SUCH_VARIABLE\"]",
       "the variable \"BARTIZAN_NO_SUCH_VARIABLE\" is to be passed to server \"files\" and is not "
       "set here"},
      {"a secret in env", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\nenv = { GITHUB_TOKEN = \"x\" }",
       "env \"GITHUB_TOKEN\" of server \"files\" looks like a secret; write env_secret = { "
       "GITHUB_TOKEN"},
      {"a secret in an argument", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\", \"https://h/\", \"--header\", \"Authorization: Bearer x\"]",
       "entry 3 of command of server \"files\" looks like a secret"},
      {"a secret beside a placeholder", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\", \"postgres://u:pw@h/${DB}\"]",
       "entry 1 of command of server \"files\" looks like a secret"},
      {"a secret in a URL", "command = [\"/bin/cat\"]",
       "url = \"https://h.example/mcp?api_key=SECRET\"",
       "\"api_key\" in the url of server \"files\" looks like a secret"},
      {"a placeholder", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\", \"${workspaceFolder}\"]",
       "entry 1 of command of server \"files\" holds ${…}, which nobody fills in here"},
      {"nobody", kNobody, "", "nobody can authenticate: there is no [auth.api_key.NAME]"},
      {"a principal that nobody can be", "[role.analyst]", "[principal.bob]\n[role.analyst]",
       "nobody can be the principal \"bob\": no key proves it; bartizan key new NAME --principal "
       "bob"},
      {"a path that guards nothing", "[audit]", "[path.docs]\nroot = \"/tmp\"\n[audit]",
       "[path.docs] guards nothing"},
      {"a method that tools judge", "tools = [\"files/read_*\"]", "methods = [\"tools/call\"]",
       "rule \"analysts-read\" permits nothing: \"tools/call\" is judged by \"tools\"; write "
       "tools"},
      {"a directory", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\ncwd = \"/nonexistent\"", "does not exist on this machine"},
      {"the record's folder", "file = \"audit.jsonl\"", "file = \"/nonexistent/audit.jsonl\"",
       "the folder of the record"},
      {"the state file's folder", "[audit]", "[state]\nfile = \"/nonexistent/state.db\"\n[audit]",
       "the folder of the state file \"/nonexistent/state.db\" does not exist on this machine"},
      {"a socket's folder", "[audit]",
       "[socket.build]\npath = \"/nonexistent/build.sock\"\nprincipal = \"ann\"\n[audit]",
       "the folder of the socket \"/nonexistent/build.sock\" does not exist on this machine"},
      {"the account of a socket's user", "[audit]",
       "[socket.build]\npath = \"/tmp/build.sock\"\nusers = { no-such-account = \"ann\" }\n[audit]",
       "the account \"no-such-account\", which [socket.build] lets in as \"ann\", does not exist "
       "on "
       "this machine; make it"},
      {"a state file that is a folder", "[audit]", "[state]\nfile = \"/tmp\"\n[audit]",
       "the state file \"/tmp\" is a folder"},
      {"the state file's folder that cannot be written", "[audit]",
       "[state]\nfile = \"/proc/sys/state.db\"\n[audit]",
       "the folder of the state file \"/proc/sys/state.db\" cannot be written"},
      {"a secret", "file = \"audit.jsonl\"",
       "file = \"audit.jsonl\"\ndigest_key = \"env:BARTIZAN_NO_SUCH_VARIABLE\"",
       "BARTIZAN_NO_SUCH_VARIABLE"},
      {"a key's time", "principal = \"ann\"", "principal = \"ann\"\nexpires = 2020-01-01",
       "has expired"},
      {"a permit's time", "tools = [\"files/read_*\"]",
       "tools = [\"files/read_*\"]\nexpires = 2020-01-01",
       "the rule \"analysts-read\" has expired: it permits nothing"},
      {"an exception's time", "[audit]",
       "[redact.secrets]\ndetectors = [\"secrets\"]\n[redact.secrets.keep.report]\ndetectors = "
       "[\"url.presigned\"]\nexpires = 2020-01-01\nbecause = \"the report\"\n[audit]",
       "the exception \"report\" has expired: what it kept is redacted"},
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
    EXPECT_FALSE(contains(checked.problems, "SECRET")) << "a secret was printed";
  }
}

TEST_F(CommandTest, CheckRefusesASecretThatEverybodyMayRead) {
  const std::string secret = file("secret", "s3cr3t");
  const struct {
    std::string_view name, line;
    std::string with;
  } cases[] = {
      {"of the record", "file = \"audit.jsonl\"",
       "file = \"audit.jsonl\"\ndigest_key = \"file:" + secret + "\""},
      {"of a server's environment", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\nenv_secret = { TOKEN = \"file:" + secret + "\" }"},
      {"for a server behind a URL", "command = [\"/bin/cat\"]",
       "url = \"https://h.example/mcp\"\ncredentials = { bearer = \"file:" + secret + "\" }"},
      {"of a socket", "[audit]",
       "[socket.a]\naddress = \"127.0.0.1:7\"\nprincipal = \"ann\"\ntls = { cert = \"no.pem\", key "
       "= "
       "\"file:" +
           secret + "\" }\n[audit]"},
      {"of the listener", "[audit]",
       "[listen]\ntls = { cert = \"no.pem\", key = \"file:" + secret + "\" }\n[audit]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = kConfiguration;
    text.replace(text.find(c.line), c.line.size(), c.with);
    const std::string configuration = file("open.toml", text);
    for (const auto& [mode, is_open] : {std::pair{0604, true}, {0640, false}}) {
      std::filesystem::permissions(secret, std::filesystem::perms(mode));
      const Finished checked = check(configuration);
      EXPECT_EQ(checked.exit_code, is_open ? kExitFailed : kExitDone) << checked.problems;
      EXPECT_EQ(contains(checked.problems, "is open to everyone"), is_open) << checked.problems;
      EXPECT_FALSE(contains(checked.problems, "s3cr3t"));
    }
  }
}

TEST_F(CommandTest, CheckIsSilentAboutWhatIsInOrder) {
  const struct {
    std::string_view name;
    std::string_view line;
    std::string with;
  } cases[] = {
      {"a plain program", "command = [\"/bin/cat\"]", "command = [\"cat\"]"},
      {"a plain variable", "command = [\"/bin/cat\"]",
       "command = [\"/bin/cat\"]\nenv = { LANG = \"C.UTF-8\" }"},
      {"a URL with parameters", "command = [\"/bin/cat\"]",
       "url = \"https://h.example/mcp?mode=full\""},
      {"a method of its own", "tools = [\"files/read_*\"]", "methods = [\"logging/setLevel\"]"},
      {"every method", "tools = [\"files/read_*\"]", "methods = [\"*\"]"},
      {"accounts of a socket", "[audit]",
       "[socket.build]\npath = \"/tmp/build.sock\"\nusers = { root = \"ann\", 4711 = \"ann\" "
       "}\n[audit]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = kConfiguration;
    text.replace(text.find(c.line), c.line.size(), c.with);
    const Finished checked = check(file("sound.toml", text));
    EXPECT_EQ(checked.exit_code, kExitDone);
    EXPECT_EQ(checked.problems, "");
  }
}

// The schema is a second opinion: of interest only where the first one is silent.
TEST_F(CommandTest, CheckSaysOneMistakeOnce) {
  for (const std::string_view mistake :
       {"[rule.b]\neffect = \"permit\"\nroles = [\"analyst\"]\n", "[rule.b]\nefect = \"permit\"\n",
        "[listen]\nport = 1\n"}) {
    SCOPED_TRACE(mistake);
    const Finished checked = check(file("one.toml", kConfiguration + std::string(mistake)));
    EXPECT_FALSE(contains(checked.problems, "oneOf")) << checked.problems;
    EXPECT_FALSE(contains(checked.problems, "Missing required")) << checked.problems;
    EXPECT_FALSE(contains(checked.problems, "additional")) << checked.problems;
  }
}

TEST_F(CommandTest, CheckAnswersInJson) {
  const std::string good = file("good.toml", kConfiguration);
  const Finished passed = check(good, OutputFormat::json);
  EXPECT_EQ(passed.exit_code, kExitDone);
  EXPECT_TRUE(contains(passed.results, R"("ok":true,"errors":0)")) << passed.results;
  EXPECT_TRUE(contains(passed.results, R"("limit_scope":"process")"));
  EXPECT_TRUE(contains(passed.results,
                       R"({"name":"tool","default":true,"per":["principal","tool"],)"
                       R"("rate":["100/s","3000/min"])"))
      << passed.results;
  const Finished own = check(file("own.toml", kConfiguration + R"([limit.few]
per = []
rate = ["7/h"]
burst = 3
concurrency = 2
tools = ["files/read_*"]
)"),
                             OutputFormat::json);
  EXPECT_TRUE(contains(own.results, R"({"name":"few","default":false,"per":[],"rate":["7/h"],)"
                                    R"("burst":3,"concurrency":2,"tools":["files/read_*"]})"))
      << own.results;
  const Finished all = check(file("all.toml", kConfiguration + R"([limit.all]
per = ["attributes.team"]
budget = ["100/h"]
bytes = ["64 KiB/min"]
concurrency = 2
queue = 8
loop = {}
)"),
                             OutputFormat::json);
  EXPECT_TRUE(
      contains(all.results,
               R"("per":["attributes.team"],"rate":[],"budget":["100/h"],"bytes":["64 KiB/min"],)"
               R"("concurrency":2,"queue":8,"queue_timeout":"5s",)"
               R"("loop":{"calls":4,"repeats":5,"pause":"1min"}})"))
      << all.results;
  EXPECT_EQ(passed.problems, "");
  const Finished refused = check(file("bad.toml", "version = 1\ncolour = 1\n"), OutputFormat::json);
  EXPECT_EQ(refused.exit_code, kExitFailed);
  EXPECT_TRUE(contains(refused.results, R"("ok":false)")) << refused.results;
  EXPECT_TRUE(contains(refused.results, R"("severity":"error")")) << refused.results;
  EXPECT_TRUE(contains(refused.results, R"("limits":[])")) << refused.results;
}

TEST_F(CommandTest, CheckRefusesAFileThatIsNotThere) {
  EXPECT_EQ(check(path("missing.toml")).exit_code, kExitFailed);
}

TEST_F(CommandTest, ANewKeyIsShownOnceWithATableThatFitsIt) {
  const Finished made = call([](const CommandOutput& output) {
    return make_key({.name = "ann-laptop", .principal = "ann", .has_terminal = true}, output);
  });
  ASSERT_EQ(made.exit_code, kExitDone) << made.problems;
  const std::size_t at = made.problems.find("btz_");
  ASSERT_NE(at, std::string::npos) << made.problems;
  const std::string key = made.problems.substr(at, made.problems.find('\n', at) - at);
  EXPECT_EQ(key.size(), 4U + 64U);
  EXPECT_TRUE(
      made.results.starts_with("[auth.api_key.ann-laptop]\nprincipal = \"ann\"\nsha256 = \""));
  EXPECT_FALSE(contains(made.results, key)) << "the table holds no secret";

  std::istringstream input(key + "\n");
  const Finished hashed =
      call([&](const CommandOutput& output) { return hash_key({input, ""}, output); });
  EXPECT_EQ(hashed.exit_code, kExitDone);
  EXPECT_TRUE(contains(made.results, "sha256 = \"" + hashed.results.substr(0, 64) + "\""));
}

TEST_F(CommandTest, NewKeysDiffer) {
  std::set<std::string> keys;
  for (int i = 0; i < 8; ++i) {
    const Finished made = call([](const CommandOutput& output) {
      return make_key({.name = "k", .principal = "p", .has_terminal = true}, output);
    });
    keys.insert(made.results);
  }
  EXPECT_EQ(keys.size(), 8U);
}

TEST_F(CommandTest, ANewKeyGoesToAFileOrATerminalAndIntoNoLog) {
  const auto make = [](const KeyOptions& options) {
    return call([&](const CommandOutput& output) { return make_key(options, output); });
  };
  const Finished shown_nowhere = make({.name = "k", .principal = "p"});
  EXPECT_EQ(shown_nowhere.exit_code, kExitFailed);
  EXPECT_TRUE(shown_nowhere.results.empty());
  EXPECT_TRUE(contains(shown_nowhere.problems, "--out FILE")) << shown_nowhere.problems;

  const std::string file = path("k.key");
  const Finished kept = make({.name = "k", .principal = "p", .out = file});
  ASSERT_EQ(kept.exit_code, kExitDone) << kept.problems;
  std::ifstream stream(file);
  std::string key;
  std::getline(stream, key);
  EXPECT_EQ(key.size(), 4U + 64U);
  EXPECT_FALSE(contains(kept.results + kept.problems, key));
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // What stands there may be a key that is in use.
  const Finished again = make({.name = "k", .principal = "p", .out = file});
  EXPECT_EQ(again.exit_code, kExitFailed);
  EXPECT_TRUE(again.results.empty()) << "a table of a key that nobody has";
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
    const Finished made = call([&](const CommandOutput& output) {
      return make_key({.name = row.name, .principal = row.principal, .has_terminal = true}, output);
    });
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
          return verify_record({.record = {.files = {record}}, .head = head}, output);
        },
        format);
  };
  const Finished whole = verify("");
  EXPECT_EQ(whole.exit_code, kExitDone) << whole.problems;
  EXPECT_TRUE(contains(whole.results, "5 records, chain ok, head 5:")) << whole.results;
  EXPECT_TRUE(contains(whole.results, "not verified: ")) << whole.results;
  EXPECT_TRUE(contains(verify("", OutputFormat::json).results, R"("intact":true,"records":5)"));
  EXPECT_EQ(verify("nonsense").exit_code, kExitUsage);

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
  const Finished found = show({.id = id_of(1), .record = {.files = {record}}});
  EXPECT_EQ(found.exit_code, kExitDone) << found.problems;
  EXPECT_TRUE(contains(found.results, id_of(1)));
  EXPECT_FALSE(contains(found.results, id_of(2)));

  const std::string config = file("c.toml", kConfiguration);
  EXPECT_TRUE(
      contains(show({.id = id_of(2), .record = {.config_file = config}}).results, id_of(2)));

  const Finished missing = show({.id = id_of(9), .record = {.files = {record}}});
  EXPECT_EQ(missing.exit_code, kExitFailed);
  EXPECT_EQ(missing.results, "");
  EXPECT_TRUE(contains(missing.problems, id_of(9)));
  const auto problems = [&](std::string id, RecordPlace place, int exit_code = kExitFailed) {
    const Finished refused = show({.id = std::move(id), .record = std::move(place)});
    EXPECT_EQ(refused.exit_code, exit_code);
    return refused.problems;
  };
  EXPECT_TRUE(contains(problems(id_of(1), {.config_file = path("missing.toml")}), "no such file"));
  EXPECT_TRUE(contains(problems(id_of(1), {.files = {path("gone.jsonl")}}), "does not exist"));
  const std::string several = problems("0190", {.files = {record}});
  EXPECT_TRUE(contains(several, "several decision ids"));
  EXPECT_TRUE(contains(several, id_of(0)) && contains(several, id_of(2))) << several;
  EXPECT_TRUE(contains(problems("audit.jsonl", {}, kExitUsage), "the id comes first"));
}

/// A record of permits and refusals, with what each was about.
class DenialsTest : public CommandTest {
 protected:
  static inline const std::string kLongName = std::string(80, 'n');

  std::string denials() const {
    const std::string file = path("denials.jsonl");
    Result<AuditLog::Opened> opened = AuditLog::open(file);
    EXPECT_TRUE(opened);
    const struct {
      std::string_view decision, principal, target, reason, rule, detail;
      std::string_view server = "files";
    } rows[] = {{"permit", "ann", "read_file", "", "read", ""},
                {"deny", "ann", "write_file", "no_matching_rule", "", ""},
                {"deny", "bob", "read_file", "limited", "tool", ""},
                {"deny", "ann", "read_file", "argument_unguarded", "", "argument /head"},
                {"permit", "eve", std::string_view(kLongName), "", "", "", "mail"}};
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      const std::string id = id_of(i);
      Record record;
      record.decision_id = id;
      record.principal = rows[i].principal;
      record.roles = {"analyst"};
      record.server = rows[i].server;
      record.method = "tools/call";
      record.target = rows[i].target;
      record.decision = rows[i].decision;
      record.reason = rows[i].reason;
      record.rule = rows[i].rule;
      record.detail = rows[i].detail;
      const EncodedRecord encoded = encode_record(record);
      EXPECT_TRUE(opened->log.append(std::span(&encoded, 1)));
    }
    return file;
  }
};

TEST_F(DenialsTest, TailShowsWhatWasAskedFor) {
  const std::string record = denials();
  using Verdict = RecordFilter::Verdict;
  const struct {
    std::string_view name;
    RecordFilter filter;
    std::size_t lines;
    std::vector<std::size_t> want;
  } cases[] = {
      {"refusals", {.verdict = Verdict::denied}, 10, {1, 2, 3}},
      {"the last of them", {.verdict = Verdict::denied}, 1, {3}},
      {"of one caller", {.principal = "bob"}, 10, {2}},
      {"of one tool", {.tool = "read_file"}, 10, {0, 2, 3}},
      {"of one tool of a server", {.tool = "files/read_file"}, 10, {0, 2, 3}},
      {"of one tool as clients call it", {.tool = "files_read_file"}, 10, {0, 2, 3}},
      {"of one whose name is shortened for clients",
       {.tool = exposed_name({.name = "mail"}, kLongName)},
       10,
       {4}},
      {"of another server", {.tool = "docs/read_file"}, 10, {}},
      {"all at once",
       {.verdict = Verdict::denied, .principal = "ann", .tool = "read_file"},
       10,
       {3}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Finished shown = call([&](const CommandOutput& output) {
      return tail_record({.record = {.files = {record}}, .filter = c.filter, .lines = c.lines},
                         output);
    });
    EXPECT_EQ(shown.exit_code, kExitDone) << shown.problems;
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(shown.results, '\n')), c.want.size());
    for (const std::size_t number : c.want)
      EXPECT_TRUE(contains(shown.results, id_of(number))) << shown.results;
  }
}

/// A stream that is flushed when a follower has shown all there is; what happens then is the
/// test's. It fails after that, which ends the follower.
class FollowedStream : public std::stringbuf {
 public:
  explicit FollowedStream(std::vector<std::function<void()>> steps) : steps_(std::move(steps)) {}

 protected:
  int sync() override {
    if (next_ == steps_.size()) return -1;
    steps_[next_++]();
    return 0;
  }

 private:
  std::vector<std::function<void()>> steps_;
  std::size_t next_ = 0;
};

TEST_F(CommandTest, TailFollowsARecordWhoseTornTailIsWrittenOver) {
  const std::string record = record_of(2);
  const auto tear = [&] { std::ofstream(record, std::ios::app) << R"({"v":1,"kind":"deci)"; };
  const auto write_over = [&] {
    Result<AuditLog::Opened> opened = AuditLog::open(record);
    ASSERT_TRUE(opened);
    const EncodedRecord encoded = encode_record(Record{.kind = RecordKind::repair});
    ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
  };
  FollowedStream followed({tear, [] {}, write_over});
  std::ostream results(&followed);
  std::ostringstream problems;
  tail_record({.record = {.files = {record}}, .lines = 10, .then = AuditTailOptions::Then::follow},
              CommandOutput{results, problems, OutputFormat::json});
  std::ifstream in(record);
  EXPECT_EQ(followed.str(), std::string(std::istreambuf_iterator<char>(in), {}));
}

// Nothing in a line turns what stands beside it around, or hides.
TEST_F(CommandTest, TailWritesHiddenLettersOfJsonAsEscapes) {
  const std::string record = record_of(1);
  Result<AuditLog::Opened> opened = AuditLog::open(record);
  ASSERT_TRUE(opened);
  const EncodedRecord encoded = encode_record(Record{
      .kind = RecordKind::refusal, .target = "a\u202eb\u200bc\U000e0041d\u00e9\u05d0 \U0001f600"});
  ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
  std::ostringstream results, problems;
  tail_record({.record = {.files = {record}}, .lines = 1},
              CommandOutput{results, problems, OutputFormat::json});
  EXPECT_TRUE(contains(results.str(),
                       "\"target\":\"a\\u202eb\\u200bc\\udb40\\udc41d\u00e9\u05d0 "
                       "\U0001f600\""))
      << results.str();
}

/// What this process has read so far, or nothing where the kernel does not count.
std::size_t bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::size_t bytes = 0;
  counts >> name >> bytes;
  return name == "rchar:" ? bytes : 0;
}

TEST_F(CommandTest, TailDoesNotReadAnEndlessLineOverAndOver) {
  constexpr std::size_t kEndless = 3 << 20;
  const std::string record = record_of(2);
  std::ifstream in(record);
  const std::string records(std::istreambuf_iterator<char>(in), {});
  const auto append = [&record](const std::string& text) {
    std::ofstream(record, std::ios::app) << text;
  };
  append(std::string(kEndless, 'x'));
  std::size_t before = 0;
  std::size_t again = 0;
  const auto end_line = [&] {
    again = bytes_read() - before;
    append("\n" + records + std::string(kEndless, 'y'));
  };
  const auto cut_off = [&] {
    std::filesystem::resize_file(record, 2 * records.size() + kEndless + 1);
    append(records);
  };
  FollowedStream followed({[&] { before = bytes_read(); }, end_line, cut_off});
  std::ostream results(&followed);
  std::ostringstream problems;
  tail_record({.record = {.files = {record}}, .lines = 10, .then = AuditTailOptions::Then::follow},
              CommandOutput{results, problems, OutputFormat::json});
  EXPECT_LT(again, kEndless / 2);
  EXPECT_EQ(followed.str(), records + records + records);
}

TEST_F(DenialsTest, TailSaysWhatToolsThereAre) {
  const std::string record = denials();
  const struct {
    RecordFilter filter;
    std::string_view want;
  } cases[] = {
      {{.tool = "read_fiel"}, "no record is about \"read_fiel\"; did you mean \"read_file\"?"},
      {{.tool = "docs/read_file"}, "did you mean \"files/read_file\"?"},
      {{.tool = "nothing_like_it"}, "the record has \"files/read_file\", \"files/write_file\" or "},
      // Of this tool there are records, though not of this caller.
      {{.principal = "bob", .tool = "write_file"}, ""},
      {{.principal = "nobody"}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.filter.tool);
    const Finished shown = call([&](const CommandOutput& output) {
      return tail_record({.record = {.files = {record}}, .filter = c.filter}, output);
    });
    EXPECT_EQ(shown.exit_code, kExitDone);
    EXPECT_EQ(shown.results, "");
    EXPECT_TRUE(contains(shown.problems, c.want)) << shown.problems;
    EXPECT_EQ(shown.problems.empty(), c.want.empty()) << shown.problems;
  }
}

TEST_F(DenialsTest, ShowSaysWhatARefusalMeans) {
  const std::string record = denials();
  const auto show = [&](std::string id) {
    return call([&](const CommandOutput& output) {
             return show_record({.id = std::move(id), .record = {.files = {record}}}, output);
           })
        .results;
  };
  EXPECT_FALSE(contains(show(id_of(0)), "meaning"));
  EXPECT_TRUE(contains(show(id_of(1)),
                       "meaning         no rule permits this to roles analyst; one "
                       "with tools = [\"files/write_file\"] would\n"))
      << show(id_of(1));
  EXPECT_TRUE(contains(show(id_of(2)), "[limit.tool] sets it")) << show(id_of(2));
  EXPECT_TRUE(contains(show(id_of(3)),
                       "no predicate names the argument /head; add its pointer to "
                       "[tool.\"files/read_file\".arguments]"))
      << show(id_of(3));
  EXPECT_EQ(show("last"), show(id_of(3)));
}

TEST_F(CommandTest, ShowsResultsThatWereWithheldAmongRefusals) {
  const std::string file = path("withheld.jsonl");
  {
    Result<AuditLog::Opened> opened = AuditLog::open(file);
    ASSERT_TRUE(opened);
    const struct {
      std::size_t id;
      std::string_view decision, reason, detail;
      RecordKind kind = RecordKind::decision;
      Outcome outcome = Outcome::none;
    } rows[] = {
        {0, "deny", "forbidden", ""},
        {0, "", "forbidden", "", RecordKind::outcome, Outcome::denied},
        {1, "permit", "", ""},
        {1, "", "result_invalid", "result /n (type)", RecordKind::outcome, Outcome::tool_error},
        // Neither a tool that failed by itself nor a server that did is a refusal.
        {2, "permit", "", ""},
        {2, "", "", "", RecordKind::outcome, Outcome::tool_error},
        {3, "permit", "", ""},
        {3, "", "server_failed", "", RecordKind::outcome, Outcome::failed}};
    for (const auto& row : rows) {
      const std::string id = id_of(row.id);
      Record record{.kind = row.kind};
      record.decision_id = id;
      record.principal = "ann";
      record.server = "far";
      record.target = "weather";
      record.decision = row.decision;
      record.reason = row.reason;
      record.detail = row.detail;
      record.outcome = row.outcome;
      const EncodedRecord encoded = encode_record(record);
      ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
    }
  }
  const Finished tail = call([&](const CommandOutput& output) {
    return tail_record(
        {.record = {.files = {file}}, .filter = {.verdict = RecordFilter::Verdict::denied}},
        output);
  });
  EXPECT_EQ(std::ranges::count(tail.results, '\n'), 2) << tail.results;
  EXPECT_TRUE(contains(tail.results, id_of(0)) && contains(tail.results, id_of(1)));
  EXPECT_TRUE(contains(tail.results, "WITHHELD")) << tail.results;
  const auto show = [&](std::string id) {
    return call([&](const CommandOutput& output) {
             return show_record({.id = std::move(id), .record = {.files = {file}}}, output);
           })
        .results;
  };
  const std::string shown = show("last");
  EXPECT_EQ(shown, show(id_of(1)));
  EXPECT_TRUE(contains(shown,
                       "meaning         the result /n (type) does not fit the output schema that "
                       "the server lists; [server.far] output_schema = \"warn\" lets it pass\n"))
      << shown;
  // What a denial means is said once, of its decision.
  const std::string denied = show(id_of(0));
  EXPECT_EQ(denied.find("meaning"), denied.rfind("meaning")) << denied;
}

TEST(RecordMeaning, SaysWhatWouldChangeIt) {
  Config config;
  config.digest = "d1";
  config.tools = {
      {.pattern = "files/*",
       .arguments = {
           {.pointer = "/path", .predicate = PathPredicate{"docs"}},
           {.pointer = "/paths/*", .predicate = PathPredicate{"docs"}},
           {.pointer = "/paths/*", .predicate = PathPredicate{"notes"}},
           {.pointer = "/head", .predicate = NumberPredicate{"1", "10000"}},
           {.pointer = "/word", .predicate = TextPredicate{1, 9, "[a-z]+"}},
           {.pointer = "/word",
            .predicate =
                OneOfPredicate{{"\"a\"", "\"b\"", "1", "2", "3", "4", "5", "6", "7", "8"}}},
           {.pointer = "/run",
            .predicate = CommandPredicate{.name = "build", .form = {.programs = {"git", "ls"}}}},
           {.pointer = "/url",
            .predicate = UrlPredicate{.form = {.hosts = {"*.example.com"}, .ports = {443, 8443}}}},
           {.pointer = "/sql",
            .predicate = SqlPredicate{.form = {.tables = {"users", "processes"},
                                               .deny_tables = {"shadow"},
                                               .functions = std::vector<std::string>{"count"}}}}}}};
  config.paths["docs"] = {.name = "docs", .root = "/srv/data"};
  config.paths["notes"] = {.name = "notes",
                           .root = "/srv/notes",
                           .kind = PathConfig::Kind::file,
                           .extensions = {".md", ".txt"},
                           .refuse_hidden = true,
                           .allow = {"a"},
                           .deny = {"b"},
                           .deny_names = {"c"},
                           .writable = {{"d"}}};
  const struct {
    std::string_view reason, server, target, detail, want;
    std::string_view method = "tools/call";
    std::string_view policy = "d1";
  } cases[] = {
      {"no_matching_rule", "", "read_file", "",
       "read_file leads to no running server that a rule of this caller covers, or to two: clients "
       "call SERVER_NAME, or NAME with prefix = \"never\", as in their lists; a rule that permits "
       "it to roles analyst has tools = [\"SERVER/NAME\"]"},
      {"no_matching_rule", "", "greet", "",
       "a rule that permits it to roles analyst has prompts = [\"SERVER/NAME\"]", "prompts/get"},
      {"tool_unknown", "", "files/read", "", "files/read leads to no running server that a rule"},
      {"tool_unknown", "files", "raed", "", "The server has no such tool"},
      // A server may list it that no rule of the caller is about, and was not asked.
      {"no_matching_rule", "", "file:///x", "",
       "no running server that a rule of this caller covers lists file:///x or a template for it, "
       "or two list it; a rule that permits it to roles analyst has resources = [\"SERVER:URI\"]",
       "resources/read"},
      {"no_matching_rule", "", "", "", "one with methods = [\"logging/setLevel\"] would",
       "logging/setLevel"},
      {"no_matching_rule", "files", "write", "scope files:write",
       "the token lacks the scope files:write, which would give the roles or permissions"},
      {"path_outside_root", "files", "read", "argument /path",
       "the argument /path leads outside /srv/data of [path.docs]"},
      {"path_outside_root", "files", "read", "argument /paths/3",
       "the argument /paths/3 must stay in /srv/data of [path.docs] and /srv/notes of "
       "[path.notes], and leads outside at least one"},
      {"path_outside_root", "files", "read", "argument /path",
       "/srv/data of [path.docs], as the configuration is now", "tools/call", "d0"},
      {"path_outside_root", "files", "read", "argument /paths/3/x",
       "the argument /paths/3/x led outside its root; no predicate names a [path.…] there, as",
       "tools/call", "d0"},
      {"path_outside_root", "mail", "read", "argument /path",
       "no predicate names a [path.…] there"},
      {"path_relative", "files", "read", "argument /path",
       "the argument /path is relative; write cwd in [server.files], or base in its [path.…]"},
      {"path_not_allowed", "files", "read", "argument /paths/0",
       "has to be a path below /srv/data of [path.docs] by [tool.\"files/*\"], and a file below "
       "/srv/notes of [path.notes] with .md, .txt, without hidden names, of a, not b, no name c, "
       "and d where the tool may write by [tool."},
      {"path_extension_not_allowed", "files", "read", "argument /path",
       "has no extension, or one that is not allowed: it has to be a path below"},
      {"path_malformed", "files", "read", "argument /path", "the argument /path is empty or has"},
      {"argument_missing", "files", "read", "argument /path", "the call lacks the argument /path"},
      {"argument_wrong_type", "files", "read", "argument /path",
       "the argument /path is not of the type that its predicate"},
      {"argument_not_allowed", "files", "read", "argument /head",
       "the argument /head has a value that its predicate does not allow: it has to be a number "
       "from 1 to 10000 by [tool.\"files/*\"]"},
      {"argument_not_allowed", "files", "read", "argument /head",
       "[tool.\"files/*\"], as the configuration is now", "tools/call", "d0"},
      {"argument_not_allowed", "mail", "read", "argument /head", "; no predicate is about it"},
      {"argument_not_allowed", "files", "read", "argument /word",
       "it has to be a text with a length from 1 to 9 that matches \"[a-z]+\" by "
       "[tool.\"files/*\"], "
       "and one of \"a\", \"b\", 1, 2, 3, 4, 5, 6 and 2 more by [tool.\"files/*\"]"},
      {"url_not_allowed", "files", "read", "argument /url",
       "the argument /url is a URL with a scheme, host or port that is not allowed, or with a user "
       "or password: it has to be a URL of https to *.example.com, ports 443, 8443 by [tool."},
      {"command_not_allowed", "files", "read", "argument /run",
       "the argument /run is a command with a program, argument or variable, or with syntax of the "
       "shell, that is not allowed: it has to be a command of git, ls, as defined in "
       "[command.build] by [tool.\"files/*\"]"},
      {"command_malformed", "files", "read", "argument /run",
       "the argument /run cannot be read as a command"},
      {"command_blocked", "files", "read", "argument /run",
       "the argument /run would remove or open"},
      {"url_malformed", "files", "read", "argument /url", "the argument /url is not a URL, or can"},
      {"url_private", "files", "read", "argument /url", "the argument /url leads to this machine"},
      {"path_unresolved", "files", "read", "argument /p",
       "the argument /p could not be resolved on the disk in time"},
      {"path_unreachable", "files", "read", "argument /p",
       "the argument /p cannot be followed on the disk"},
      {"path_unreachable", "files", "read",
       "argument /p is, or goes through, a link whose target does not exist",
       "the gateway checked, and the argument /p is, or goes through, a link whose target does not "
       "exist"},
      {"path_outside_root", "files", "read",
       "argument /path leads out of the root on the disk, through a link",
       "the gateway checked, and the argument /path leads out of the root on the disk, through a "
       "link: it has to be a path below /srv/data of [path.docs] by [tool."},
      {"path_not_text", "mail", "read", "argument /a contains a NUL byte or is not UTF-8",
       "the gateway checked, and the argument /a contains a NUL byte or is not UTF-8"},
      {"path_not_allowed", "mail", "read", "argument /a b is a directory, not a file",
       "the gateway checked, and the argument /a b is a directory, not a file"},
      {"url_unresolved", "files", "read", "argument /url",
       "the name in the argument /url could not be resolved in time"},
      {"sql_malformed", "files", "read", "argument /sql",
       "the argument /sql cannot be read as one SQL statement"},
      {"sql_not_allowed", "files", "read", "argument /sql",
       "it has to be a SQL statement on users, processes, not shadow, with functions count by "
       "[tool."},
      {"argument_not_absent", "files", "read", "argument /head",
       "the argument /head is present, which a predicate in [tool.…] requires to be absent"},
      {"tool_quarantined", "files", "read", "inputSchema: too_deep",
       "the server's definition of it cannot be used (inputSchema: too_deep)"},
      {"tool_quarantined", "files", "read", "", "The tool is quarantined"},
      {"skill_quarantined", "files", "", "the skill does not list the file",
       "what the server sent differs from its skills/list: the skill does not list the file"},
      {"arguments_invalid", "files", "read", "argument /path (type)",
       "the argument /path (type) does not fit the input schema that the server lists"},
      {"argument_refused", "files", "read", "argument /path (maxLength)",
       "the argument /path (maxLength) does not fit a schema of [tool.…]"},
      {"reserved_member", "files", "read", "argument /__proto__ (propertyNames)",
       "the argument /__proto__ (propertyNames) has a name that gives access to JavaScript"},
      {"result_invalid", "files", "read", "result /n (type)",
       "the result /n (type) does not fit the output schema that the server lists; [server.files]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.reason) + " " + std::string(c.detail));
    Record record;
    record.roles = {"analyst"};
    record.reason = c.reason;
    record.server = c.server;
    record.target = c.target;
    record.detail = c.detail;
    record.method = c.method;
    record.policy = c.policy;
    EXPECT_TRUE(contains(meaning_of(record, &config), c.want)) << meaning_of(record, &config);
  }
  Record record;
  record.reason = "path_outside_root";
  record.detail = "argument /path";
  EXPECT_EQ(meaning_of(record),
            "the argument /path leads outside the root of its [path.…] or of wrap");
  record.reason = "no_matching_rule";
  record.method = "tools/call";
  record.server = "files";
  record.target = "write_file";
  record.roles = {"local-user"};
  EXPECT_TRUE(contains(meaning_of(record), "--tools of wrap does not name it"))
      << meaning_of(record);
  record.reason = "limited";
  record.rule = "local-user";
  EXPECT_TRUE(contains(meaning_of(record), "[limit.local-user] sets it, or --rate of wrap"));
  record.reason = "session_missing";
  for (const auto& [transport, want] : {std::pair{"http", "the header Mcp-Session-Id is missing"},
                                        {"unix", "sent no initialize"},
                                        {"websocket", "handshake = \"implied\""},
                                        {"stdio", "handshake = \"implied\""}}) {
    record.transport = transport;
    EXPECT_TRUE(contains(meaning_of(record), want)) << meaning_of(record);
  }
}

// Names in a record are a client's, and a terminal obeys what it is shown.
TEST_F(CommandTest, ShowEscapesWhatAMeaningHolds) {
  const std::string record = path("hostile.jsonl");
  {
    Result<AuditLog::Opened> opened = AuditLog::open(record);
    ASSERT_TRUE(opened);
    const EncodedRecord encoded = encode_record({.decision_id = "0190",
                                                 .method = "tools/call",
                                                 .target = "a\x1b[2J",
                                                 .decision = "deny",
                                                 .reason = "no_matching_rule"});
    ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
  }
  const Finished shown = call([&](const CommandOutput& output) {
    return show_record({.id = "last", .record = {.files = {record}}}, output);
  });
  EXPECT_TRUE(contains(shown.results, "meaning         a\\u{1b}[2J leads to no running server"))
      << shown.results;
  EXPECT_FALSE(contains(shown.results, "\x1b"));
}

TEST_F(CommandTest, ShowSaysThatNothingWasRefused) {
  const std::string record = path("peaceful.jsonl");
  {
    Result<AuditLog::Opened> opened = AuditLog::open(record);
    ASSERT_TRUE(opened);
    const EncodedRecord encoded = encode_record({.decision_id = "0190", .decision = "permit"});
    ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
  }
  const Finished shown = call([&](const CommandOutput& output) {
    return show_record({.id = "last", .record = {.files = {record}}}, output);
  });
  EXPECT_TRUE(
      contains(shown.problems, "was refused, withheld or truncated: there is no last refusal"))
      << shown.problems;
}

TEST_F(CommandTest, TailEscapesTheNamesThatItHintsAt) {
  const std::string record = path("hostile.jsonl");
  // A direction turned round, a line end, nothing visible, and the beginning of a sequence.
  const std::string hostile = "read\u202e\u2028\u200b\u009b";
  {
    Result<AuditLog::Opened> opened = AuditLog::open(record);
    ASSERT_TRUE(opened);
    const EncodedRecord encoded = encode_record(
        {.decision_id = "0190", .server = "files", .method = "tools/call", .target = hostile});
    ASSERT_TRUE(opened->log.append(std::span(&encoded, 1)));
  }
  for (const std::string& tool : {std::string("nothing_like_it"), "files/" + hostile + "\u200b"}) {
    const Finished shown = call([&](const CommandOutput& output) {
      return tail_record({.record = {.files = {record}}, .filter = {.tool = tool}}, output);
    });
    EXPECT_TRUE(contains(shown.problems, "\"files/read\\u{202e}\\u{2028}\\u{200b}\\u{9b}\""))
        << shown.problems;
    EXPECT_TRUE(std::ranges::all_of(shown.problems, [](char c) { return (c & 0x80) == 0; }))
        << shown.problems;
  }
}

TEST(MachineProblems, HintAtWhatThereIs) {
  Config config;
  config.servers["files"] = {.name = "files",
                             .command = {"bartizan-no-such-program"},
                             .cwd = "/nonexistent/~/x",
                             .env_allow = {"BARTIZAN_NO_SUCH_VARIABLE"}};
  const Result<Launcher> launcher = Launcher::start();
  const auto hints = [&](WrittenIn written_in) {
    std::string text;
    for (const ConfigProblem& problem :
         find_machine_problems(config, *launcher, {.written_in = written_in}))
      text += problem.hint + "\n";
    return text;
  };
  EXPECT_EQ(hints(WrittenIn::file),
            "set it for the gateway, or take it out\n"
            "nobody fills in ~ or ${…} here: write the whole path\n"
            "write its whole path, or give the server a PATH in env\n");
  EXPECT_EQ(hints(WrittenIn::options),
            "set it in the env of the client's entry, or take --env BARTIZAN_NO_SUCH_VARIABLE out\n"
            "nobody fills in ~ or ${…} here: write the whole path\n"
            "write its whole path\n");
}

TEST(MachineProblems, NameAnotherStartOfRelativePaths) {
  const struct {
    std::string_view name;
    std::string cwd, base;
    std::vector<std::string> command;
    bool is_warned;
  } rows[] = {
      {"another folder", "/usr", "", {"/bin/true", "/tmp"}, true},
      {"the first one counts", "/usr", "", {"/bin/true", "/tmp", "/usr"}, true},
      {"the same folder", "/usr", "", {"/bin/true", "/usr/", "/tmp"}, false},
      {"no folder", "/usr", "", {"/bin/true", "/etc/passwd", "tmp"}, false},
      {"relative paths are refused", "", "", {"/bin/true", "/tmp"}, false},
      {"the rule has a base", "/usr", "/tmp", {"/bin/true", "/tmp"}, false},
  };
  const Result<Launcher> launcher = Launcher::start();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config;
    config.servers["files"] = {.name = "files", .command = row.command, .cwd = row.cwd};
    config.paths["data"] = {.name = "data", .root = "/usr", .base = row.base};
    const auto problems = find_machine_problems(config, *launcher, {});
    const bool is_warned = std::ranges::any_of(problems, [](const ConfigProblem& problem) {
      return problem.message.contains("relative paths are judged from the cwd");
    });
    EXPECT_EQ(is_warned, row.is_warned);
  }
}

// Files of another machine are absent here; files that are here have to fit.
TEST(MachineProblems, CertificatesThatAreHereFit) {
  const Result<Launcher> launcher = Launcher::start();
  const auto severity_of = [&](const std::string& cert) {
    Config config;
    config.listen.tls = {.cert = cert,
                         .key = {.kind = SecretReference::Kind::environment, .name = "HOME"}};
    const auto problems = find_machine_problems(config, *launcher, {});
    EXPECT_EQ(problems.size(), 1U);
    return problems.front().severity;
  };
  EXPECT_EQ(severity_of("/nonexistent/chain.pem"), ConfigProblem::Severity::warning);
  EXPECT_EQ(severity_of("/etc/passwd"), ConfigProblem::Severity::error);
}

TEST(MachineProblems, ReadTheSecretsOfSignIn) {
  const SecretReference missing{.kind = SecretReference::Kind::file,
                                .name = "/nonexistent/provider-secret"};
  Config config;
  config.auth.front_doors.push_back({.client = {.secret = missing}});
  config.auth.issuers.push_back({.introspection = {{.client = {.key = missing}}}});
  const Result<Launcher> launcher = Launcher::start();
  const auto problems = find_machine_problems(config, *launcher, {});
  ASSERT_EQ(problems.size(), 2U);
  for (const ConfigProblem& problem : problems)
    EXPECT_TRUE(contains(text(problem), "/nonexistent/provider-secret")) << text(problem);
}

TEST_F(DenialsTest, ShowSaysWhyAConfigurationTellsNothing) {
  const RecordPlace place{.files = {denials()},
                          .config_file = file("bad.toml", "version = 1\nx = 1\n")};
  const Finished shown = call([&](const CommandOutput& output) {
    return show_record({.id = id_of(1), .record = place}, output);
  });
  EXPECT_EQ(shown.exit_code, kExitDone);
  EXPECT_TRUE(contains(shown.results, "meaning"));
  EXPECT_TRUE(contains(shown.problems, "bad.toml:2:")) << shown.problems;
}

TEST_F(DenialsTest, TailShowsNothingOfAFileThatIsNoRecord) {
  const std::string config = file("c.toml", kConfiguration);
  const Finished shown = call([&](const CommandOutput& output) {
    return tail_record({.record = {.files = {config}}}, output);
  });
  EXPECT_EQ(shown.exit_code, kExitFailed);
  EXPECT_EQ(shown.results, "");
  EXPECT_TRUE(contains(shown.problems, "is not a record: name the file of [audit]"));
  denials();  // The file that the configuration names.
  const std::string named = kConfiguration.substr(0, kConfiguration.find("[audit]")) +
                            "[audit]\nfile = \"denials.jsonl\"\n";
  const Finished by_config = call([&](const CommandOutput& output) {
    return tail_record({.record = {.config_file = file("d.toml", named)}}, output);
  });
  EXPECT_EQ(std::ranges::count(by_config.results, '\n'), 5) << by_config.problems;
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
          return tail_record({.record = {.files = {record}}, .lines = row.lines}, output);
        },
        OutputFormat::json);
    EXPECT_EQ(shown.exit_code, kExitDone);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(contains(shown.results, id_of(i)), i >= row.first) << i;
    }
  }
  const Finished shown = call([&](const CommandOutput& output) {
    return tail_record({.record = {.files = {record}}, .lines = 2}, output);
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
  const auto verify = [&](std::vector<std::string> files, std::string from = "") {
    return call([&](const CommandOutput& output) {
      return verify_record({.record = {.files = std::move(files)}, .from = from}, output);
    });
  };
  const Finished whole = verify({record});
  EXPECT_EQ(whole.exit_code, kExitDone) << whole.problems;
  EXPECT_TRUE(contains(whole.results, "7 records, chain ok")) << whole.results;
  EXPECT_TRUE(contains(whole.results, "also read: 1 closed file of its chain, from " + closed));
  EXPECT_EQ(verify({closed, record}).exit_code, kExitDone);
  EXPECT_EQ(verify({record, closed}).exit_code, kExitFailed);

  const auto show = [&](std::size_t number) {
    return call([&](const CommandOutput& output) {
      return show_record({.id = id_of(number), .record = {.files = {record}}}, output);
    });
  };
  EXPECT_TRUE(contains(show(1).results, id_of(1)));
  EXPECT_TRUE(contains(show(4).results, id_of(4)));

  const auto tail = [&](std::size_t lines) {
    const Finished shown = call(
        [&](const CommandOutput& output) {
          return tail_record({.record = {.files = {record}}, .lines = lines}, output);
        },
        OutputFormat::json);
    return std::ranges::count(shown.results, '\n');
  };
  for (const std::size_t lines : {1U, 2U, 3U, 6U, 7U})
    EXPECT_EQ(tail(lines), static_cast<std::ptrdiff_t>(lines));
  EXPECT_EQ(tail(100), 7);

  const std::string head = verify_audit({closed}, {}).head.text();
  std::filesystem::remove(closed);
  const Finished missing = verify({record});
  EXPECT_EQ(missing.exit_code, kExitFailed);
  EXPECT_TRUE(contains(missing.problems, "records 1 to 5 missing")) << missing.problems;
  EXPECT_TRUE(contains(missing.results, "its beginning is missing")) << missing.results;
  EXPECT_TRUE(contains(missing.problems, std::filesystem::path(closed).filename().string() +
                                             "; name it too, oldest first"))
      << missing.problems;
  EXPECT_EQ(verify({record}, head).exit_code, kExitDone) << verify({record}, head).problems;
  const Finished wrong = verify({record}, "4" + head.substr(1));
  EXPECT_EQ(wrong.exit_code, kExitFailed);
  EXPECT_TRUE(contains(wrong.problems, "does not continue --from, but " + head)) << wrong.problems;
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
  tail_record({.record = {.files = {record}}, .then = AuditTailOptions::Then::follow}, output);
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
          return tail_record({.record = {.files = {record}}, .lines = lines}, output);
        },
        OutputFormat::json);
  };
  EXPECT_EQ(tail(1).results, "last\n");
  EXPECT_EQ(tail(3).results, long_line + "\n" + long_line + "\nlast\n");
  EXPECT_EQ(tail(9).results, "first\n" + long_line + "\n" + long_line + "\nlast\n");
  EXPECT_EQ(call([&](const CommandOutput& output) {
              return tail_record({.record = {.files = {path("missing")}}}, output);
            }).exit_code,
            kExitFailed);
}

TEST_F(CommandTest, AResultThatCannotBeWrittenIsAFailure) {
  const std::string record = record_of(2);
  std::ofstream full("/dev/full");
  std::ostringstream problems;
  const CommandOutput output{full, problems};
  EXPECT_EQ(verify_record({.record = {.files = {record}}}, output), kExitFailed);
  EXPECT_TRUE(contains(problems.str(), "could not be written")) << problems.str();
  // Following must not go on for nobody.
  const AuditTailOptions follow{.record = {.files = {record}},
                                .then = AuditTailOptions::Then::follow};
  EXPECT_EQ(tail_record(follow, output), kExitFailed);
}

}  // namespace
}  // namespace bartizan
