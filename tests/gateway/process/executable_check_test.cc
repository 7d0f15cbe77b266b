#include "gateway/process/executable_check.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gateway/runtime/loop.h"
#include "tests/config/folder.h"
#include "tests/gateway/gate.h"
#include "tests/gateway/launch/started_child.h"

namespace bartizan {
namespace {

constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string kOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

ServerConfig server_of(std::map<std::string, std::string> executables, std::string name = "s") {
  return {.name = std::move(name), .executables = std::move(executables)};
}

class ExecutableCheckTest : public testing::Test {
 protected:
  ~ExecutableCheckTest() override { gate_->open(); }

  Task<void> ask(ServerConfig server) {
    ++waiting_;
    wanted_ = std::make_shared<ExecutableCheck::Wanted>(loop_);
    Result<ReadExecutables> files = co_await check_->check(server, wanted_);
    said_.push_back(files.has_value() ? "approved" : files.error().detail);
    if (--waiting_ == 0) loop_.stop();
  }
  static std::string check(ServerConfig server) {
    Loop loop{0};
    ExecutableCheck check(loop);
    std::string said;
    spawn(loop,
          [](ExecutableCheck& asked, ServerConfig of, std::string& told,
             Loop& running) -> Task<void> {
            const Result<ReadExecutables> files =
                co_await asked.check(of, std::make_shared<ExecutableCheck::Wanted>(running));
            told = files.has_value() ? "approved" : files.error().detail;
            running.stop();
          }(check, std::move(server), said, loop));
    loop.run();
    return said;
  }
  /// A file whose name has `slow` in it is read when the gate is open.
  void use_gate() {
    check_ = std::make_unique<ExecutableCheck>(loop_, [gate = gate_](const std::string& path) {
      gate->pass(path.contains("slow") ? Gate::Pace::slow : Gate::Pace::at_once);
      return Result<ReadExecutable>(ReadExecutable{.sha256 = "00", .state = {}, .file = {}});
    });
  }

  Folder folder_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  Loop loop_{0};
  std::unique_ptr<ExecutableCheck> check_;
  std::shared_ptr<ExecutableCheck::Wanted> wanted_;  ///< Of who asked last.
  std::vector<std::string> said_;
  int waiting_ = 0;
};

TEST_F(ExecutableCheckTest, ApprovesWhatWasApprovedAndNothingElse) {
  const std::string abc = folder_.write("abc", "abc");
  const std::string empty = folder_.write("empty", "");
  const std::string link = folder_.name("link");
  std::filesystem::create_symlink(abc, link);
  const std::string pipe = folder_.name("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string folder = std::filesystem::path(abc).parent_path();
  const struct {
    std::string name;
    std::map<std::string, std::string> executables;
    std::string says;
  } rows[] = {
      {"what was approved", {{abc, kOfAbc}, {empty, kOfNothing}}, "approved"},
      {"through a link", {{link, kOfAbc}}, "approved"},
      {"another file",
       {{abc, kOfNothing}},
       abc + "\" is not what was approved: its SHA-256 is " + kOfAbc},
      {"the second is another",
       {{abc, kOfAbc}, {empty, kOfAbc}},
       empty + "\" is not what was approved"},
      {"nobody approved it", {{abc, ""}}, abc + "\" is not in the lock file"},
      {"it is not there", {{folder + "/none", kOfAbc}}, "/none\" cannot be read: No such file"},
      {"a folder", {{folder, kOfAbc}}, "\" is not a regular file"},
      {"a pipe, which is not waited for", {{pipe, kOfAbc}}, "\" is not a regular file"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string said = check(server_of(row.executables));
    EXPECT_TRUE(said.contains(row.says)) << said;
  }
}

TEST_F(ExecutableCheckTest, DoesNotWaitForADiskThatHangs) {
  use_gate();
  spawn(loop_, ask(server_of({{"/slow", "00"}})));
  loop_.run_in_turn([&] {
    gate_->wait_for(1);
    // The wheel's ticks are the loop's only clock for waits.
    loop_.wheel().advance(limits::executables_deadline * 2 / limits::timer_tick);
  });
  loop_.run();
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_TRUE(said_[0].contains("was not read within 20 s")) << said_[0];
}

TEST_F(ExecutableCheckTest, LeavesThreadsToOtherServers) {
  use_gate();
  loop_.run_in_turn([&] {
    for (int i = 0; i < 5; ++i)
      spawn(loop_, ask(server_of({{"/slow", "00"}}, "slow")));
    gate_->wait_for(2);
    spawn(loop_, ask(server_of({{"/b", "00"}}, "other")));
    gate_->wait_for(3);
    EXPECT_EQ(gate_->asked(), 3) << "one server holds half of the threads, and no more";
    gate_->open();
  });
  loop_.run();
  EXPECT_EQ(said_, std::vector<std::string>(6, "approved")) << "who waited has its turn";
}

TEST_F(ExecutableCheckTest, IsNotWaitedForOnceItIsNotWanted) {
  use_gate();
  loop_.run_in_turn([&] {
    spawn(loop_, ask(server_of({{"/slow", "00"}}, "slow")));
    spawn(loop_, ask(server_of({{"/slow", "00"}}, "slow")));
    wanted_->end();  // It reads.
    gate_->wait_for(2);
    spawn(loop_, ask(server_of({{"/slow", "00"}}, "slow")));
    wanted_->end();  // It waits for a place.
    loop_.run_in_turn([&] {
      EXPECT_EQ(said_.size(), 2U) << "both, while the files are still read";
      gate_->open();
    });
  });
  loop_.run();
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_TRUE(said_[0].contains("the server was stopped")) << said_[0];
  EXPECT_TRUE(said_[1].contains("the server was stopped")) << said_[1];
  EXPECT_EQ(said_[2], "approved");
}

TEST_F(ExecutableCheckTest, EndsBeforeAThreadThatHangs) {
  use_gate();
  {
    const auto other = std::make_unique<Loop>(std::uint16_t{1});
    auto check = std::make_unique<ExecutableCheck>(*other, [gate = gate_](const std::string&) {
      gate->pass(Gate::Pace::slow);
      return Result<ReadExecutable>(ReadExecutable{.sha256 = "00", .state = {}, .file = {}});
    });
    spawn(*other, [](ExecutableCheck& asked, Loop& running) -> Task<void> {
      const auto wanted = std::make_shared<ExecutableCheck::Wanted>(running);
      EXPECT_FALSE((co_await asked.check(server_of({{"/slow", "00"}}), wanted)).has_value());
      running.stop();
    }(*check, *other));
    other->run_in_turn([&] {
      gate_->wait_for(1);
      other->wheel().advance(limits::executables_deadline * 2 / limits::timer_tick);
    });
    other->run();
    check.reset();
  }
  gate_->open();
  check_.reset();
  // Until no thread has what it reads with any more.
  while (gate_.use_count() > 1)
    std::this_thread::yield();
}

TEST_F(ExecutableCheckTest, SeesWhatChangesAfterwards) {
  const std::string path = folder_.write("program", "abc");
  const auto read = [&] {
    ReadExecutables files;
    files.emplace(path, read_executable(path).value());
    return files;
  };
  ReadExecutables files = read();
  EXPECT_TRUE(check_unchanged(files).has_value());
  folder_.write("program", "abcd");
  EXPECT_FALSE(check_unchanged(files).has_value()) << "written to";
  files = read();
  std::filesystem::rename(folder_.write("other", "abcd"), path);
  EXPECT_FALSE(check_unchanged(files).has_value()) << "another file of the same content";
  files = read();
  std::filesystem::remove(path);
  const Result<void> gone = check_unchanged(files);
  ASSERT_FALSE(gone.has_value());
  EXPECT_TRUE(gone.error().detail.contains("disappeared")) << gone.error().detail;
}

TEST_F(ExecutableCheckTest, ExecutesTheVeryFileThatWasRead) {
  const std::string program = folder_.name("program");
  std::filesystem::copy_file("/bin/echo", program);
  const std::string script = folder_.write("script", "#!/bin/sh\nexit 1\n");
  ReadExecutables files;
  for (const std::string& path : {program, script})
    files.emplace(path, read_executable(path).value());
  EXPECT_EQ(find_image(files, script, script).value().file, nullptr)
      << "its interpreter opens it by its name";
  EXPECT_EQ(find_image(files, "cat", "/bin/cat").value().file, nullptr) << "another program";
  const Descriptor* image = find_image(files, program, program).value().file;
  ASSERT_NE(image, nullptr);
  std::filesystem::remove(program);
  std::filesystem::copy_file("/bin/false", program);
  StartedChild child({.command = {program, "as it was"}, .image = image});
  ASSERT_TRUE(child.has_value()) << child.error().detail;
  while (!child->ended().has_value())
    std::this_thread::yield();
  EXPECT_EQ(child->ended(), "exit 0");
}

TEST_F(ExecutableCheckTest, RefusesAnotherProgramOfThatName) {
  const std::string approved = folder_.name("echo");
  std::filesystem::copy_file("/bin/echo", approved);
  const std::string link = folder_.name("also");
  std::filesystem::create_symlink(approved, link);
  ReadExecutables files;
  files.emplace(approved, read_executable(approved).value());
  EXPECT_NE(find_image(files, link, link).value().file, nullptr) << "another name of the same file";
  EXPECT_TRUE(find_image(files, "/bin/echo", "/bin/echo").has_value())
      << "a path that somebody wrote leads nowhere else";
  const Result<Image> other = find_image(files, "echo", "/bin/echo");
  ASSERT_FALSE(other.has_value());
  EXPECT_TRUE(other.error().detail.contains("the command resolves to \"/bin/echo\""))
      << other.error().detail;
}

}  // namespace
}  // namespace bartizan
