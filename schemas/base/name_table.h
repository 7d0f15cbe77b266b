#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace bartizan {

/// Maps names to numbers, which count from 0 in the order of insertion.
///
/// Lifetime: points to the names.
/// Cost:     a look-up hashes the name and compares it once. If names were made to collide, it is a
///           bisection.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  NameTable() = default;
  /// With a known multiplier, so that a test can make every name collide.
  explicit NameTable(std::uint64_t multiplier) : multiplier_(multiplier) {}

  /// The number of that name, which is added if it is new.
  std::uint32_t insert(std::string_view name);
  /// The number of that name, or `kNone`.
  std::uint32_t find(std::string_view name) const;

  std::string_view name(std::uint32_t number) const { return names_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  /// Approximate, in bytes.
  std::size_t memory() const;

 private:
  struct Slot {
    std::uint64_t last = 0;  ///< The name's last word, which is all of a short name.
    const char* begin = nullptr;
    std::uint32_t size = 0;
    std::uint32_t number = kNone;
  };

  std::uint64_t hash(std::string_view name, std::uint64_t last) const;
  void rehash();
  bool place(std::uint32_t number);
  [[gnu::cold, gnu::noinline]] std::uint32_t bisect(std::string_view name) const;

  std::vector<std::string_view> names_;
  /// A power of two of them, at most half taken; none if the names collide.
  std::vector<Slot> slots_;
  std::map<std::string_view, std::uint32_t> sorted_;
  std::size_t longest_ = 0;
  std::uint64_t multiplier_ = 0x9E3779B97F4A7C15;
};

}  // namespace bartizan
