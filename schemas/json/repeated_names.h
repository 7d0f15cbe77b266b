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

/// Finds names that occur twice in an object. It compares their meaning, not their spelling. It is
/// leased with its indexer, so that its memory is used again.
///
/// Cost: few names are compared in pairs. Many use a hash with a secret key. If names still
///       collide, they are sorted. No choice of names makes it quadratic.
class RepeatedNames {
 public:
  using Secret = std::array<std::uint64_t, 2>;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Draws a random secret when it first needs one.
  RepeatedNames() = default;
  /// With a known secret, so that a test can make every name collide.
  explicit RepeatedNames(const Secret& secret) : secret_(secret) {}

  /// The first of the `count` members of the node `object` whose name occurs earlier, or `kNone`.
  /// With sorting, the repetition that is found depends on the names.
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
  /// Input: `ensure_secret` was called.
  std::uint64_t hash(std::string_view name) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> sorted_;
  std::optional<Secret> secret_;
};

}  // namespace bartizan
