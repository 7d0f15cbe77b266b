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

/// The most labels of one series.
inline constexpr std::size_t kLabelsMax = 6;
using Labels = std::span<const std::string_view>;

/// The label sets of one metric family. Each has a small number. Look-ups take views, so a known
/// set needs no allocation.
class SeriesTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// The number of the set, or `kNone`.
  std::uint32_t find(Labels labels) const;
  /// Adds a set that is not yet in the table, and returns its number.
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
  std::vector<std::uint32_t>
      slots_;  ///< Size is a power of two; at most half full; `kNone` is empty.
};

}  // namespace bartizan
