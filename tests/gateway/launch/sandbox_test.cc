// What a sandbox keeps from a program that wants it, and that it ends with all that it started.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gateway/launch/protect_memory.h"
#include "tests/gateway/launch/other_process.h"
#include "tests/gateway/launch/started_child.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

using Level = SandboxConfig::Level;
using Network = SandboxConfig::Network;

constexpr uid_t kOrdinary = 65534;

/// What a process of an ordinary account says.
std::string say_as_ordinary(const std::function<std::string()>& say) {
  return say_elsewhere([&say] {
    if (geteuid() == 0 && setresgid(kOrdinary, kOrdinary, kOrdinary) != 0) _exit(1);
    if (geteuid() == 0 && setresuid(kOrdinary, kOrdinary, kOrdinary) != 0) _exit(1);
    // Who changed its id cannot be looked into, which an ordinary gateway can.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return say();
  });
}

/// A folder that every account may use, with a file in each of three folders: one that no list has,
/// one to be read, one to be written.
class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
    std::string name = fs::temp_directory_path() / "bartizan-sandbox-XXXXXX";
    folder_ = mkdtemp(name.data());
    fs::permissions(folder_, fs::perms::all);
    for (const char* part : {"unlisted", "readable", "writable"}) {
      fs::create_directory(folder_ / part);
      fs::permissions(folder_ / part, fs::perms::all);
      std::ofstream(folder_ / part / "file") << "text of " << part << '\n';
      ASSERT_EQ(chmod((folder_ / part / "file").c_str(), 0666), 0);
      // Its own account's: to list it nowhere is all that keeps it.
      if (geteuid() == 0) {
        ASSERT_EQ(chown((folder_ / part / "file").c_str(), kOrdinary, kOrdinary), 0);
      }
    }
    fs::copy_file("/bin/true", folder_ / "writable" / "program");
    fs::permissions(folder_ / "writable" / "program", fs::perms::all);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  ChildOptions options(Level level, const std::string& script) const {
    ChildOptions options{.command = {"/bin/sh", "-c", script},
                         .environment = {{"PATH", "/usr/bin:/bin"}, {"F", folder_}}};
    if (level == Level::none) return options;
    options.sandbox = {.level = level,
                       .network = Network::none,
                       .read = {"/usr", "/bin", "/lib", "/etc/passwd", folder_ / "readable"},
                       .write = {folder_ / "writable"}};
    if (fs::exists("/lib64")) options.sandbox.read.emplace_back("/lib64");
    return options;
  }

  std::string run(Level level, const std::string& script) const {
    return run(options(level, script));
  }
  static std::string run(const ChildOptions& options) {
    return say_as_ordinary([&options] {
      StartedChild child(options);
      if (!child) return child.error().detail;
      child->standard_input = Descriptor();
      return read_all(child->standard_output);
    });
  }

  fs::path folder_;
};

std::string own_number() {
  return std::to_string(getpid());
}

TEST_F(Sandbox, KeepsAProgramToItsLists) {
  const struct {
    std::string name;
    std::string script;  ///< Says yes where it gets through.
    std::string none, process, container;
  } rows[] = {
      {"reads what is listed", "cat $F/readable/file", "text of readable\n", "text of readable\n",
       "text of readable\n"},
      {"reads what is not", "cat $F/unlisted/file", "text of unlisted\n", "", ""},
      {"lists what is not", "ls $F/unlisted", "file\n", "", ""},
      {"reads through a link", "ln -sf $F/unlisted/file $F/writable/link; cat $F/writable/link",
       "text of unlisted\n", "", ""},
      {"reads by a way up", "cat $F/readable/../unlisted/file", "text of unlisted\n", "", ""},
      {"writes where it may", "echo yes > $F/writable/new; cat $F/writable/new", "yes\n", "yes\n",
       "yes\n"},
      {"writes where it may read", "echo no > $F/readable/new; cat $F/readable/new", "no\n", "",
       ""},
      {"cuts what it may read", "(: > $F/readable/file); cat $F/readable/file", "",
       "text of readable\n", "text of readable\n"},
      {"changes a mode where it may write", "chmod 600 $F/writable/file && echo yes", "yes\n",
       "yes\n", "yes\n"},
      {"changes a mode where it may read", "chmod 666 $F/readable/file && echo yes", "yes\n", "",
       ""},
      {"changes the mode of what is not listed", "chmod 600 $F/unlisted/file && echo yes", "yes\n",
       "", ""},
      {"changes the time of what is not listed", "touch -d @0 $F/unlisted/file && echo yes",
       "yes\n", "", ""},
      {"makes another namespace", "unshare --user true && echo yes", "yes\n", "", ""},
      {"removes what it may read", "rm -f $F/readable/file && echo yes", "yes\n", "", ""},
      {"moves out", "mv $F/writable/file $F/unlisted/moved && echo yes", "yes\n", "", ""},
      {"executes what it may write", "$F/writable/program && echo yes", "yes\n", "", ""},
      {"executes what it may read", "/usr/bin/id -u", "65534\n", "65534\n", "65534\n"},
      {"writes to nothing", "echo yes > /dev/null && echo yes", "yes\n", "yes\n", "yes\n"},
      {"reads of a device", "head -c 1 /dev/urandom | wc -c", "1\n", "1\n", "1\n"},
      {"signals who started it", "kill -0 " + own_number() + " 2>/dev/null || echo no", "no\n",
       "no\n", "no\n"},
      {"has a folder for scratch", "echo yes > /tmp/bartizan-scratch && cat /tmp/bartizan-scratch",
       "yes\n", "", "yes\n"},
      {"gains no capability", "grep CapEff /proc/self/status", "CapEff:\t0000000000000000\n", "",
       "CapEff:\t0000000000000000\n"},
      {"sees processes", "ls -d /proc/[0-9]* | wc -l | sed 's/^[0-9]$/few/; s/^[0-9].*/many/'",
       "many\n", "few\n", "few\n"},
  };
  for (const auto& row : rows) {
    // Each level finds what the one before left.
    for (const auto& [level, want] : {std::pair(Level::container, &row.container),
                                      {Level::process, &row.process},
                                      {Level::none, &row.none}}) {
      SCOPED_TRACE(fmt::format("{}, level {}", row.name, static_cast<int>(level)));
      EXPECT_EQ(run(level, row.script), *want);
    }
    TearDown();
    SetUp();
  }
  std::error_code ignored;
  fs::remove("/tmp/bartizan-scratch", ignored);
}

TEST_F(Sandbox, ShowsItsOwnProcessesWhereProcIsListed) {
  ChildOptions wanted = options(Level::process, "ls -d /proc/[0-9]* | wc -l; echo $$");
  wanted.sandbox.read.emplace_back("/proc");
  const std::string said = run(wanted);
  EXPECT_TRUE(said.ends_with("\n2\n")) << said << ": the second process there";
  EXPECT_LT(said.size(), 5U) << said;
}

TEST_F(Sandbox, ReachesNoNetworkWithALevel) {
  const std::string script = "grep -c : /proc/net/dev";
  ChildOptions wanted = options(Level::container, script);
  EXPECT_EQ(run(wanted), "1\n");
  wanted.sandbox.network = Network::host;
  EXPECT_EQ(run(wanted), run(Level::none, script)) << "unless it is given";
}

TEST_F(Sandbox, GivesTheProgramItsHome) {
  ChildOptions wanted = options(Level::process, "echo yes > $HOME/own && cat $HOME/own");
  wanted.sandbox.home = folder_ / "unlisted";
  wanted.environment["HOME"] = wanted.sandbox.home;
  EXPECT_EQ(run(wanted), "yes\n");
}

TEST_F(Sandbox, RunsAsAnotherAccountInEachLevel) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  for (const Level level : {Level::none, Level::process, Level::container}) {
    ChildOptions wanted =
        options(level, "id -u; id -g; cat $F/readable/file; cat $F/unlisted/file");
    wanted.sandbox.user = "nobody";
    StartedChild child(wanted);
    ASSERT_TRUE(child) << child.error().detail;
    child->standard_input = Descriptor();
    EXPECT_EQ(read_all(child->standard_output),
              std::string("65534\n65534\ntext of readable\n") +
                  (level == Level::none ? "text of unlisted\n" : ""));
  }
}

TEST_F(Sandbox, HoldsNoRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  for (const Level level : {Level::process, Level::container}) {
    StartedChild child(options(level, "true"));
    ASSERT_FALSE(child);
    EXPECT_TRUE(child.error().detail.contains("write sandbox.user")) << child.error().detail;
  }
}

TEST_F(Sandbox, IsInTheGroupsOfItsAccountAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::array<gid_t, 2> groups = {kOrdinary, 4};
  ASSERT_EQ(setgroups(groups.size(), groups.data()), 0);
  ChildOptions wanted = options(Level::none, "id -G");
  wanted.sandbox.user = "nobody";
  StartedChild child(wanted);
  ASSERT_TRUE(child) << child.error().detail;
  child->standard_input = Descriptor();
  EXPECT_EQ(read_all(child->standard_output), "65534\n");
}

TEST_F(Sandbox, SaysWhichPartIsNotToBeHad) {
  const struct {
    std::string name;
    std::function<void(ChildOptions&)> change;
    std::string process, container;
  } rows[] = {
      {"a path that is not there",
       [](ChildOptions& wanted) { wanted.sandbox.read.emplace_back("/bartizan/none"); },
       "sandbox.read names \"/bartizan/none\"", "\"/bartizan/none\": No such file"},
      {"no libraries", [](ChildOptions& wanted) { wanted.sandbox.read = {"/etc/passwd"}; },
       "sandbox.read must name its folder", "sandbox.read must name its folder"},
      {"a folder outside", [](ChildOptions& wanted) { wanted.cwd = wanted.environment["F"]; }, "",
       ""},
      {"a folder of no list", [](ChildOptions& wanted) { wanted.cwd = "/bartizan"; },
       "directory \"/bartizan\"", "directory \"/bartizan\""},
  };
  for (const auto& row : rows) {
    for (const auto& [level, want] :
         {std::pair(Level::process, &row.process), {Level::container, &row.container}}) {
      SCOPED_TRACE(fmt::format("{}, level {}", row.name, static_cast<int>(level)));
      ChildOptions wanted = options(level, "true");
      row.change(wanted);
      const std::string said = run(wanted);
      if (want->empty()) {
        EXPECT_EQ(said, "");
      } else {
        EXPECT_TRUE(said.contains(*want)) << said;
      }
    }
  }
}

TEST_F(Sandbox, BoundsAllProcessesOrSaysWhatIsMissing) {
  ChildOptions wanted = options(
      Level::none, "for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done 2>/dev/null; echo all");
  wanted.sandbox.processes = 5;
  StartedChild child(wanted);
  if (!child) {
    EXPECT_TRUE(child.error().detail.contains("cgroup v2")) << child.error().detail;
    EXPECT_TRUE(child.error().detail.contains("Delegate=")) << child.error().detail;
    GTEST_SKIP() << child.error().detail;
  }
  child->standard_input = Descriptor();
  EXPECT_EQ(read_line(child->standard_output), "") << "the fifth does not start";
}

// --- The whole tree -----------------------------------------------------------------------------

/// Whether that process is gone, or will be in a moment.
bool ends(const std::string& number) {
  const pid_t pid = std::stoi(number);
  for (int i = 0; i < 3000 && kill(pid, 0) == 0; ++i)
    poll(nullptr, 0, 10);
  return kill(pid, 0) != 0;
}

/// Has a session of its own, and no parent that waits for it.
constexpr const char* kDaemon =
    "(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &); read line";

TEST(ProcessTree, EndsWithItsProgram) {
  for (const auto& [script, how] : {std::pair(kDaemon, "exit 1"),
                                    {"(setsid sh -c 'setsid sleep 1000 & echo $$; exec sleep 1000 "
                                     ">/dev/null 2>&1' &); read line; kill -9 $$",
                                     "signal 9 (SIGKILL)"}}) {
    StartedChild child({.command = {"/bin/sh", "-c", script}});
    ASSERT_TRUE(child) << child.error().detail;
    const std::string daemon = read_line(child->standard_output);
    ASSERT_EQ(kill(std::stoi(daemon), 0), 0);
    child->standard_input = Descriptor();
    EXPECT_TRUE(ends(daemon));
    pollfd ended{.fd = child->control().get(), .events = POLLIN, .revents = 0};
    poll(&ended, 1, -1);
    EXPECT_EQ(child->ended().value_or("still running"), how);
  }
}

TEST(ProcessTree, EndsWithTheGatewayThatIsKilled) {
  std::array<int, 2> ends_of_pipe = {};
  ASSERT_EQ(pipe2(ends_of_pipe.data(), O_CLOEXEC), 0);
  const Descriptor said(ends_of_pipe[0]);
  Descriptor theirs(ends_of_pipe[1]);
  const pid_t gateway = fork();
  if (gateway == 0) {
    StartedChild child({.command = {"/bin/sh", "-c", kDaemon}});
    if (!child) _exit(1);
    const std::string line =
        read_line(child->standard_output) + " " + std::to_string(child->pid()) + "\n";
    if (write(theirs.get(), line.data(), line.size()) < 0) _exit(1);
    while (true)
      pause();
  }
  theirs = Descriptor();
  const std::string line = read_line(said);
  ASSERT_TRUE(line.contains(' '));
  kill(gateway, SIGKILL);
  waitpid(gateway, nullptr, 0);
  EXPECT_TRUE(ends(line.substr(0, line.find(' ')))) << "a session of its own";
  EXPECT_TRUE(ends(line.substr(line.find(' ') + 1))) << "the program";
}

TEST(ProcessTree, EndsWithTheGatewayWhereItsKeeperIsStopped) {
  std::array<int, 2> ends_of_pipe = {};
  ASSERT_EQ(pipe2(ends_of_pipe.data(), O_CLOEXEC), 0);
  const Descriptor said(ends_of_pipe[0]);
  Descriptor theirs(ends_of_pipe[1]);
  const pid_t gateway = fork();
  if (gateway == 0) {
    StartedChild child({.command = {"/bin/sh", "-c",
                                    "read go; kill -STOP $PPID; (setsid sh -c 'echo $$; exec sleep "
                                    "1000 >/dev/null 2>&1' &); read line"}});
    if (!child) _exit(1);
    if (write(child->standard_input.get(), "\n", 1) < 0) _exit(1);
    const std::string line = read_line(child->standard_output) + "\n";
    if (write(theirs.get(), line.data(), line.size()) < 0) _exit(1);
    while (true)
      pause();
  }
  theirs = Descriptor();
  const std::string daemon = read_line(said);
  ASSERT_FALSE(daemon.empty());
  kill(gateway, SIGKILL);
  waitpid(gateway, nullptr, 0);
  EXPECT_TRUE(ends(daemon)) << "once the launcher has waited for the keeper";
}

TEST(ProcessTree, EndsWhenItsKeeperIsKilled) {
  StartedChild child({.command = {"/bin/sh", "-c", std::string("echo $PPID; ") + kDaemon}});
  ASSERT_TRUE(child) << child.error().detail;
  const std::string keeper = read_line(child->standard_output);
  const std::string daemon = read_line(child->standard_output);
  ASSERT_EQ(kill(std::stoi(keeper), SIGKILL), 0);
  EXPECT_TRUE(ends(daemon));
  EXPECT_TRUE(ends(std::to_string(child->pid())));
  EXPECT_EQ(child->ended(), "killed with its keeper");
}

// --- The gateway's memory -----------------------------------------------------------------------

constexpr const char* kCanary = "canary-of-the-gateway";

/// How often a child of the same account finds the canary in the gateway and in what the gateway
/// forked for it: their environment, and their memory.
std::string look_for_canary(bool is_protected) {
  return say_as_ordinary([is_protected] {
    const Result<Launcher> launcher = Launcher::start();
    if (!launcher.has_value()) return launcher.error().detail;
    // A secret comes after the launcher.
    const std::string secret = std::string(kCanary) + "-in-memory";
    if (is_protected) protect_memory();
    const std::string script = fmt::format(
        "for p in {} $PPID; do cat /proc/$p/environ; ls -l /proc/$p/fd; "
        "dd if=/proc/$p/mem bs=1 skip={} count={}; done 2>/dev/null",
        getpid(), reinterpret_cast<std::uintptr_t>(secret.data()), secret.size());
    Result<ChildProcess> child = launcher->launch(
        {.command = {"/bin/sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}});
    if (!child.has_value()) return child.error().detail;
    child->standard_input = Descriptor();
    return read_all(child->standard_output);
  });
}

TEST(GatewayMemory, IsClosedToItsChildren) {
  setenv("BARTIZAN_TEST_CANARY", kCanary, 1);
  const std::string open = look_for_canary(false);
  const std::string closed = look_for_canary(true);
  unsetenv("BARTIZAN_TEST_CANARY");
  EXPECT_TRUE(open.contains("canary-of-the-gateway-in-memory")) << "without protection: " << open;
  EXPECT_EQ(closed, "");
}

std::vector<std::string> children_of(const std::string& process) {
  std::vector<std::string> found;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  for (std::string child; file >> child;)
    found.push_back(child);
  return found;
}

/// Whether the descriptors of a process can be listed, and so opened.
bool is_open(const std::string& process) {
  std::error_code failed;
  const fs::directory_iterator descriptors(fmt::format("/proc/{}/fd", process), failed);
  return !failed && descriptors != fs::directory_iterator();
}

/// Looks into all that the launcher forks, until it is killed. Writes once a name whose process was
/// open.
[[noreturn]] void look_into_children(const std::string& launcher, int said) {
  std::set<std::string> seen;
  const auto look = [&seen, said](const std::string& process) {
    if (!is_open(process)) return;
    std::string name;
    std::ifstream(fmt::format("/proc/{}/comm", process)) >> name;
    if (name.starts_with("bartizan-") && seen.insert(name).second)
      static_cast<void>(write(said, (name + " ").c_str(), name.size() + 1) < 0);
  };
  while (true) {
    for (const std::string& keeper : children_of(launcher)) {
      look(keeper);
      for (const std::string& child : children_of(keeper))
        look(child);
    }
  }
}

/// The processes of the launcher that another one of the same account could look into while servers
/// were started: at their descriptors, the plan and the pipes among them.
std::string look_into_starts() {
  return say_as_ordinary([] {
    const Result<Launcher> launcher = Launcher::start();
    if (!launcher.has_value()) return launcher.error().detail;
    const std::vector<std::string> forked = children_of(std::to_string(getpid()));
    std::array<int, 2> ends = {};
    if (forked.size() != 1 || pipe(ends.data()) != 0) return std::string("no launcher or no pipe");
    const pid_t reader = fork();
    if (reader == 0) look_into_children(forked[0], ends[1]);
    close(ends[1]);
    for (int start = 0; start < 100; ++start) {
      const Result<void> probed =
          launcher->probe({.command = {"/bin/true"}, .sandbox = {.network = Network::none}});
      if (!probed.has_value()) return probed.error().detail;
    }
    kill(reader, SIGKILL);
    waitpid(reader, nullptr, 0);
    return read_all(Descriptor(ends[0]));
  });
}

TEST(GatewayMemory, AKeeperIsClosedWhileItsNamespacesAreMade) {
  if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
  EXPECT_EQ(look_into_starts(), "bartizan-maps ") << "which has neither plan nor pipes";
}

}  // namespace
}  // namespace bartizan
