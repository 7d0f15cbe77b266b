#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace bartizan {

/// A list of at most `kSize` plain values, without memory of its own and without clearing what it
/// does not use.
template <class Value, std::size_t kSize>
class BoundedList {
  static_assert(std::is_trivially_default_constructible_v<Value>);

 public:
  BoundedList() = default;
  /// Copies what is there, and not the room for more.
  BoundedList(const BoundedList& other) : size_(other.size_) {
    std::copy_n(other.values_.begin(), size_, values_.begin());
  }
  BoundedList& operator=(const BoundedList& other) {
    size_ = other.size_;
    std::copy_n(other.values_.begin(), size_, values_.begin());
    return *this;
  }

  /// False where there is no room.
  [[nodiscard]] bool push_back(const Value& value) {
    if (size_ == kSize) return false;
    values_[size_++] = value;
    return true;
  }
  /// Keeps the first `size`, which are there.
  void shrink(std::size_t size) { size_ = size; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Value& operator[](std::size_t index) { return values_[index]; }
  const Value& operator[](std::size_t index) const { return values_[index]; }
  const Value* begin() const { return values_.data(); }
  const Value* end() const { return values_.data() + size_; }

 private:
  std::array<Value, kSize> values_;
  std::size_t size_ = 0;
};

}  // namespace bartizan
