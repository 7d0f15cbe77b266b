#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace bartizan {

/// A list of at most `kSize` plain values, without heap memory. Unused elements are not
/// initialised.
template <class Value, std::size_t kSize>
class BoundedList {
  static_assert(std::is_trivially_default_constructible_v<Value>);

 public:
  BoundedList() = default;
  /// Copies only the used elements.
  BoundedList(const BoundedList& other) : size_(other.size_) {
    std::copy_n(other.values_.begin(), size_, values_.begin());
  }
  BoundedList& operator=(const BoundedList& other) {
    size_ = other.size_;
    std::copy_n(other.values_.begin(), size_, values_.begin());
    return *this;
  }

  /// False if the list is full.
  [[nodiscard]] bool push_back(const Value& value) {
    if (size_ == kSize) return false;
    values_[size_++] = value;
    return true;
  }
  /// Keeps the first `size` elements. Input: at most the present size.
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
