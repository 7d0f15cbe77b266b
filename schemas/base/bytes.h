#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// Spare bytes after a message, which the JSON parser may read (never use) past the end.
/// Source: simdjson 3.0, SIMDJSON_PADDING.
inline constexpr std::size_t kJsonPadding = 64;

/// A half-open range of offsets into one message.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  std::string_view of(std::string_view bytes) const { return bytes.substr(begin, end - begin); }
  bool operator==(const ByteRange&) const = default;
};

/// Owned bytes of one message, followed by spare bytes that the JSON parser may read.
///
/// Cost: one allocation; moving costs none. The text is a `std::string`, whose reserved capacity is
///       the padding.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string_view text) { assign(text); }
  explicit Bytes(const char* text) : Bytes(std::string_view(text)) {}
  explicit Bytes(std::string&& text) : text_(std::move(text)) { pad(); }
  // A copied string keeps no spare capacity, so copies pad again. Moved strings keep theirs.
  Bytes(const Bytes& other) : Bytes(other.view()) {}
  Bytes& operator=(const Bytes& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  Bytes(Bytes&&) noexcept = default;
  Bytes& operator=(Bytes&&) noexcept = default;
  ~Bytes() = default;

  void assign(std::string_view text) {
    text_.reserve(text.size() + kJsonPadding);
    text_.assign(text);
  }
  void append(std::string_view text) {
    if (text_.capacity() < text_.size() + text.size() + kJsonPadding) {
      text_.reserve(2 * text_.capacity() + text.size() + kJsonPadding);
    }
    text_.append(text);
  }
  /// Appends `bytes` unspecified bytes, which the caller overwrites.
  std::span<char> extend(std::size_t bytes) {
    const std::size_t size = text_.size();
    text_.reserve(size + bytes + kJsonPadding);
    text_.resize_and_overwrite(size + bytes, [](char*, std::size_t all) { return all; });
    return {text_.data() + size, bytes};
  }
  /// Cuts the text off after `bytes` bytes.
  void truncate(std::size_t bytes) { text_.resize(bytes); }
  /// The number of bytes that fit without another allocation.
  std::size_t spare() const {
    const std::size_t taken = text_.size() + kJsonPadding;
    return text_.capacity() < taken ? 0 : text_.capacity() - taken;
  }
  /// Moves the text out, without a copy.
  std::string release() && { return std::move(text_); }
  /// Reserves room for `bytes` bytes in total.
  void reserve(std::size_t bytes) { text_.reserve(bytes + kJsonPadding); }
  void clear() { text_.clear(); }
  std::string_view view() const { return text_; }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }

 private:
  void pad() { text_.reserve(text_.size() + kJsonPadding); }

  std::string text_;
};

/// Bytes of one message that can no longer change. All holders share them in place: views stay
/// valid until the last holder ends.
///
/// Threads: any.
/// Cost:    one allocation; a copy counts a reference.
class SealedBytes {
 public:
  SealedBytes() = default;
  explicit SealedBytes(Bytes bytes) : bytes_(std::make_shared<const Bytes>(std::move(bytes))) {}

  std::string_view view() const { return bytes_ == nullptr ? std::string_view() : bytes_->view(); }
  std::size_t size() const { return view().size(); }
  bool empty() const { return view().empty(); }

 private:
  std::shared_ptr<const Bytes> bytes_;
};

}  // namespace bartizan
