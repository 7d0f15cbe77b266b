#include "audit/series_table.h"

#include <algorithm>
#include <bit>

#include "schemas/base/word_at.h"

namespace bartizan {
namespace {

constexpr std::size_t kSlotsMin = 8;

// The first and last bytes of a text; the whole text if it has at most eight.
std::uint64_t ends_of(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.size() >= 8) {
    return word_at<std::uint64_t>(text.data()) ^ std::rotl(word_at<std::uint64_t>(end - 8), 32);
  }
  if (text.size() >= 4) {
    return word_at<std::uint32_t>(text.data()) | word_at<std::uint32_t>(end - 4) << 32;
  }
  std::uint64_t word = 0;
  for (const char c : text)
    word = word << 8 | static_cast<unsigned char>(c);
  return word;
}

// Hashes the beginning, the end and the length of each label, which differ in almost all labels of
// a family. A peer that makes labels collide gains little: a family is bounded, so the longest
// search compares as many words as it has series.
std::uint64_t hash_of(Labels labels) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = labels.size();
  for (const std::string_view label : labels) {
    hash = (hash ^ label.size()) * kFactor;
    hash = (hash ^ ends_of(label)) * kFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Compares most labels, which are short, without a call.
bool is_same(std::string_view a, std::string_view b) {
  constexpr std::size_t kByTheirEnds = 16;
  if (a.size() != b.size()) return false;
  if (a.size() < 8) return ends_of(a) == ends_of(b);
  if (a.size() > kByTheirEnds) return a == b;
  const std::size_t last = a.size() - 8;
  return word_at<std::uint64_t>(a.data()) == word_at<std::uint64_t>(b.data()) &&
         word_at<std::uint64_t>(a.data() + last) == word_at<std::uint64_t>(b.data() + last);
}

}  // namespace

std::uint32_t SeriesTable::find(Labels labels) const {
  if (slots_.empty()) return kNone;
  const std::uint64_t hash = hash_of(labels);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != kNone; slot = (slot + 1) & mask) {
    const Set& set = sets_[slots_[slot]];
    if (set.hash == hash && std::ranges::equal(set.labels, labels, is_same)) return slots_[slot];
  }
  return kNone;
}

std::uint32_t SeriesTable::insert(Labels labels) {
  const auto number = static_cast<std::uint32_t>(sets_.size());
  sets_.push_back({.hash = hash_of(labels), .labels = {labels.begin(), labels.end()}});
  if (2 * sets_.size() > slots_.size()) {
    grow();
  } else {
    place(number);
  }
  return number;
}

void SeriesTable::grow() {
  slots_.assign(std::max(kSlotsMin, 2 * slots_.size()), kNone);
  for (std::uint32_t number = 0; number < sets_.size(); ++number)
    place(number);
}

void SeriesTable::place(std::uint32_t number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = sets_[number].hash & mask;
  while (slots_[slot] != kNone)
    slot = (slot + 1) & mask;
  slots_[slot] = number;
}

}  // namespace bartizan
