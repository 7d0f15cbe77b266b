#include "schemas/json/json.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "schemas/json/json_index.h"
#include "schemas/json/json_number.h"
#include "schemas/json/json_scan.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// simdjson's own bound on nesting.
constexpr std::size_t kParserDepthMax = 1024;
/// Offsets are 32 bits wide.
constexpr std::size_t kBytesMax = std::numeric_limits<std::uint32_t>::max() - kJsonPadding;

std::string_view sentence(ErrorCode code) {
  switch (code) {
    case ErrorCode::json_encoding:
      return "bytes that are no UTF-8";
    case ErrorCode::json_trailing:
      return "bytes after the document";
    case ErrorCode::json_depth:
      return "nested too deeply";
    case ErrorCode::json_size:
      return "too many values";
    case ErrorCode::json_number:
      return "a number that is too large for a double";
    default:
      return "not JSON";
  }
}

std::unexpected<Error> refuse(const JsonFlaw& flaw) {
  return fail(flaw.code, Fault::client,
              std::string(flaw.what.empty() ? sentence(flaw.code) : flaw.what),
              static_cast<std::int64_t>(flaw.offset));
}

/// Whether a document could hold more values than allowed. Counted before parsing, because the
/// parser's memory grows with the values. Separators inside strings make it an upper bound.
bool may_hold_too_many_values(std::string_view bytes, std::size_t values_max) {
  if (bytes.size() / 2 < values_max) return false;
  const auto opens = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return static_cast<std::size_t>(std::ranges::count_if(bytes, opens)) >= values_max;
}

/// The bytes with each number beyond 64 bits replaced by a zero and blanks of the same length, so
/// that the parser checks the rest.
std::string without_numbers(std::string_view bytes, const std::vector<std::uint32_t>& numbers) {
  std::string shadow;
  shadow.reserve(bytes.size() + kJsonPadding);
  shadow = bytes;
  for (const std::uint32_t begin : numbers) {
    const std::size_t size = json_number_size(bytes.substr(begin));
    shadow.replace(begin, size, size, ' ');
    shadow[begin] = '0';
  }
  return shadow;
}

std::optional<std::size_t> array_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token[0] == '0')) return std::nullopt;
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return index;
}

JsonValue element(JsonValue array, std::string_view token) {
  const std::optional<std::size_t> wanted = array_index(token);
  std::size_t at = 0;
  for (const JsonValue value : array) {
    if (at++ == wanted) return value;
  }
  return {};
}

JsonValue step(JsonValue value, std::string_view token) {
  if (value.is(JsonType::array)) return element(value, token);
  if (token.find('~') == std::string_view::npos) return value.find(token);
  const std::optional<std::string> name = unescape_pointer_token(token);
  return name ? value.find(*name) : JsonValue();
}

}  // namespace

struct JsonDocument::Reader {
  simdjson::dom::parser parser;
  JsonIndexer indexer;
  JsonIndex index;

  Result<void> read(std::string_view bytes, const JsonLimits& limits);
  Result<void> fill(std::string_view bytes, const JsonLimits& limits);
  Result<void> accept(std::string_view bytes, const JsonLimits& limits);
  Result<void> accept_after(simdjson::error_code error, std::string_view bytes,
                            const JsonLimits& limits);
  simdjson::error_code parse(std::string_view bytes);
};

simdjson::error_code JsonDocument::Reader::parse(std::string_view bytes) {
  if (parser.capacity() < bytes.size()) {
    // Powers of two, so that a series of slowly growing messages does not allocate each time.
    const std::size_t capacity = std::bit_ceil(std::max(bytes.size(), std::size_t{4096}));
    if (const auto error = parser.allocate(capacity, kParserDepthMax)) return error;
    if (const auto error = parser.doc.allocate(capacity)) return error;
  }
  return parser.parse(bytes.data(), bytes.size(), false).error();
}

Result<void> JsonDocument::Reader::accept(std::string_view bytes, const JsonLimits& limits) {
  if (may_hold_too_many_values(bytes, limits.values_max)) {
    const JsonScan scan = scan_json(bytes, limits);
    if (scan.flaw) return refuse(*scan.flaw);
  }
  const simdjson::error_code error = parse(bytes);
  if (error == simdjson::SUCCESS) return {};
  return accept_after(error, bytes, limits);
}

/// The slow path: finds the error, or that the only errors are numbers that may stay as text.
Result<void> JsonDocument::Reader::accept_after(simdjson::error_code error, std::string_view bytes,
                                                const JsonLimits& limits) {
  if (error == simdjson::MEMALLOC) {
    return fail(ErrorCode::overloaded, Fault::gateway, "no memory for a JSON document");
  }
  const JsonScan scan = scan_json(bytes, limits);
  if (scan.flaw) return refuse(*scan.flaw);
  if (!scan.beyond_64_bits.empty()) {
    const std::string shadow = without_numbers(bytes, scan.beyond_64_bits);
    if (parse(shadow) == simdjson::SUCCESS) return {};
  }
  return fail(ErrorCode::json_syntax, Fault::client, "not JSON");
}

Result<void> JsonDocument::Reader::read(std::string_view bytes, const JsonLimits& limits) {
  Result<void> filled = fill(bytes, limits);
  if (!filled.has_value()) {
    index.nodes.clear();
    index.bytes = {};
  }
  return filled;
}

/// After a failure the contents of the index are undefined.
Result<void> JsonDocument::Reader::fill(std::string_view bytes, const JsonLimits& limits) {
  if (bytes.empty()) return fail(ErrorCode::json_syntax, Fault::client, "empty", 0);
  if (bytes.size() > std::min(limits.bytes_max, kBytesMax)) {
    return fail(ErrorCode::json_size, Fault::client, "too many bytes",
                static_cast<std::int64_t>(limits.bytes_max));
  }
  if (indexer.accept(index, bytes, limits)) return {};
  Result<void> accepted = accept(bytes, limits);
  return accepted.has_value() ? indexer.run(index, bytes, limits) : accepted;
}

JsonDocument::JsonDocument() : reader_(std::make_unique<Reader>()) {}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

Result<JsonValue> JsonDocument::read(const Bytes& bytes, const JsonLimits& limits) {
  if (Result<void> done = reader_->read(bytes.view(), limits); !done) {
    return std::unexpected(std::move(done).error());
  }
  return root();
}

void JsonDocument::trim() {
  reader_->parser = simdjson::dom::parser();
  reader_->indexer = JsonIndexer();
  reader_->index.nodes.shrink_to_fit();
  reader_->index.decoded.shrink_to_fit();
}

JsonValue JsonDocument::root() const {
  return reader_->index.nodes.empty() ? JsonValue() : JsonValue(&reader_->index, 0);
}

std::string_view JsonDocument::bytes() const {
  return reader_->index.bytes;
}

std::size_t JsonDocument::capacity() const {
  // Memory of simdjson for each byte of capacity: structurals, tape and string buffer.
  constexpr std::size_t kPerByte = sizeof(std::uint32_t) + sizeof(std::uint64_t) + 2;
  return reader_->parser.capacity() * kPerByte + reader_->index.capacity() +
         reader_->indexer.capacity();
}

JsonType JsonValue::type() const {
  return index_ == nullptr ? JsonType::null : index_->node(node_).type;
}

ByteRange JsonValue::range() const {
  if (index_ == nullptr) return {};
  const JsonNode& node = index_->node(node_);
  return {node.begin, node.end};
}

std::string_view JsonValue::raw() const {
  return index_ == nullptr ? std::string_view() : range().of(index_->bytes);
}

std::string_view JsonValue::key() const {
  return index_ == nullptr ? std::string_view() : index_->key(index_->node(node_));
}

ByteRange JsonValue::key_range() const {
  return index_ == nullptr ? ByteRange() : index_->key_range(index_->node(node_));
}

std::string_view JsonValue::text() const {
  return is(JsonType::string) ? index_->string(index_->node(node_)) : std::string_view();
}

bool JsonValue::is_of_plain_text() const {
  return index_ != nullptr && index_->is_plain;
}

std::optional<std::int64_t> JsonValue::integer() const {
  return is(JsonType::number) ? integer_of(raw()) : std::nullopt;
}

std::optional<double> JsonValue::number() const {
  return is(JsonType::number) ? double_of(raw()) : std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
  if (!is(JsonType::boolean)) return std::nullopt;
  return index_->bytes[index_->node(node_).begin] == 't';
}

JsonValue JsonValue::find(std::string_view member) const {
  if (!is(JsonType::object)) return {};
  const std::uint32_t end = next();
  for (std::uint32_t child = node_ + 1; child < end; child = index_->node(child).next) {
    if (index_->key(index_->node(child)) == member) return {index_, child};
  }
  return {};
}

JsonValue JsonValue::at_pointer(std::string_view pointer) const {
  JsonValue value = *this;
  while (value && !pointer.empty()) {
    if (pointer[0] != '/') return {};
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    value = step(value, pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
  }
  return value;
}

std::uint32_t JsonValue::next() const {
  return index_->node(node_).next;
}

std::size_t JsonValue::size() const {
  std::size_t count = 0;
  for (auto child = begin(); child != end(); ++child)
    ++count;
  return count;
}

JsonValue::Iterator JsonValue::begin() const {
  return index_ == nullptr ? Iterator() : Iterator(JsonValue(index_, node_ + 1));
}

JsonValue::Iterator JsonValue::end() const {
  return index_ == nullptr ? Iterator() : Iterator(JsonValue(index_, next()));
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  value_.node_ = value_.next();
  return *this;
}

}  // namespace bartizan
