#pragma once

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gateway/store/database.h"
#include "gateway/store/state_file.h"

namespace bartizan {

/// A state file without its thread.
inline Result<std::unique_ptr<Database>> open_database(const std::string& path) {
  Result<StateFile> file = StateFile::open(path);
  if (!file.has_value()) return std::unexpected(file.error());
  return Database::open(std::move(*file));
}

/// Runs `work` in a process of its own, which is killed where it says that it has come so far.
inline void run_and_kill(const std::function<void(const std::function<void()>& here)>& work) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work([&pipe] {
      static_cast<void>(::write(pipe[1], "x", 1));
      while (true)
        ::pause();
    });
    ::_exit(1);
  }
  ::close(pipe[1]);
  char came = 0;
  EXPECT_EQ(::read(pipe[0], &came, 1), 1) << "it ended before it came so far";
  ::close(pipe[0]);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace bartizan
