#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "config/load/load_config.h"

namespace bartizan {

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(testing::TempDir()) /
              ("config-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "policy.d");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string name(const std::string& file) const { return (path_ / file).string(); }

 private:
  std::filesystem::path path_;
};

/// All that is said about a configuration, a line each.
inline std::string all_text(const LoadedConfig& loaded) {
  std::string lines;
  for (const ConfigProblem& problem : loaded.problems)
    lines += text(problem) + "\n";
  return lines;
}

}  // namespace bartizan
