#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_problem.h"
#include "config/position.h"

namespace bartizan {

/// Collects what is wrong with a configuration while its parts are read, so that one run shows an
/// operator everything. At most `kProblemsMax` are kept: a file of garbage must not fill a screen
/// or the memory.
class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 200;

  /// The number of a file in positions: how many were added before it.
  std::uint32_t add_file(std::string name);
  void error(Position where, std::string message, std::string hint = {});
  void warning(Position where, std::string message, std::string hint = {});

  /// The problems in the order of the files and of the places in them.
  std::vector<ConfigProblem> sorted() const;
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Found {
    Position where;
    ConfigProblem problem;
    std::size_t order = 0;  ///< Keeps problems of one place in the order they were found.
  };
  void add(Found found);

  std::vector<std::string> files_;
  std::vector<Found> found_;
  std::size_t dropped_ = 0;
};

/// `FILE:LINE:COLUMN`; the bare file where a position has no line.
std::string place(const std::vector<std::string>& files, const Position& where);

/// `text` in double quotes, cut to 64 bytes, control characters replaced: input is never trusted
/// by a terminal.
std::string quote(std::string_view text);

/// `did you mean "…"?` with the candidate nearest to `name`, or empty when none is near.
/// Cost: edit distance to each candidate, over at most 64 bytes of each.
std::string hint_near(std::string_view name, const std::vector<std::string_view>& candidates);

/// The names as an error lists them: `"a", "b" or "c"`.
std::string listed(const std::vector<std::string_view>& names);

}  // namespace bartizan
