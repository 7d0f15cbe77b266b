#include "schemas/base/name_table.h"

#include <algorithm>
#include <bit>

#include "schemas/base/word_at.h"

namespace bartizan {
namespace {

/// A probe this long cannot happen by chance in a table that is at most half full.
constexpr std::size_t kProbesMax = 64;
constexpr std::size_t kSlotsMin = 8;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// The last bytes of a name as a word. For a shorter name, all of its bytes in some order.
std::uint64_t last_word(std::string_view name) {
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  const char* const end = name.data() + name.size();
  if (name.size() >= kWordBytes) return word_at<std::uint64_t>(end - kWordBytes);
  if (name.size() >= kHalf) {
    return word_at<std::uint32_t>(name.data()) << 32 | word_at<std::uint32_t>(end - kHalf);
  }
  if (name.empty()) return 0;
  const auto byte = [name](std::size_t i) { return word_at<std::uint8_t>(name.data() + i); };
  return byte(0) << 16 | byte(name.size() / 2) << 8 | byte(name.size() - 1);
}

/// Whether two names with the same last word also have the same beginning.
bool begins_with(std::string_view name, const char* begin) {
  for (std::size_t at = 0; at + kWordBytes < name.size(); at += kWordBytes) {
    const auto word = word_at<std::uint64_t>(name.data() + at);
    if (word != word_at<std::uint64_t>(begin + at)) return false;
  }
  return true;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint32_t NameTable::find(std::string_view name) const {
  if (name.size() > longest_) return kNone;
  if (slots_.empty()) return bisect(name);
  const std::uint64_t last = last_word(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash(name, last) & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == kNone) return kNone;
    const bool is_alike = slot.last == last && slot.size == name.size();
    if (is_alike && begins_with(name, slot.begin)) return slot.number;
  }
}

std::uint32_t NameTable::insert(std::string_view name) {
  const std::uint32_t known = find(name);
  if (known != kNone) return known;
  const std::uint32_t number = size();
  names_.push_back(name);
  longest_ = std::max(longest_, name.size());
  if (!sorted_.empty()) {
    sorted_.emplace(name, number);
  } else if (slots_.size() < 2 * names_.size() || !place(number)) {
    rehash();
  }
  return number;
}

std::size_t NameTable::memory() const {
  constexpr std::size_t kNodeBytes = 64;
  return names_.size() * sizeof(std::string_view) + slots_.size() * sizeof(Slot) +
         sorted_.size() * kNodeBytes;
}

/// The last word overlaps the one before, so that it needs no separate loop.
std::uint64_t NameTable::hash(std::string_view name, std::uint64_t last) const {
  std::uint64_t state = name.size() ^ multiplier_;
  for (std::size_t at = 0; at + kWordBytes < name.size(); at += kWordBytes)
    state = mix(state ^ word_at<std::uint64_t>(name.data() + at), multiplier_);
  return mix(state ^ last, multiplier_);
}

void NameTable::rehash() {
  slots_.assign(std::bit_ceil(std::max(kSlotsMin, 2 * names_.size())), Slot{});
  for (std::uint32_t number = 0; number < size(); ++number) {
    if (place(number)) continue;
    slots_.clear();
    for (std::uint32_t i = 0; i < size(); ++i)
      sorted_.emplace(names_[i], i);
    return;
  }
}

bool NameTable::place(std::uint32_t number) {
  const std::string_view name = names_[number];
  const std::uint64_t last = last_word(name);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(name, last) & mask;
  for (std::size_t probes = 0; slots_[at].number != kNone; at = (at + 1) & mask) {
    if (++probes > kProbesMax) return false;
  }
  slots_[at] = {.last = last,
                .begin = name.data(),
                .size = static_cast<std::uint32_t>(name.size()),
                .number = number};
  return true;
}

std::uint32_t NameTable::bisect(std::string_view name) const {
  const auto found = sorted_.find(name);
  return found == sorted_.end() ? kNone : found->second;
}

}  // namespace bartizan
