#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A text of a tool's result that repeats its `structuredContent` as JSON. Some clients read only
/// the one, some only the other.
///
/// Lifetime: views the result.
/// Source:   MCP 2025-11-25, server/tools, "Structured Content".
class ContentCopy {
 public:
  /// The index of its block of content, from 0, and its text.
  std::size_t block() const { return block_; }
  JsonValue text() const { return text_; }
  /// The values of the structured content that a part of the text repeats: strings, numbers and
  /// other values without children. Names of members are not included.
  std::vector<JsonValue> originals_of(ByteRange part) const;

 private:
  friend std::vector<ContentCopy> find_copies(JsonValue result);
  void pair(JsonValue copied, JsonValue original);

  std::size_t block_ = 0;
  JsonValue text_;
  std::unique_ptr<Bytes> bytes_;
  std::unique_ptr<JsonDocument> document_;
  std::vector<std::pair<ByteRange, JsonValue>> values_;  ///< By their places in the text.
};

/// The copies in a result. Cost: parses each text that begins as an object.
std::vector<ContentCopy> find_copies(JsonValue result);

/// The message with the structured content of `result`, a part of it, as the text of these blocks.
/// Nothing if the texts are that already.
std::optional<std::string> with_copies(JsonValue message, JsonValue result,
                                       const std::vector<std::size_t>& blocks);

}  // namespace bartizan
