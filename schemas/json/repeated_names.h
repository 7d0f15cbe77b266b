#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace bartizan {

struct JsonIndex;

/// Finds names that an object has twice, comparing what they mean and not how they are spelled.
/// Leased with its indexer, so that its memory is used again.
///
/// Cost: names are compared in pairs while there are few, and through a hash keyed by a secret when
///       there are many; if names collide all the same, by sorting. No choice of names is
///       quadratic.
class RepeatedNames {
 public:
  using Secret = std::array<std::uint64_t, 2>;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Draws a secret of its own, once it needs one.
  RepeatedNames() = default;
  /// With a known secret, so that a test can make every name collide.
  explicit RepeatedNames(const Secret& secret) : secret_(secret) {}

  /// The first of the `count` members of the node `object` whose name an earlier one has, or
  /// `kNone`. By sorting, which of several repetitions is found depends on their names.
  std::uint32_t find_repeated(const JsonIndex& index, std::uint32_t object, std::uint32_t count);

  std::size_t capacity() const;

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t node;
  };

  static std::uint32_t compare_pairs(const JsonIndex& index, std::uint32_t object,
                                     std::uint32_t count);
  std::uint32_t probe(const JsonIndex& index, std::uint32_t object, std::uint32_t count);
  std::uint32_t sort(const JsonIndex& index, std::uint32_t object, std::uint32_t count);
  void ensure_secret();
  /// After `ensure_secret`.
  std::uint64_t hash(std::string_view name) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> sorted_;
  std::optional<Secret> secret_;
};

}  // namespace bartizan
