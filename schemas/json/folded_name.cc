#include "schemas/json/folded_name.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace bartizan {
namespace {

/// Up to this many comparisons of one object's names, pairs are cheaper than sorting.
constexpr std::size_t kFewComparisons = 256;

bool is_ascii_folded(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte != 0 && byte < 0x80 && (byte < 'A' || byte > 'Z');
}

/// The folded code points of a name, one after the other, and 0 at its end.
class FoldedPoints {
 public:
  explicit FoldedPoints(std::string_view name) : name_(name) {}

  char32_t next() {
    if (at_ == name_.size()) return 0;
    const auto byte = static_cast<unsigned char>(name_[at_]);
    if (byte < 0x80) {
      ++at_;
      return byte >= 'A' && byte <= 'Z' ? byte + char32_t{'a' - 'A'} : byte;
    }
    return next_beyond_ascii();
  }

 private:
  char32_t next_beyond_ascii() {
    constexpr UChar32 kDottedCapital = 0x130, kDotlessSmall = 0x131;
    const char* const text = name_.data();
    auto at = static_cast<std::int64_t>(at_);
    const auto size = static_cast<std::int64_t>(name_.size());
    UChar32 point = 0;
    U8_NEXT(text, at, size, point);
    at_ = static_cast<std::size_t>(at);
    if (point == kDottedCapital || point == kDotlessSmall) return 'i';
    // Invalid UTF-8 cannot occur here.
    return point < 0 ? 0xFFFD : static_cast<char32_t>(u_foldCase(point, U_FOLD_CASE_DEFAULT));
  }

  std::string_view name_;
  std::size_t at_ = 0;
};

void append_point(std::string& out, char32_t point) {
  std::uint8_t bytes[U8_MAX_LENGTH] = {};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<UChar32>(point));
  for (std::size_t i = 0; i < size; ++i)
    out += static_cast<char>(bytes[i]);
}

/// The order of folded forms.
int compare_folded(std::string_view one, std::string_view other) {
  FoldedPoints left(one), right(other);
  while (true) {
    const char32_t a = left.next();
    const char32_t b = right.next();
    if (a != b) return a < b ? -1 : 1;
    if (a == 0) return 0;
  }
}

/// Adds the pairs of one object with names that are not their own folded form.
void add_pairs(JsonValue object, std::size_t most, std::vector<FoldedPair>& pairs) {
  for (const JsonValue one : object) {
    if (is_folded(one.key())) continue;
    for (const JsonValue other : object) {
      if (pairs.size() >= most) return;
      const bool is_itself = other.key_range().begin == one.key_range().begin;
      // Two names that are both unfolded meet twice.
      const bool was_met =
          other.key_range().begin < one.key_range().begin && !is_folded(other.key());
      if (is_itself || was_met || !folds_alike(one.key(), other.key())) continue;
      const bool is_later = other.key_range().begin > one.key_range().begin;
      pairs.push_back(is_later ? FoldedPair{one, other} : FoldedPair{other, one});
    }
  }
}

/// Adds the pairs of many names that fold alike: neighbours in the order of folded forms.
void add_sorted_pairs(JsonValue object, std::size_t most, std::vector<FoldedPair>& pairs) {
  std::vector<JsonValue> members(object.begin(), object.end());
  std::ranges::sort(members, [](JsonValue one, JsonValue other) {
    const int order = compare_folded(one.key(), other.key());
    return order != 0 ? order < 0 : one.key_range().begin < other.key_range().begin;
  });
  for (std::size_t i = 1; i < members.size() && pairs.size() < most; ++i) {
    if (folds_alike(members[i - 1].key(), members[i].key())) {
      pairs.push_back({members[i - 1], members[i]});
    }
  }
}

}  // namespace

bool is_folded(std::string_view name) {
  return std::ranges::all_of(name, is_ascii_folded);
}

std::string folded_name(std::string_view name) {
  std::string folded;
  folded.reserve(name.size());
  FoldedPoints points(name);
  for (char32_t point = points.next(); point != 0; point = points.next())
    append_point(folded, point);
  return folded;
}

bool folds_alike(std::string_view one, std::string_view other) {
  return compare_folded(one, other) == 0;
}

std::vector<FoldedPair> find_folded_pairs(JsonValue value, std::size_t most) {
  std::vector<FoldedPair> pairs;
  for (const JsonValue object : value.within()) {
    if (!object.is(JsonType::object)) continue;
    std::size_t members = 0, unfolded = 0;
    for (const JsonValue member : object) {
      ++members;
      if (!is_folded(member.key())) ++unfolded;
    }
    if (unfolded == 0 || members < 2) continue;  // No two names can be alike.
    if (unfolded * members <= kFewComparisons) {
      add_pairs(object, most, pairs);
    } else {
      add_sorted_pairs(object, most, pairs);
    }
    if (pairs.size() >= most) break;
  }
  return pairs;
}

}  // namespace bartizan
