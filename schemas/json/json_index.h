#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/json/repeated_names.h"

namespace bartizan {

/// One value of an accepted document. Nodes are in the order of the text, so a container's children
/// follow it.
struct JsonNode {
  static constexpr std::uint32_t kNoKey = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint16_t kLongKey = std::numeric_limits<std::uint16_t>::max();

  std::uint32_t begin = 0, end = 0;  ///< Bytes of the value.
  std::uint32_t key = kNoKey;        ///< Offset of the quoted name.
  std::uint32_t next = 0;            ///< Index after the subtree.
  /// First of up to two entries of `decoded`: that of an escaped name, then that of the value.
  std::uint32_t decoded = 0;
  std::uint16_t key_size = 0;  ///< With quotes; `kLongKey` means that the name must be read again.
  JsonType type = JsonType::null;
  bool has_escaped_key : 1 = false;
  bool has_escaped_text : 1 = false;
};
static_assert(sizeof(JsonNode) == 24);

/// The range of every value of a document, and the values of its escaped strings.
///
/// Strings without escapes are views of the message. Decoded ones are consecutive in `text`, which
/// grows during reading, so offsets address them.
struct JsonIndex {
  struct Decoded {
    std::uint32_t begin, size;
  };

  std::string_view bytes;
  bool is_plain = false;  ///< See `JsonValue::is_of_plain_text`.
  std::vector<JsonNode> nodes;
  std::vector<Decoded> decoded;
  std::string text;

  // Short and on the hot path of every look-up, so they are inline.
  /// The node of a handle. It always exists, so there is no bounds check: the library's own check
  /// would divide by the size of a node at each access.
  const JsonNode& node(std::uint32_t number) const { return nodes.data()[number]; }
  ByteRange key_range(const JsonNode& node) const {
    if (node.key == JsonNode::kNoKey) return {};
    if (node.key_size == JsonNode::kLongKey) return long_key_range(node);
    return {node.key, node.key + std::size_t{node.key_size}};
  }
  std::string_view key(const JsonNode& node) const {
    constexpr unsigned kQuotes = 2;
    const bool is_short = node.key_size >= kQuotes && node.key_size != JsonNode::kLongKey;
    if (!is_short || node.has_escaped_key) return unusual_key(node);
    return {bytes.data() + node.key + 1, node.key_size - std::size_t{kQuotes}};
  }
  /// The value of a string node.
  std::string_view string(const JsonNode& node) const {
    if (node.has_escaped_text) return decoded_text(node.decoded + (node.has_escaped_key ? 1U : 0U));
    return {bytes.data() + node.begin + 1, node.end - node.begin - std::size_t{2}};
  }
  std::size_t capacity() const;

  /// Also handles a value without a name.
  std::string_view unusual_key(const JsonNode& node) const;
  ByteRange long_key_range(const JsonNode& node) const;
  std::string_view decoded_text(std::uint32_t entry) const;
};

/// Whether simdjson has already accepted the bytes.
enum class JsonGrammar : std::uint8_t { trusted, checked };

/// Fills an index, from bytes that simdjson accepted or from unchecked plain ones. One object
/// serves many documents, so that its memory is used again.
///
/// Its own rules are duplicate names, depth and the number of values.
class JsonIndexer {
 public:
  /// Fills an index from bytes that simdjson accepted.
  ///
  /// Input:  `bytes` are followed by `kJsonPadding` readable bytes.
  /// Errors: json_duplicate_key, json_depth, json_size, with the offset of the second name or of
  ///         the value that exceeds a limit.
  /// Cost:   one pass.
  Result<void> run(JsonIndex& index, std::string_view bytes, const JsonLimits& limits);

  /// Fills an index from unchecked bytes. True for the usual message: JSON of plain text
  /// (`JsonValue::is_of_plain_text`), within the limits, without duplicate names and without
  /// numbers beyond a double. False for all other bytes, JSON or not. The index must then be filled
  /// again.
  ///
  /// Input: not empty, and followed by `kJsonPadding` readable bytes.
  /// Cost:  one pass, up to the first unusual byte. A text whose last string is not plain is read
  ///        twice, which nearly doubles the time.
  bool accept(JsonIndex& index, std::string_view bytes, const JsonLimits& limits);

  std::size_t capacity() const;

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t children = 0;
    bool is_object = false;
  };

  template <JsonGrammar kGrammar>
  friend class JsonIndexing;
  void begin(JsonIndex& index, std::string_view bytes);

  std::vector<Frame> open_;
  RepeatedNames names_;
};

}  // namespace bartizan
