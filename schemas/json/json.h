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

/// One value of an accepted document: a cheap handle, copied freely, falsy when it names nothing.
///
/// Every accessor of an absent handle, or of a value of another type, answers as if the value were
/// absent; nothing throws.
/// Lifetime: valid until its document reads again or ends, and while the bytes it was read from
///           live. Moving the document keeps handles valid.
class JsonValue {
 public:
  JsonValue() = default;

  explicit operator bool() const { return index_ != nullptr; }
  /// The value's type; `null` for an absent handle.
  JsonType type() const;
  bool is(JsonType type) const { return index_ != nullptr && this->type() == type; }

  /// The value's exact bytes in the message, and where they lie.
  std::string_view raw() const;
  ByteRange range() const;

  /// The name under which its object holds it, unescaped; empty for elements and the root.
  std::string_view key() const;
  /// The quoted name as it is spelled in the message, quotes included.
  ByteRange key_range() const;

  /// A string's value, unescaped.
  std::string_view text() const;
  /// Whether all strings of its document, names included, are of printing ASCII, with no escape but
  /// of a line feed, a tab, a quote or a backslash: nothing can be hidden in them. Cost: none, it
  /// was found out when the document was read.
  bool is_of_plain_text() const;
  /// The value of a number without fraction that an int64 holds: `1`, and also `1.0` and `1e0`.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  /// The member of that unescaped name, or nothing. Cost: one pass over the members.
  JsonValue find(std::string_view member) const;
  /// The value an RFC 6901 pointer selects, or nothing. `""` is the value itself.
  JsonValue at_pointer(std::string_view pointer) const;

  /// Members or elements, in the order of the message. Cost: `size` counts them in one pass.
  std::size_t size() const;
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  /// The value itself and all that is below it, in the order of the message.
  class Within;
  Within within() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonIndex* index, std::uint32_t node) : index_(index), node_(node) {}
  std::uint32_t next() const;

  const JsonIndex* index_ = nullptr;
  std::uint32_t node_ = 0;
};

/// What a document may at most be.
struct JsonLimits {
  std::size_t bytes_max = limits::request_bytes_max;
  std::size_t values_max = limits::request_values_max;
  std::size_t depth_max = limits::json_depth_max;  ///< At most 1023.
  /// Numbers that are too large for a double. A request that holds one is refused, since no two
  /// readers agree on it; in a server's answer it passes as text, and `number()` is empty.
  enum class Numbers : std::uint8_t {
    refuse_unrepresentable,
    keep_as_text
  } numbers = Numbers::refuse_unrepresentable;
};

/// Limits for what servers send.
inline constexpr JsonLimits kResponseLimits{.bytes_max = limits::response_bytes_max,
                                            .values_max = limits::response_values_max,
                                            .numbers = JsonLimits::Numbers::keep_as_text};

/// Strict reading of one JSON text. Leased by a worker, so that its memory is used again.
///
/// Plain ASCII is read in one pass of our own, anything else in two: simdjson decides whether it is
/// JSON (RFC 8259, valid UTF-8, nothing behind it); then ours refuses duplicate keys and depth, and
/// indexes where each value lies, so that what is judged can be forwarded and spliced as it stands.
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

  /// Reads `bytes`, which must outlive every handle; earlier handles end.
  Result<JsonValue> read(const Bytes& bytes, const JsonLimits& limits = {});
  JsonValue root() const;
  /// The bytes last read; empty when they were refused.
  std::string_view bytes() const;
  /// Gives back what only reading needs; handles stay valid. For a document that is read once.
  void trim();
  /// Memory held for the next read, in bytes; a worker drops a document that grew large.
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

/// Cost of a step: nothing is looked for, as values lie in memory in this order.
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

/// Appends `text` as a quoted JSON string: `"`, `\` and control characters escaped, UTF-8 kept.
void append_json_string(std::string& out, std::string_view text);

}  // namespace bartizan
