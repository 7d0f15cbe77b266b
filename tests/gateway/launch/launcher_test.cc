#include "gateway/launch/launcher.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/gateway/launch/other_process.h"
#include "tests/gateway/launch/started_child.h"

namespace bartizan {
namespace {

std::string end_of(ChildProcess& child) {
  wait_until(child.control());
  return child.ended().value_or("still running");
}

ChildOptions shell(const std::string& script) {
  return {.command = {"/bin/sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}};
}

struct Finished {
  std::string output;
  std::string error;
  std::string end;
};

Finished run(const ChildOptions& options) {
  StartedChild child(options);
  if (!child) return {.output = "", .error = child.error().detail, .end = "not started"};
  child->standard_input = Descriptor();
  Finished finished;
  finished.output = read_all(child->standard_output);
  finished.error = read_all(child->standard_error);
  finished.end = end_of(*child);
  return finished;
}

/// A directory that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "bartizan-child-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name, const std::string& text, mode_t mode) const {
    const std::string path = path_ / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(ChildProcess, EchoesWhatItIsSent) {
  StartedChild child({.command = {"cat"}});
  ASSERT_TRUE(child) << child.error().detail;
  const std::string sent = "{\"jsonrpc\":\"2.0\"}\n";
  ASSERT_EQ(write(child->standard_input.get(), sent.data(), sent.size()),
            static_cast<ssize_t>(sent.size()));
  EXPECT_EQ(read_line(child->standard_output) + "\n", sent);
  EXPECT_EQ(child->ended(), std::nullopt);
  child->standard_input = Descriptor();
  EXPECT_EQ(end_of(*child), "exit 0");
}

TEST(ChildProcess, OurEndsAreNonBlockingAndTheChildsAreNot) {
  StartedChild child(
      {.command = {"/bin/sh", "-c", "cat /proc/self/fdinfo/0; cat /proc/self/fdinfo/1"}});
  ASSERT_TRUE(child) << child.error().detail;
  for (const Descriptor* ours :
       {&child->standard_input, &child->standard_output, &child->standard_error}) {
    EXPECT_NE(fcntl(ours->get(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(ours->get(), F_GETFD) & FD_CLOEXEC, 0);
  }
  const std::string flags = read_all(child->standard_output);
  EXPECT_NE(flags.find("flags:\t00\n"), std::string::npos) << flags;
  EXPECT_NE(flags.find("flags:\t01\n"), std::string::npos) << flags;
}

TEST(ChildProcess, SaysWhyItCannotStart) {
  const Folder folder;
  const std::string plain = folder.file("plain", "text", 0644);
  const std::string orphan = folder.file("orphan", "#!/missing/interpreter\n", 0755);
  const std::string empty = folder.file("empty", "", 0755);
  struct Row {
    std::string name;
    ChildOptions options;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"no command", {}, "no program is named"},
      {"not in PATH", {.command = {"bartizan-no-such"}}, "not found in PATH"},
      {"not there", {.command = {"/missing/program"}}, "not found"},
      {"relative", {.command = {"bin/cat"}}, "must be absolute"},
      {"not executable", {.command = {plain}}, "is not executable"},
      {"a folder", {.command = {folder.path()}}, "is not executable"},
      {"not executable in PATH",
       {.command = {"plain"}, .environment = {{"PATH", folder.path()}}},
       "is not executable"},
      {"relative entries of PATH are not searched",
       {.command = {"cat"}, .cwd = "/bin", .environment = {{"PATH", ":.:bin"}}},
       "not found in PATH"},
      {"interpreter missing", {.command = {orphan}}, "interpreter"},
      {"no program format", {.command = {empty}}, "cannot be executed"},
      {"bad cwd", {.command = {"cat"}, .cwd = "/missing/folder"}, "directory \"/missing/folder\""},
      {"cwd is a file", {.command = {"cat"}, .cwd = plain}, "directory"},
      {"unknown user",
       {.command = {"cat"}, .sandbox = {.user = "bartizan-nobody-here"}},
       "unknown user"},
      {"NUL in an argument", {.command = {"cat", std::string("a\0b", 3)}}, "holds a NUL"},
      {"NUL in the environment",
       {.command = {"cat"}, .environment = {{"A", std::string("a\0b", 3)}}},
       "cannot be set"},
      {"= in a variable's name",
       {.command = {"cat"}, .environment = {{"A=B", "c"}}},
       "cannot be set"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    StartedChild child(row.options);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code, ErrorCode::server_failed);
    EXPECT_NE(child.error().detail.find(row.says), std::string::npos) << child.error().detail;
  }
}

TEST(ChildProcess, HasTheGivenEnvironmentAndNothingElse) {
  const Finished env =
      run({.command = {"/usr/bin/env"}, .environment = {{"LANG", "C.UTF-8"}, {"TOKEN", "a b"}}});
  EXPECT_EQ(env.output, "LANG=C.UTF-8\nTOKEN=a b\n");
  EXPECT_EQ(run({.command = {"/usr/bin/env"}}).output, "");
}

TEST(ChildProcess, RunsWhereItIsTold) {
  ChildOptions options = shell("pwd");
  options.cwd = "/usr";
  EXPECT_EQ(run(options).output, "/usr\n");
}

TEST(ChildProcess, InheritsNoDescriptor) {
  // Without close-on-exec on purpose: a library that forgets the flag must not leak either.
  const Descriptor leaky(open("/dev/null", O_RDONLY));
  const Descriptor far(fcntl(leaky.get(), F_DUPFD, 200));
  ASSERT_GE(far.get(), 200);
  // `ls` itself holds the folder it lists, as number 3.
  EXPECT_EQ(run({.command = {"/bin/ls", "/proc/self/fd"}}).output, "0\n1\n2\n3\n");
}

TEST(ChildProcess, StartsWhenTheGatewayHasNoStandardStreams) {
  const Descriptor kept(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100));
  close(STDIN_FILENO);
  const Finished finished = run(shell("cat; echo done"));
  if (kept.get() >= 0) dup2(kept.get(), STDIN_FILENO);
  EXPECT_EQ(finished.output, "done\n");
  EXPECT_EQ(finished.error, "") << "its standard input is there and at its end";
}

TEST(ChildProcess, StartsWithOrdinarySignals) {
  struct sigaction ignore = {};
  struct sigaction before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  sigset_t blocked;
  sigset_t mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  const Finished finished = run({.command = {"/bin/grep", "^Sig[BI]", "/proc/self/status"}});
  sigset_t during;
  pthread_sigmask(SIG_SETMASK, &mask, &during);
  sigaction(SIGPIPE, &before, nullptr);
  EXPECT_EQ(finished.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  EXPECT_EQ(sigismember(&during, SIGTERM), 1) << "our own mask stays as it was";
}

TEST(ChildProcess, MayNotGainPrivilegesAndLeavesNoCore) {
  const Finished status = run({.command = {"/bin/grep", "NoNewPrivs", "/proc/self/status"}});
  EXPECT_EQ(status.output, "NoNewPrivs:\t1\n");
  EXPECT_EQ(run(shell("ulimit -c")).output, "0\n");
}

/// Lends this thread one capability in the way that passes through exec; false without the
/// privilege.
bool lend_capability(int capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return false;
  data[0].inheritable |= 1U << capability;
  if (syscall(SYS_capset, &header, data.data()) != 0) return false;
  return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
}

TEST(ChildProcess, InheritsNoCapabilityThatTheGatewayWasLent) {
  if (!lend_capability(CAP_SETUID)) GTEST_SKIP() << "needs the capability itself";
  const Finished status = run({.command = {"/bin/grep", "CapAmb", "/proc/self/status"}});
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  EXPECT_EQ(status.output, "CapAmb:\t0000000000000000\n");
}

TEST(ChildProcess, LeadsAGroupOfItsOwn) {
  const Finished finished = run(shell("set -- $(cat /proc/$$/stat); echo $$ $5"));
  const std::size_t space = finished.output.find(' ');
  ASSERT_NE(space, std::string::npos) << finished.output << finished.error;
  EXPECT_EQ(finished.output.substr(0, space) + "\n", finished.output.substr(space + 1));
}

TEST(ChildProcess, LimitsHold) {
  ChildOptions options = shell("ulimit -v; ulimit -n");
  options.sandbox.memory = std::uint64_t{64} << 20;
  options.sandbox.open_files = 17;
  EXPECT_EQ(run(options).output, "65536\n17\n");
  // `tail` keeps the last line, which here is one of 256 MiB.
  options.command[2] = "head -c 268435456 /dev/zero | tail -n 1 | wc -c";
  const Finished finished = run(options);
  EXPECT_EQ(finished.output, "0\n");
  EXPECT_NE(finished.error.find("memory exhausted"), std::string::npos) << finished.error;
}

TEST(ChildProcess, BecomesTheUserWhollyOrSaysSo) {
  ChildOptions options = shell("id -u; id -g; id -G");
  options.sandbox.user = "nobody";
  if (geteuid() != 0) {
    StartedChild child(options);
    ASSERT_FALSE(child);
    EXPECT_NE(child.error().detail.find("cannot become user \"nobody\""), std::string::npos);
    return;
  }
  const std::vector<gid_t> ours = {0, 4};
  ASSERT_EQ(setgroups(ours.size(), ours.data()), 0);
  EXPECT_EQ(run(options).output, "65534\n65534\n65534\n") << "none of our groups is kept";
  // The folder is one that root enters and this user does not.
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  options.cwd = folder.path();
  StartedChild child(options);
  ASSERT_FALSE(child);
  EXPECT_NE(child.error().detail.find("directory"), std::string::npos) << child.error().detail;
}

TEST(ChildProcess, DiesWithTheGateway) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor theirs_read(ends[0]);
  Descriptor theirs(ends[1]);
  // A gateway that is killed runs no destructor, and this child looks at none of its pipes.
  const pid_t gateway = fork();
  if (gateway == 0) {
    StartedChild child({.command = {"sleep", "1000"}});
    if (!child) _exit(1);
    const std::string pid = std::to_string(child->pid()) + "\n";
    if (write(theirs.get(), pid.data(), pid.size()) < 0) _exit(1);
    pause();
  }
  theirs = Descriptor();
  const std::string pid = read_line(theirs_read);
  ASSERT_FALSE(pid.empty());
  const Descriptor orphan(static_cast<int>(syscall(SYS_pidfd_open, std::stoi(pid), 0)));
  ASSERT_GE(orphan.get(), 0);
  kill(gateway, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(gateway, &status, 0), gateway);
  wait_until(orphan);
}

TEST(ChildProcess, AKillTakesGrandchildrenToo) {
  StartedChild child(shell("sh -c 'echo ready; exec sleep 1000' & wait"));
  ASSERT_TRUE(child) << child.error().detail;
  EXPECT_EQ(read_line(child->standard_output), "ready");
  child->signal(SIGKILL);
  // The pipe ends only when the last holder, the grandchild, is gone.
  EXPECT_EQ(read_all(child->standard_output), "");
  EXPECT_EQ(end_of(*child), "signal 9 (SIGKILL)");
}

TEST(ChildProcess, WhatTheChildLeavesBehindGoesWithIt) {
  StartedChild child(shell("sh -c 'echo ready; exec sleep 1000' & read line; exit 3"));
  ASSERT_TRUE(child) << child.error().detail;
  EXPECT_EQ(read_line(child->standard_output), "ready");
  child->standard_input = Descriptor();
  EXPECT_EQ(end_of(*child), "exit 3");
  EXPECT_EQ(read_all(child->standard_output), "");
}

TEST(ChildProcess, DestroyedItLeavesNothing) {
  Descriptor output;
  pid_t pid = -1;
  {
    StartedChild child(shell("sleep 1000 & sleep 1000"));
    ASSERT_TRUE(child) << child.error().detail;
    output = std::move(child->standard_output);
    pid = child->pid();
    ChildProcess moved = std::move(*child);
    EXPECT_EQ(moved.pid(), pid);
  }
  EXPECT_EQ(read_all(output), "");
  EXPECT_EQ(kill(pid, 0), -1) << "not even a zombie is left";
}

TEST(ChildProcess, TellsHowItEnded) {
  EXPECT_EQ(run(shell("exit 0")).end, "exit 0");
  EXPECT_EQ(run(shell("exit 42")).end, "exit 42");
  EXPECT_EQ(run(shell("kill -TERM $$")).end, "signal 15 (SIGTERM)");
  EXPECT_EQ(run(shell("kill -40 $$")).end, "signal 40");
  StartedChild child(shell("exit 7"));
  ASSERT_TRUE(child) << child.error().detail;
  EXPECT_EQ(end_of(*child), "exit 7");
  child->signal(SIGKILL);
  EXPECT_EQ(child->ended(), "exit 7") << "it can be asked again";
}

TEST(ChildProcess, AFailedStartLeavesNoDescriptorAndNoZombie) {
  const auto count = [] {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
  };
  const auto before = count();
  // Launchers of tests before this one.
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(StartedChild({.command = {"cat"}, .cwd = "/missing/folder"}));
  }
  EXPECT_EQ(count(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace bartizan
