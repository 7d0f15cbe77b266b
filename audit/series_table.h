#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// Labels of one series at most; the widest family has five.
inline constexpr std::size_t kLabelsMax = 6;
using Labels = std::span<const std::string_view>;

/// The label sets of one metric family, each with a small number. Looked up by views, so that a set
/// that is known costs no allocation.
class SeriesTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// The number of the set, or `kNone`.
  std::uint32_t find(Labels labels) const;
  /// Adds a set that `find` does not know.
  std::uint32_t insert(Labels labels);
  std::size_t size() const { return sets_.size(); }
  const std::vector<std::string>& labels(std::size_t number) const { return sets_[number].labels; }

 private:
  struct Set {
    std::uint64_t hash;
    std::vector<std::string> labels;
  };
  void grow();
  void place(std::uint32_t number);

  std::vector<Set> sets_;
  std::vector<std::uint32_t> slots_;  ///< A power of two, at most half full; `kNone` is empty.
};

}  // namespace bartizan
