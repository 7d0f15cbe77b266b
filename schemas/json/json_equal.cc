#include "schemas/json/json_equal.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "schemas/json/json_decimal.h"

namespace bartizan {
namespace {

/// Up to this many elements or members are compared in pairs.
constexpr std::size_t kFew = 16;

struct Member {
  std::string_view key;
  JsonValue value;
};

std::vector<Member> sorted_members(JsonValue object) {
  std::vector<Member> members;
  for (const JsonValue value : object)
    members.push_back({value.key(), value});
  std::ranges::sort(members, {}, &Member::key);
  return members;
}

bool has_equal_members(JsonValue left, JsonValue right, StepBudget& budget) {
  const std::vector<Member> ours = sorted_members(left);
  const std::vector<Member> theirs = sorted_members(right);
  return std::ranges::equal(ours, theirs, [&](const Member& one, const Member& other) {
    return one.key == other.key && is_equal(one.value, other.value, budget);
  });
}

/// The number of children of both; nothing if the numbers differ. Stops at the end of the shorter
/// one.
std::optional<std::size_t> common_size(JsonValue left, JsonValue right) {
  std::size_t size = 0;
  JsonValue::Iterator other = right.begin();
  for (JsonValue::Iterator one = left.begin(); one != left.end(); ++one, ++other, ++size) {
    if (other == right.end()) return std::nullopt;
  }
  return other == right.end() ? std::optional(size) : std::nullopt;
}

bool is_equal_object(JsonValue left, JsonValue right, StepBudget& budget) {
  const std::optional<std::size_t> common = common_size(left, right);
  if (!common.has_value()) return false;
  const std::size_t size = *common;
  // Both are sorted, and each member takes part in several comparisons.
  if (!budget.take(size > kFew ? 8 * size : size)) return false;
  if (size > kFew) return has_equal_members(left, right, budget);
  return std::ranges::all_of(left, [&](JsonValue member) {
    const JsonValue other = right.find(member.key());
    return other && is_equal(member, other, budget);
  });
}

bool is_equal_array(JsonValue left, JsonValue right, StepBudget& budget) {
  JsonValue::Iterator other = right.begin();
  for (const JsonValue element : left) {
    if (other == right.end() || !is_equal(element, *other, budget)) return false;
    ++other;
  }
  return other == right.end();
}

bool is_equal_number(JsonValue left, JsonValue right, StepBudget& budget) {
  if (left.raw() == right.raw()) return true;
  if (!budget.take((left.raw().size() + right.raw().size()) / kBytesPerStep)) return false;
  return compare(JsonDecimal(left.raw()), JsonDecimal(right.raw())) == 0;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_number(std::string_view token) {
  const JsonDecimal decimal(token);
  std::uint64_t hash = decimal.is_negative() ? 3 : 5;
  if (decimal.is_zero()) return hash;
  hash = mix(hash, static_cast<std::uint64_t>(decimal.scale()));
  for (std::size_t i = 0; i < decimal.size(); ++i)
    hash = hash * 31 + static_cast<unsigned char>(decimal.digit(i));
  return hash;
}

/// Equal values have equal hashes.
std::uint64_t hash_of(JsonValue value, StepBudget& budget) {
  // Values below a container take their own steps. Names count with their values.
  const bool is_container = value.is(JsonType::object) || value.is(JsonType::array);
  const std::size_t bytes = value.key().size() + (is_container ? 0 : value.raw().size());
  if (!budget.take(1 + bytes / kBytesPerStep)) return 0;
  const auto text_hash = std::hash<std::string_view>{};
  std::uint64_t hash = static_cast<std::uint64_t>(value.type()) + 1;
  switch (value.type()) {
    case JsonType::object:
      // A sum, because the order of members has no meaning.
      for (const JsonValue member : value)
        hash += mix(text_hash(member.key()), hash_of(member, budget));
      return hash;
    case JsonType::array:
      for (const JsonValue element : value)
        hash = mix(hash, hash_of(element, budget));
      return hash;
    case JsonType::number:
      return mix(hash, hash_number(value.raw()));
    case JsonType::string:
      return mix(hash, text_hash(value.text()));
    case JsonType::boolean:
      return mix(hash, *value.boolean() ? 1 : 2);
    case JsonType::null:
      return hash;
  }
  return hash;
}

bool has_unique_few(JsonValue array, StepBudget& budget) {
  for (JsonValue::Iterator one = array.begin(); one != array.end(); ++one) {
    JsonValue::Iterator other = one;
    for (++other; other != array.end(); ++other)
      if (is_equal(*one, *other, budget)) return false;
  }
  return !budget.is_spent();
}

struct Hashed {
  std::uint64_t hash;
  JsonValue value;
};

}  // namespace

bool is_equal(JsonValue left, JsonValue right, StepBudget& budget) {
  if (left.type() != right.type() || !budget.take()) return false;
  switch (left.type()) {
    case JsonType::object:
      return is_equal_object(left, right, budget);
    case JsonType::array:
      return is_equal_array(left, right, budget);
    case JsonType::number:
      return is_equal_number(left, right, budget);
    case JsonType::string:
      return budget.take(left.raw().size() / kBytesPerStep) && left.text() == right.text();
    case JsonType::boolean:
      return left.boolean() == right.boolean();
    case JsonType::null:
      return true;
  }
  return false;
}

bool has_unique_elements(JsonValue array, StepBudget& budget) {
  const std::size_t size = array.size();
  if (size <= kFew) return has_unique_few(array, budget);
  std::vector<Hashed> elements;
  elements.reserve(size);
  for (const JsonValue value : array)
    elements.push_back({hash_of(value, budget), value});
  std::ranges::sort(elements, {}, &Hashed::hash);
  // Values with deliberately equal hashes are compared in pairs, at the expense of the caller's
  // budget.
  for (auto one = elements.begin(); one != elements.end(); ++one)
    for (auto other = one + 1; other != elements.end() && other->hash == one->hash; ++other)
      if (is_equal(one->value, other->value, budget) || budget.is_spent()) return false;
  return !budget.is_spent();
}

}  // namespace bartizan
