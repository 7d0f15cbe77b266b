#include "policy/content/content_copies.h"

#include <algorithm>
#include <string_view>

#include "schemas/base/limits.h"
#include "schemas/json/json_equal.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr JsonLimits kCopyLimits{.bytes_max = limits::response_bytes_max,
                                 .values_max = limits::response_values_max,
                                 .numbers = JsonLimits::Numbers::keep_as_text};

bool has_members(JsonValue value) {
  return value.is(JsonType::object) || value.is(JsonType::array);
}

JsonValue text_of(JsonValue block) {
  const JsonValue text = block.find("text");
  return block.find("type").text() == "text" && text.is(JsonType::string) ? text : JsonValue();
}

bool may_be_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

/// Input: two equal values. Members of objects mostly have the same order. Otherwise they are
///        sorted, since there may be very many.
void ContentCopy::pair(JsonValue copied, JsonValue original) {
  if (!has_members(copied)) {
    values_.emplace_back(copied.range(), original);
    return;
  }
  const bool is_object = copied.is(JsonType::object);
  std::vector<JsonValue> sorted;
  auto element = original.begin();
  for (const JsonValue member : copied) {
    const bool is_next = element != original.end() && (*element).key() == member.key();
    if (!is_object || (sorted.empty() && is_next)) {
      pair(member, *element);
      ++element;
      continue;
    }
    if (sorted.empty()) {
      sorted.assign(original.begin(), original.end());
      std::ranges::sort(sorted, {}, &JsonValue::key);
    }
    pair(member, *std::ranges::lower_bound(sorted, member.key(), {}, &JsonValue::key));
  }
}

std::vector<JsonValue> ContentCopy::originals_of(ByteRange part) const {
  std::vector<JsonValue> originals;
  auto value = std::ranges::upper_bound(values_, part.begin, {},
                                        [](const auto& one) { return one.first.begin; });
  if (value != values_.begin() && std::prev(value)->first.end > part.begin) --value;
  for (; value != values_.end() && value->first.begin < part.end; ++value)
    originals.push_back(value->second);
  return originals;
}

std::vector<ContentCopy> find_copies(JsonValue result) {
  std::vector<ContentCopy> copies;
  const JsonValue original = result.find("structuredContent");
  if (!original.is(JsonType::object)) return copies;
  std::size_t block = 0;
  for (const JsonValue one : result.find("content")) {
    const std::size_t number = block++;
    const JsonValue text = text_of(one);
    if (!text || !may_be_object(text.text())) continue;
    ContentCopy copy;
    copy.block_ = number;
    copy.text_ = text;
    copy.bytes_ = std::make_unique<Bytes>(text.text());
    copy.document_ = std::make_unique<JsonDocument>();
    const Result<JsonValue> root = copy.document_->read(*copy.bytes_, kCopyLimits);
    StepBudget budget{limits::schema_steps_max};
    if (!root.has_value() || !is_equal(*root, original, budget)) continue;
    copy.pair(*root, original);
    copies.push_back(std::move(copy));
  }
  return copies;
}

std::optional<std::string> with_copies(JsonValue message, JsonValue result,
                                       const std::vector<std::size_t>& blocks) {
  const JsonValue original = result.find("structuredContent");
  const std::string_view bytes = message.raw();
  const std::size_t bytes_begin = message.range().begin;
  std::string left;
  std::size_t at = 0;
  std::size_t block = 0;
  for (const JsonValue one : result.find("content")) {
    const bool is_copy = std::ranges::find(blocks, block++) != blocks.end();
    const JsonValue text = is_copy ? text_of(one) : JsonValue();
    if (!text || text.text() == original.raw()) continue;
    const ByteRange range = text.range();
    left.append(bytes, at, range.begin - bytes_begin - at);
    left += json_string(original.raw());
    at = range.end - bytes_begin;
  }
  if (at == 0) return std::nullopt;
  left.append(bytes.substr(at));
  return left;
}

}  // namespace bartizan
