#include "schemas/json/repeated_names.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <string_view>

#include "schemas/json/json_index.h"

namespace bartizan {
namespace {

/// Up to this many members, comparing all pairs is cheaper than hashing.
constexpr std::uint32_t kFewNames = 12;
/// A probe this long cannot happen by chance in a table that is at most half full.
constexpr std::size_t kProbesMax = 64;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

/// Only when an object has many names, which is rare. Requests for random bytes from the processor
/// may exit a virtual machine, which takes longer than all other work for a message.
void RepeatedNames::ensure_secret() {
  if (secret_.has_value()) return;
  std::random_device random;
  for (std::uint64_t& half : secret_.emplace())
    half = (std::uint64_t{random()} << 32) | random() | 1U;
}

std::size_t RepeatedNames::capacity() const {
  return slots_.capacity() * sizeof(Slot) + sorted_.capacity() * sizeof(std::uint32_t);
}

std::uint32_t RepeatedNames::find_repeated(const JsonIndex& index, std::uint32_t object,
                                           std::uint32_t count) {
  if (count <= kFewNames) return compare_pairs(index, object, count);
  return probe(index, object, count);
}

std::uint32_t RepeatedNames::compare_pairs(const JsonIndex& index, std::uint32_t object,
                                           std::uint32_t count) {
  std::array<std::string_view, kFewNames> names;
  std::uint32_t node = object + 1;
  for (std::uint32_t i = 0; i < count; ++i, node = index.nodes[node].next) {
    names[i] = index.key(index.nodes[node]);
    for (std::uint32_t j = 0; j < i; ++j) {
      if (names[j] == names[i]) return node;
    }
  }
  return kNone;
}

std::uint32_t RepeatedNames::probe(const JsonIndex& index, std::uint32_t object,
                                   std::uint32_t count) {
  ensure_secret();
  const std::size_t mask = std::bit_ceil(std::size_t{count} * 2) - 1;
  slots_.assign(mask + 1, Slot{0, kNone});
  std::uint32_t node = object + 1;
  for (std::uint32_t i = 0; i < count; ++i, node = index.nodes[node].next) {
    const std::string_view name = index.key(index.nodes[node]);
    const std::uint64_t full = hash(name);
    const auto high = static_cast<std::uint32_t>(full >> 32);
    std::size_t at = full & mask;
    for (std::size_t probes = 0; slots_[at].node != kNone; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.hash == high && index.key(index.nodes[slot.node]) == name) return node;
      if (++probes > kProbesMax) return sort(index, object, count);
    }
    slots_[at] = {high, node};
  }
  return kNone;
}

/// The fallback for names that collide: slower, but never quadratic.
std::uint32_t RepeatedNames::sort(const JsonIndex& index, std::uint32_t object,
                                  std::uint32_t count) {
  sorted_.clear();
  std::uint32_t child = object + 1;
  for (std::uint32_t i = 0; i < count; ++i, child = index.nodes[child].next) {
    sorted_.push_back(child);
  }
  const auto name = [&index](std::uint32_t node) { return index.key(index.nodes[node]); };
  std::ranges::sort(sorted_, [&name](std::uint32_t a, std::uint32_t b) {
    const int order = name(a).compare(name(b));
    return order != 0 ? order < 0 : a < b;
  });
  const auto same = std::ranges::adjacent_find(
      sorted_, [&name](std::uint32_t a, std::uint32_t b) { return name(a) == name(b); });
  return same == sorted_.end() ? kNone : *(same + 1);
}

std::uint64_t RepeatedNames::hash(std::string_view name) const {
  const auto& [first, second] = *secret_;
  std::uint64_t state = first ^ name.size();
  while (name.size() > 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data(), sizeof word);
    state = mix(state ^ word, second);
    name.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, name.data(), name.size());
  return mix(mix(state ^ word, second), first);
}

}  // namespace bartizan
