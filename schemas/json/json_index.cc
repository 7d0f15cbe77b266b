#include "schemas/json/json_index.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "schemas/base/ascii.h"
#include "schemas/base/byte_block.h"
#include "schemas/json/json_number.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Names and most values are shorter than this.
constexpr std::ptrdiff_t kShortString = 64;

/// The bits below the first set one; all bits without a set one.
constexpr std::uint64_t before_first(std::uint64_t hits) {
  return (hits & -hits) - 1;
}

/// The end of a string or its next escape, and a flag about the bytes before.
struct StringEnd {
  const char* at;
  std::uint64_t beyond;  ///< Not 0 if there was a byte beyond printing ASCII.
};

/// The first quote or backslash in the rest of a long string, or `end`.
[[gnu::always_inline]] inline StringEnd search_long_string(const char* at, const char* end) {
  const std::string_view text(at, end);
  std::uint64_t beyond = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += ByteBlock::kBytes) {
    const ByteBlock block(text, begin);
    const std::uint64_t hits = block.equal('"') | block.equal('\\');
    beyond |= (block.below(' ') | block.equal('\x7F')) & before_first(hits);
    if (hits != 0) return {at + begin + std::countr_zero(hits), beyond};
  }
  return {end, beyond};
}

[[gnu::noinline]] StringEnd find_long_string_end(const char* at, const char* end) {
  static const auto search = Widest<search_long_string, const char*, const char*>::choose();
  return search(at, end);
}

/// The first quote or backslash from `at` on, or `end`. Reads sixteen bytes at a time, whose last
/// may be padding, until the string turns out to be long.
[[gnu::always_inline]] inline StringEnd find_string_end(const char* at, const char* end) {
  using Bytes = ByteVector<16>;
  std::uint64_t beyond = 0;
  const char* const long_from = end - at > kShortString ? at + kShortString : end;
  for (; at < long_from; at += sizeof(Bytes)) {
    const Bytes bytes(at);
    const std::uint64_t hits = bytes.equal('"') | bytes.equal('\\');
    beyond |= (bytes.below(' ') | bytes.equal('\x7F')) & before_first(hits);
    if (hits != 0) return {std::min(at + std::countr_zero(hits), end), beyond};
  }
  if (long_from == end) return {end, beyond};
  const StringEnd rest = find_long_string_end(at, end);
  return {rest.at, beyond | rest.beyond};
}

/// The position after the escape at `escape`, or the end if that cuts it.
inline const char* skip_escape(const char* escape, const char* end) {
  return end - escape < 2 ? end : escape + 2;
}

inline bool is_blank(char c) {
  return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
}

}  // namespace

std::string_view JsonIndex::unusual_key(const JsonNode& node) const {
  if (node.has_escaped_key) return decoded_text(node.decoded);
  const ByteRange range = key_range(node);
  if (range.size() < 2) return {};
  return {bytes.data() + range.begin + 1, range.size() - 2};
}

ByteRange JsonIndex::long_key_range(const JsonNode& node) const {
  const char* const end = bytes.data() + bytes.size();
  const char* at = find_string_end(bytes.data() + node.key + 1, end).at;
  while (at < end && *at == '\\')
    at = find_string_end(skip_escape(at, end), end).at;
  return {node.key, static_cast<std::size_t>(at + 1 - bytes.data())};
}

std::string_view JsonIndex::decoded_text(std::uint32_t entry) const {
  return std::string_view(text).substr(decoded[entry].begin, decoded[entry].size);
}

std::size_t JsonIndex::capacity() const {
  return nodes.capacity() * sizeof(JsonNode) + decoded.capacity() * sizeof(Decoded) +
         text.capacity();
}

/// One run of an indexer: a cursor that moves over the bytes once. Steps return whether the
/// document may continue. The first that returns false leaves the error.
///
/// With a checked grammar, it gives up at any text that is not plain, or not JSON.
///
/// Steps are inlined into `run` by force, and no code takes the cursor's address. So its members
/// stay in registers, which halves the time.
template <JsonGrammar kGrammar>
class JsonIndexing {
 public:
  JsonIndexing(JsonIndexer& indexer, JsonIndex& index, const JsonLimits& limits)
      : indexer_(indexer),
        index_(index),
        values_max_(limits.values_max),
        depth_max_(limits.depth_max),
        begin_(index.bytes.data()),
        end_(begin_ + index.bytes.size()),
        at_(begin_) {}

  Result<void> run() {
    read();
    index_.is_plain = beyond_ == 0;
    if (sentence_ == nullptr) return {};
    return fail(code_, Fault::client, sentence_, std::int64_t{flaw_});
  }

  /// Whether the whole text is JSON and plain.
  bool accept() {
    if (!read()) return false;
    skip_blanks();
    index_.is_plain = at_ == end_ && indexer_.open_.empty() && beyond_ == 0;
    return index_.is_plain;
  }

 private:
  using Frame = JsonIndexer::Frame;
  static constexpr bool kIsChecked = kGrammar == JsonGrammar::checked;

  /// Reads a value, and all that follows up to the end of its containers. False after an error.
  [[gnu::always_inline]] bool read() {
    while (at_ < end_ && value()) {
      if (awaits_value_) continue;
      if (!after_value()) return false;
      if (!awaits_value_) return true;
    }
    return false;
  }

  // The padding after the text is readable, so reading one byte needs no bound.
  [[gnu::always_inline]] void skip_blanks() {
    while (is_blank(*at_) && at_ < end_)
      ++at_;
  }
  [[gnu::always_inline]] std::uint32_t offset() const {
    return static_cast<std::uint32_t>(at_ - begin_);
  }

  [[gnu::always_inline]] bool value() {
    skip_blanks();
    awaits_value_ = false;
    if (index_.nodes.size() >= values_max_) return flawed(ErrorCode::json_size, "too many values");
    switch (*at_) {
      case '{':
        return open(JsonType::object);
      case '[':
        return open(JsonType::array);
      case '"':
        return string_value();
      case 't':
        return plain_value(JsonType::boolean, "true");
      case 'f':
        return plain_value(JsonType::boolean, "false");
      case 'n':
        return plain_value(JsonType::null, "null");
      default:
        return plain_value(JsonType::number, {});
    }
  }

  [[gnu::always_inline]] bool string_value() {
    JsonNode& node = push(JsonType::string);
    node.has_escaped_text = string();
    if (node.has_escaped_text && !node.has_escaped_key) node.decoded = newest_decoded();
    close(node);
    return !kIsChecked || beyond_ == 0;
  }

  [[gnu::always_inline]] bool plain_value(JsonType type, std::string_view word) {
    JsonNode& node = push(type);
    const char* const begin = at_;
    while (at_ < end_ && *at_ > ' ' && *at_ != ',' && *at_ != '}' && *at_ != ']')
      ++at_;
    close(node);
    if (!kIsChecked) return true;
    const std::string_view token(begin, at_);
    return word.empty() ? is_usual_number(token) : token == word;
  }

  /// Digits that fit every reader's integers.
  static bool is_small_count(std::string_view token) {
    constexpr std::size_t kSmall = 15;
    if (token.empty() || token.size() > kSmall) return false;
    if (token.front() == '0') return token.size() == 1;
    return std::ranges::all_of(token, is_digit);
  }

  /// Whether it is a JSON number that fits a double, perhaps rounded.
  static bool is_usual_number(std::string_view token) {
    if (is_small_count(token)) return true;
    return !token.empty() && json_number_size(token) == token.size() && !overflows_double(token);
  }

  [[gnu::always_inline]] bool open(JsonType type) {
    if (indexer_.open_.size() >= depth_max_) {
      return flawed(ErrorCode::json_depth, "nested too deeply");
    }
    JsonNode& node = push(type);
    ++at_;
    skip_blanks();
    if (*at_ == '}' || *at_ == ']') {
      if (kIsChecked && (at_ == end_ || *at_ != closing(type == JsonType::object))) return false;
      if (at_ < end_) ++at_;
      close(node);
      return true;
    }
    indexer_.open_.push_back(Frame{frame_});
    frame_ = {.node = node_count() - 1, .children = 0, .is_object = type == JsonType::object};
    return await_value();
  }

  static constexpr char closing(bool is_object) { return is_object ? '}' : ']'; }

  [[gnu::always_inline]] bool await_value() {
    awaits_value_ = true;
    return !frame_.is_object || name();
  }

  [[gnu::always_inline]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(index_.nodes.size());
  }

  /// Adds the value that begins here, under the last read name.
  [[gnu::always_inline]] JsonNode& push(JsonType type) {
    ++frame_.children;
    JsonNode& node = index_.nodes.emplace_back();
    node.begin = offset();
    node.type = type;
    if (!frame_.is_object) return node;
    node.key = key_;
    node.key_size =
        static_cast<std::uint16_t>(std::min(key_end_ - key_, std::uint32_t{JsonNode::kLongKey}));
    node.has_escaped_key = is_key_escaped_;
    if (is_key_escaped_) node.decoded = newest_decoded();
    return node;
  }

  [[gnu::always_inline]] void close(JsonNode& node) const {
    node.end = offset();
    node.next = node_count();
  }

  [[gnu::always_inline]] bool after_value() {
    while (!indexer_.open_.empty() && at_ < end_) {
      skip_blanks();
      if (kIsChecked && at_ == end_) return false;
      const char c = *at_;
      if (at_ < end_) ++at_;
      if (c == ',') return await_value();
      if (kIsChecked && c != closing(frame_.is_object)) return false;
      if (!close_container()) return false;
    }
    return true;
  }

  [[gnu::always_inline]] bool close_container() {
    close(index_.nodes[frame_.node]);
    const Frame closed = frame_;
    frame_ = indexer_.open_.back();
    indexer_.open_.pop_back();
    if (!closed.is_object || closed.children < 2) return true;
    const std::uint32_t repeated =
        indexer_.names_.find_repeated(index_, closed.node, closed.children);
    if (repeated == RepeatedNames::kNone) return true;
    at_ = begin_ + index_.nodes[repeated].key;
    return flawed(ErrorCode::json_duplicate_key, "a member name occurs twice");
  }

  [[gnu::always_inline]] bool name() {
    skip_blanks();
    if (kIsChecked && (at_ == end_ || *at_ != '"')) return false;
    key_ = offset();
    is_key_escaped_ = string();
    if (kIsChecked && beyond_ != 0) return false;
    key_end_ = offset();
    skip_blanks();
    if (kIsChecked && (at_ == end_ || *at_ != ':')) return false;
    if (at_ < end_) ++at_;  // The colon.
    return true;
  }

  /// Moves past a string. Returns whether it is escaped, in which case it is decoded.
  [[gnu::always_inline]] bool string() {
    const char* const begin = at_ + 1;
    StringEnd found = find_string_end(begin, end_);
    const bool is_escaped = found.at < end_ && *found.at == '\\';
    beyond_ |= found.beyond;
    if (is_escaped) {
      found = decode(index_, begin, found.at, end_);
      beyond_ |= found.beyond;
    }
    at_ = found.at;
    if (at_ < end_) {
      ++at_;  // The quote.
    } else {
      beyond_ |= 1;  // The string has no end.
    }
    return is_escaped;
  }

  /// Whether the escape may mean a character beyond printing ASCII.
  static bool may_be_beyond(const char* escape, const char* end) {
    constexpr std::string_view within = "nt\"\\";
    return end - escape < 2 || !within.contains(escape[1]);
  }

  /// Decodes the string from `begin` whose first escape is at `at`. Returns where it ends.
  static StringEnd decode(JsonIndex& index, const char* begin, const char* at, const char* end) {
    std::uint64_t beyond = 0;
    while (at < end && *at == '\\') {
      if (may_be_beyond(at, end)) beyond = 1;
      const StringEnd found = find_string_end(skip_escape(at, end), end);
      at = found.at;
      beyond |= found.beyond;
    }
    const std::size_t size = index.text.size();
    append_unescaped(index.text, std::string_view(begin, at));
    index.decoded.push_back(
        {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(index.text.size() - size)});
    return {at, beyond};
  }

  [[gnu::always_inline]] std::uint32_t newest_decoded() const {
    return static_cast<std::uint32_t>(index_.decoded.size() - 1);
  }

  [[gnu::always_inline]] bool flawed(ErrorCode code, const char* sentence) {
    code_ = code;
    sentence_ = sentence;
    flaw_ = offset();
    return false;
  }

  JsonIndexer& indexer_;
  JsonIndex& index_;
  const std::size_t values_max_;
  const std::size_t depth_max_;
  const char* const begin_;
  const char* const end_;
  const char* at_;
  Frame frame_{};  ///< The innermost open container; the outer ones are in `open_`.
  std::uint32_t key_ = JsonNode::kNoKey, key_end_ = 0;
  bool is_key_escaped_ = false;
  bool awaits_value_ = false;  ///< Whether a value must come next.
  std::uint64_t beyond_ = 0;   ///< Not 0 after a string that is not plain.
  ErrorCode code_{};
  const char* sentence_ = nullptr;
  std::uint32_t flaw_ = 0;
};

void JsonIndexer::begin(JsonIndex& index, std::string_view bytes) {
  index.bytes = bytes;
  index.nodes.clear();
  index.decoded.clear();
  index.text.clear();
  open_.clear();
}

Result<void> JsonIndexer::run(JsonIndex& index, std::string_view bytes, const JsonLimits& limits) {
  begin(index, bytes);
  return JsonIndexing<JsonGrammar::trusted>(*this, index, limits).run();
}

bool JsonIndexer::accept(JsonIndex& index, std::string_view bytes, const JsonLimits& limits) {
  begin(index, bytes);
  return JsonIndexing<JsonGrammar::checked>(*this, index, limits).accept();
}

std::size_t JsonIndexer::capacity() const {
  return open_.capacity() * sizeof(Frame) + names_.capacity();
}

}  // namespace bartizan
