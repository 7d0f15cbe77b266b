#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"
#include "schemas/base/limits.h"
#include "schemas/base/result.h"

namespace bartizan {

enum class JsonType : std::uint8_t { object, array, string, number, boolean, null };

struct JsonIndex;

/// One value of an accepted document. It is a cheap handle that is copied freely. It is false if it
/// refers to no value.
///
/// If the handle is absent, or the value has another type, every accessor reports an absent value.
/// Nothing throws.
/// Lifetime: until its document reads again or ends, and while the bytes that it read exist.
///           Handles stay valid when the document is moved.
class JsonValue {
 public:
  JsonValue() = default;

  explicit operator bool() const { return index_ != nullptr; }
  /// The value's type; `null` for an absent handle.
  JsonType type() const;
  bool is(JsonType type) const { return index_ != nullptr && this->type() == type; }

  /// The value's exact bytes in the message, and their range.
  std::string_view raw() const;
  ByteRange range() const;

  /// Its unescaped name in its object. Empty for elements and the root.
  std::string_view key() const;
  /// The range of the quoted name in the message, with its quotes.
  ByteRange key_range() const;

  /// A string's value, unescaped.
  std::string_view text() const;
  /// Whether all strings of the document, names included, are printing ASCII. Allowed escapes are
  /// those of a line feed, a tab, a quote and a backslash. Such strings can hide nothing.
  /// Cost: none, reading the document determined it.
  bool is_of_plain_text() const;
  /// The value of a number without fraction that fits an int64: `1`, and also `1.0` and `1e0`.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  /// The member with that unescaped name, or nothing.
  /// Cost: one pass over the members.
  JsonValue find(std::string_view member) const;
  /// The value that an RFC 6901 pointer selects, or nothing. `""` selects the value itself.
  JsonValue at_pointer(std::string_view pointer) const;

  /// Members or elements, in the order of the message.
  /// Cost: `size` counts them in one pass.
  std::size_t size() const;
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  /// The value itself and all values below it, in the order of the message.
  class Within;
  Within within() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonIndex* index, std::uint32_t node) : index_(index), node_(node) {}
  std::uint32_t next() const;

  const JsonIndex* index_ = nullptr;
  std::uint32_t node_ = 0;
};

/// The bounds of a document.
struct JsonLimits {
  std::size_t bytes_max = limits::request_bytes_max;
  std::size_t values_max = limits::request_values_max;
  std::size_t depth_max = limits::json_depth_max;  ///< At most 1023.
  /// What to do with numbers that are too large for a double. In a request such a number is
  /// refused, because readers disagree about it. In a server's response it passes as text, and
  /// `number()` is empty.
  enum class Numbers : std::uint8_t {
    refuse_unrepresentable,
    keep_as_text
  } numbers = Numbers::refuse_unrepresentable;
};

/// Limits for messages of servers.
inline constexpr JsonLimits kResponseLimits{.bytes_max = limits::response_bytes_max,
                                            .values_max = limits::response_values_max,
                                            .numbers = JsonLimits::Numbers::keep_as_text};

/// Reads one JSON text strictly. A worker leases it, so that its memory is used again.
///
/// Plain ASCII is read in one pass by the gateway's own reader. Other texts take two passes. First
/// simdjson checks that the text is JSON (RFC 8259, valid UTF-8, nothing after it). Then the own
/// reader refuses duplicate keys and excessive depth, and indexes the range of each value. So the
/// judged bytes can be forwarded and spliced unchanged.
///
/// Errors:   json_* codes, fault client, with the offset of the first offending byte.
/// Cost:     about 0.3 µs for 350 B, 1.4 µs for 64 KiB; 24 B of index for each value.
/// Threads:  one at a time.
/// Source:   RFC 8259 §4, §8.1; RFC 7493 §2.3 (unique names).
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  /// Reads `bytes`, which must outlive every handle. Earlier handles become invalid.
  Result<JsonValue> read(const Bytes& bytes, const JsonLimits& limits = {});
  JsonValue root() const;
  /// The bytes that were last read. Empty if they were refused.
  std::string_view bytes() const;
  /// Releases the memory that only reading needs. Handles stay valid. For a document that is read
  /// once.
  void trim();
  /// Bytes of memory that are held for the next read. A worker drops a document that grew large.
  std::size_t capacity() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

class JsonValue::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = JsonValue;
  using difference_type = std::ptrdiff_t;
  using pointer = const JsonValue*;
  using reference = JsonValue;

  Iterator() = default;
  JsonValue operator*() const { return value_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return value_.node_ == other.value_.node_; }

 private:
  friend class JsonValue;
  explicit Iterator(JsonValue value) : value_(value) {}
  JsonValue value_;
};

/// Cost: one increment per step, because values are in memory in this order.
class JsonValue::Within {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = JsonValue;
    using difference_type = std::ptrdiff_t;
    using pointer = const JsonValue*;
    using reference = JsonValue;

    Iterator() = default;
    JsonValue operator*() const { return value_; }
    Iterator& operator++() {
      ++value_.node_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return value_.node_ == other.value_.node_; }

   private:
    friend class Within;
    explicit Iterator(JsonValue value) : value_(value) {}
    JsonValue value_;
  };

  Iterator begin() const { return Iterator(root_); }
  Iterator end() const {
    return root_ ? Iterator(JsonValue(root_.index_, root_.next())) : Iterator(root_);
  }

 private:
  friend class JsonValue;
  explicit Within(JsonValue root) : root_(root) {}
  JsonValue root_;
};

inline JsonValue::Within JsonValue::within() const {
  return Within(*this);
}

/// Appends `text` as a quoted JSON string. Escapes `"`, `\` and control characters, and keeps
/// UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace bartizan
