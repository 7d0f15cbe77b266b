#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_problem.h"
#include "config/position.h"

namespace bartizan {

/// Collects the problems of a configuration while its parts are read, so that one run shows all of
/// them. Keeps at most `kProblemsMax`, so that an invalid file cannot fill the screen or the
/// memory.
class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 200;

  /// Adds a file. Returns its number in positions: the count of files added before.
  std::uint32_t add_file(std::string name);
  void error(Position where, std::string message, std::string hint = {});
  void warning(Position where, std::string message, std::string hint = {});

  /// The problems, ordered by file and position.
  std::vector<ConfigProblem> sorted() const;
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Found {
    Position where;
    ConfigProblem problem;
    std::size_t order = 0;  ///< Keeps the order of discovery within one position.
  };
  void add(Found found);

  std::vector<std::string> files_;
  std::vector<Found> found_;
  std::size_t dropped_ = 0;
};

/// `FILE:LINE:COLUMN`, or the file alone if the position has no line.
std::string place(const std::vector<std::string>& files, const Position& where);

/// `text` in double quotes, cut to 64 bytes. Control characters are replaced, because terminals
/// would interpret those of untrusted input.
std::string quote(std::string_view text);

/// `did you mean "…"?` with the candidate nearest to `name`; empty if none is near.
/// Cost: the edit distance to each candidate, over at most 64 bytes of each.
std::string hint_near(std::string_view name, const std::vector<std::string_view>& candidates);

/// The names as a list for errors: `"a", "b" or "c"`.
std::string listed(const std::vector<std::string_view>& names);

}  // namespace bartizan
