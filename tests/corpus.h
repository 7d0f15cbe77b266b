#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/checkout.h"

namespace bartizan {

/// A file of the public test suites, which are read where they lie and never copied: below the
/// folder named by BARTIZAN_CORPORA, or beside the project. Empty where it is absent; the test
/// then says so with GTEST_SKIP.
inline std::filesystem::path corpus_file(const std::string& name) {
  const std::filesystem::path path = corpora_folder() / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

/// The non-empty lines of a file.
inline std::vector<std::string> corpus_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace bartizan
