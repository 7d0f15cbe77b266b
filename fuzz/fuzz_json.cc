#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "schemas/json/json.h"
#include "schemas/json/json_scan.h"

/// What JsonDocument accepts, it must also have placed right: the bytes of every range, read alone,
/// are the same value again, and a string's decoded form survives being encoded and read. In one
/// that it holds for plain no string has anything but printing ASCII, line feeds and tabs.

namespace {

using namespace bartizan;

void compare(JsonValue a, JsonValue b) {
  require(a.type() == b.type() && a.raw() == b.raw() && a.text() == b.text());
  require(a.integer() == b.integer() && a.number() == b.number() && a.boolean() == b.boolean());
  require(a.size() == b.size());
  auto other = b.begin();
  for (const JsonValue child : a) {
    require(child.key() == (*other).key());
    compare(child, *other);
    ++other;
  }
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= ' ' && c < '\x7F') || c == '\n' || c == '\t'; });
}

void check_string(std::string_view text, JsonDocument& scratch) {
  std::string quoted;
  append_json_string(quoted, text);
  const Bytes bytes(std::move(quoted));
  const Result<JsonValue> again = scratch.read(bytes, kResponseLimits);
  require(again.has_value() && again->text() == text);
}

void check_members(JsonValue object, std::string_view bytes, JsonDocument& scratch) {
  std::set<std::string_view> names;
  for (const JsonValue member : object) {
    require(names.insert(member.key()).second);
    require(object.find(member.key()).range() == member.range());
    const Bytes spelled(member.key_range().of(bytes));
    const Result<JsonValue> again = scratch.read(spelled);
    require(again.has_value() && again->text() == member.key());
    check_string(member.key(), scratch);
  }
}

void check_value(JsonValue value, std::string_view bytes, JsonDocument& scratch) {
  const Bytes alone(value.raw());
  const Result<JsonValue> again = scratch.read(alone, kResponseLimits);
  require(again.has_value());
  compare(value, *again);
  require(!value.is_of_plain_text() || (is_plain(value.text()) && is_plain(value.key())));
  if (value.is(JsonType::string)) check_string(value.text(), scratch);
  if (value.is(JsonType::object)) check_members(value, bytes, scratch);
  for (const JsonValue child : value)
    check_value(child, bytes, scratch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Every range is read again, so the work is quadratic in the size.
  if (size > 2048) return 0;
  const Bytes bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  JsonDocument strict;
  JsonDocument tolerant;
  JsonDocument scratch;
  const Result<JsonValue> request = strict.read(bytes);
  const Result<JsonValue> response = tolerant.read(bytes, kResponseLimits);
  // A flaw has a place: an error without one means that the two readers disagree.
  require(request.has_value() || request.error().offset >= 0);
  require(response.has_value() || response.error().offset >= 0);
  require(!request.has_value() || response.has_value());
  // What is accepted at the first reading is held against the slow one.
  require(!request.has_value() || !scan_json(bytes.view(), {}).flaw.has_value());
  require(!response.has_value() || !scan_json(bytes.view(), kResponseLimits).flaw.has_value());
  if (request) compare(*request, *response);
  if (response) check_value(*response, bytes.view(), scratch);
  return 0;
}
