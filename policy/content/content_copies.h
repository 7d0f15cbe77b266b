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

/// A text of a tool's result that says in JSON what its `structuredContent` says: the same for
/// clients that read the one and for those that read the other.
///
/// Lifetime: views the result.
/// Source:   MCP 2025-11-25, server/tools, "Structured Content".
class ContentCopy {
 public:
  /// The block of content that it is, counted from 0, and its text.
  std::size_t block() const { return block_; }
  JsonValue text() const { return text_; }
  /// What stands in a part of the text, names apart: the strings, numbers and other values of the
  /// structured content that have none within them.
  std::vector<JsonValue> originals_of(ByteRange part) const;

 private:
  friend std::vector<ContentCopy> find_copies(JsonValue result);
  void pair(JsonValue copied, JsonValue original);

  std::size_t block_ = 0;
  JsonValue text_;
  std::unique_ptr<Bytes> bytes_;
  std::unique_ptr<JsonDocument> document_;
  std::vector<std::pair<ByteRange, JsonValue>> values_;  ///< By where they stand in the text.
};

/// Those of a result. Cost: reads each text that begins as an object.
std::vector<ContentCopy> find_copies(JsonValue result);

/// The message with the structured content of `result`, a part of it, as the text of these blocks;
/// nothing where they are that already.
std::optional<std::string> with_copies(JsonValue message, JsonValue result,
                                       const std::vector<std::size_t>& blocks);

}  // namespace bartizan
