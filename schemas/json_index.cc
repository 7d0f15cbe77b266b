#include "schemas/json_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>

#include "schemas/json_text.h"

namespace bartizan {
namespace {

/// Up to this many members, comparing all pairs is cheaper than hashing.
constexpr std::uint32_t kFewNames = 12;
/// A probe this long cannot happen by chance in a table that is at most half full.
constexpr std::size_t kProbesMax = 64;
constexpr std::uint32_t kFree = JsonNode::kNoKey;

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

std::unexpected<Error> duplicate(const JsonNode& node) {
  return fail(ErrorCode::json_duplicate_key, Fault::client, "a member name occurs twice",
              std::int64_t{node.key});
}

JsonType type_of(char first) {
  switch (first) {
    case '{':
      return JsonType::object;
    case '[':
      return JsonType::array;
    case '"':
      return JsonType::string;
    case 't':
    case 'f':
      return JsonType::boolean;
    case 'n':
      return JsonType::null;
    default:
      return JsonType::number;
  }
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

ByteRange JsonIndex::key_range(const JsonNode& node) const {
  if (node.key == JsonNode::kNoKey) return {};
  if (node.key_size != JsonNode::kLongKey) return {node.key, node.key + std::size_t{node.key_size}};
  std::size_t at = find_string_end(bytes, std::size_t{node.key} + 1);
  while (at < bytes.size() && bytes[at] == '\\')
    at = find_string_end(bytes, at + 2);
  return {node.key, std::min(at + 1, bytes.size())};
}

std::string_view JsonIndex::key(const JsonNode& node) const {
  if (node.has_escaped_key) {
    const Decoded& name = decoded[node.decoded];
    return std::string_view(text).substr(name.begin, name.size);
  }
  const ByteRange range = key_range(node);
  return range.size() < 2 ? std::string_view() : bytes.substr(range.begin + 1, range.size() - 2);
}

std::string_view JsonIndex::string(const JsonNode& node) const {
  if (node.has_escaped_text) {
    const Decoded& value = decoded[node.decoded + (node.has_escaped_key ? 1U : 0U)];
    return std::string_view(text).substr(value.begin, value.size);
  }
  return bytes.substr(node.begin + std::size_t{1}, node.end - node.begin - std::size_t{2});
}

std::size_t JsonIndex::capacity() const {
  return nodes.capacity() * sizeof(JsonNode) + decoded.capacity() * sizeof(Decoded) +
         text.capacity();
}

/// One run of an indexer: a cursor that moves over the bytes once.
class JsonIndexing {
 public:
  JsonIndexing(JsonIndexer& indexer, JsonIndex& index, const JsonLimits& limits)
      : indexer_(indexer), index_(index), bytes_(index.bytes), limits_(limits) {}

  Result<void> run() {
    while (at_ < bytes_.size()) {
      skip_blanks();
      if (Result<void> done = value(); !done) return done;
      if (awaits_value_) continue;
      if (Result<void> done = after_value(); !done) return done;
      if (!awaits_value_) return {};
    }
    return {};
  }

 private:
  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < bytes_.size() && is_blank(bytes_[at_]))
      ++at_;
  }

  Result<void> value() {
    const JsonType type = type_of(peek());
    awaits_value_ = false;
    if (index_.nodes.size() >= limits_.values_max) return too_many();
    JsonNode& node = pending_;
    node.begin = static_cast<std::uint32_t>(at_);
    node.type = type;
    if (type == JsonType::object || type == JsonType::array) return open();
    if (type == JsonType::string) {
      node.has_escaped_text = string();
    } else {
      skip_token();
    }
    close(push());
    return {};
  }

  Result<void> open() {
    if (indexer_.open_.size() >= limits_.depth_max) return too_deep();
    ++at_;
    skip_blanks();
    const std::uint32_t node = push();
    const char c = peek();
    if (c == '}' || c == ']') {
      ++at_;
      close(node);
      return {};
    }
    indexer_.open_.push_back({node, 0});
    is_object_ = index_.nodes[node].type == JsonType::object;
    awaits_value_ = true;
    if (is_object_) name();
    return {};
  }

  /// Stores the value under work, which ends later if it is a container.
  std::uint32_t push() {
    const auto node = static_cast<std::uint32_t>(index_.nodes.size());
    if (!indexer_.open_.empty()) ++indexer_.open_.back().children;
    index_.nodes.push_back(pending_);
    pending_ = JsonNode{};
    return node;
  }

  void close(std::uint32_t node) {
    index_.nodes[node].end = static_cast<std::uint32_t>(at_);
    index_.nodes[node].next = static_cast<std::uint32_t>(index_.nodes.size());
  }

  Result<void> after_value() {
    while (!indexer_.open_.empty() && at_ < bytes_.size()) {
      skip_blanks();
      const char c = peek();
      ++at_;
      if (c == ',') {
        awaits_value_ = true;
        if (is_object_) name();
        return {};
      }
      const JsonIndexer::Frame frame = indexer_.open_.back();
      indexer_.open_.pop_back();
      close(frame.node);
      if (is_object_) {
        if (Result<void> unique = indexer_.check_names(index_, frame); !unique) return unique;
      }
      is_object_ = !indexer_.open_.empty() &&
                   index_.nodes[indexer_.open_.back().node].type == JsonType::object;
    }
    return {};
  }

  void name() {
    skip_blanks();
    pending_.key = static_cast<std::uint32_t>(at_);
    pending_.has_escaped_key = string();
    pending_.key_size =
        static_cast<std::uint16_t>(std::min(at_ - pending_.key, std::size_t{JsonNode::kLongKey}));
    skip_blanks();
    ++at_;  // The colon.
  }

  /// Moves behind a string; answers whether it is escaped, and then decodes it.
  bool string() {
    const std::size_t begin = ++at_;
    at_ = find_string_end(bytes_, begin);
    if (peek() != '\\') {
      ++at_;
      return false;
    }
    while (at_ < bytes_.size() && bytes_[at_] == '\\')
      at_ = find_string_end(bytes_, at_ + 2);
    at_ = std::min(at_, bytes_.size());
    decode(bytes_.substr(begin, at_ - begin));
    ++at_;
    return true;
  }

  void decode(std::string_view inside) {
    const std::size_t begin = index_.text.size();
    append_unescaped(index_.text, inside);
    if (!pending_.has_escaped_key) {
      pending_.decoded = static_cast<std::uint32_t>(index_.decoded.size());
    }
    index_.decoded.push_back({static_cast<std::uint32_t>(begin),
                              static_cast<std::uint32_t>(index_.text.size() - begin)});
  }

  void skip_token() {
    while (at_ < bytes_.size() && bytes_[at_] > ' ' && bytes_[at_] != ',' && bytes_[at_] != '}' &&
           bytes_[at_] != ']') {
      ++at_;
    }
  }

  Result<void> too_many() const {
    return fail(ErrorCode::json_size, Fault::client, "too many values", offset());
  }
  Result<void> too_deep() const {
    return fail(ErrorCode::json_depth, Fault::client, "nested too deeply", offset());
  }
  std::int64_t offset() const { return static_cast<std::int64_t>(at_); }

  JsonIndexer& indexer_;
  JsonIndex& index_;
  const std::string_view bytes_;
  const JsonLimits& limits_;
  std::size_t at_ = 0;
  JsonNode pending_;
  bool is_object_ = false;     ///< Whether the innermost open container is an object.
  bool awaits_value_ = false;  ///< Whether a value must come next.
};

JsonIndexer::JsonIndexer() {
  std::random_device random;
  for (std::uint64_t& half : secret_)
    half = (std::uint64_t{random()} << 32) | random() | 1U;
}

Result<void> JsonIndexer::run(JsonIndex& index, std::string_view bytes, const JsonLimits& limits) {
  index.bytes = bytes;
  index.nodes.clear();
  index.decoded.clear();
  index.text.clear();
  open_.clear();
  return JsonIndexing(*this, index, limits).run();
}

std::size_t JsonIndexer::capacity() const {
  return open_.capacity() * sizeof(Frame) + slots_.capacity() * sizeof(Slot) +
         sorted_.capacity() * sizeof(std::uint32_t);
}

Result<void> JsonIndexer::check_names(const JsonIndex& index, const Frame& object) {
  if (object.children < 2) return {};
  if (object.children <= kFewNames) return check_few_names(index, object);
  return check_many_names(index, object);
}

Result<void> JsonIndexer::check_few_names(const JsonIndex& index, const Frame& object) const {
  std::array<std::string_view, kFewNames> names;
  std::uint32_t node = object.node + 1;
  for (std::uint32_t i = 0; i < object.children; ++i) {
    const std::string_view name = index.key(index.nodes[node]);
    for (std::uint32_t j = 0; j < i; ++j) {
      if (names[j] == name) return duplicate(index.nodes[node]);
    }
    names[i] = name;
    node = index.nodes[node].next;
  }
  return {};
}

Result<void> JsonIndexer::check_many_names(const JsonIndex& index, const Frame& object) {
  const std::size_t mask = std::bit_ceil(std::size_t{object.children} * 2) - 1;
  slots_.assign(mask + 1, Slot{0, kFree});
  std::uint32_t node = object.node + 1;
  for (std::uint32_t i = 0; i < object.children; ++i, node = index.nodes[node].next) {
    const std::string_view name = index.key(index.nodes[node]);
    const std::uint64_t full = hash(name);
    const auto high = static_cast<std::uint32_t>(full >> 32);
    std::size_t at = full & mask;
    for (std::size_t probes = 0; slots_[at].node != kFree; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.hash == high && index.key(index.nodes[slot.node]) == name) {
        return duplicate(index.nodes[node]);
      }
      if (++probes > kProbesMax) return check_sorted_names(index, object);
    }
    slots_[at] = {high, node};
  }
  return {};
}

Result<void> JsonIndexer::check_sorted_names(const JsonIndex& index, const Frame& object) {
  sorted_.clear();
  std::uint32_t child = object.node + 1;
  for (std::uint32_t i = 0; i < object.children; ++i, child = index.nodes[child].next) {
    sorted_.push_back(child);
  }
  const auto name = [&index](std::uint32_t node) { return index.key(index.nodes[node]); };
  std::ranges::sort(sorted_, [&name](std::uint32_t a, std::uint32_t b) {
    const int order = name(a).compare(name(b));
    return order != 0 ? order < 0 : a < b;
  });
  const auto same = std::ranges::adjacent_find(
      sorted_, [&name](std::uint32_t a, std::uint32_t b) { return name(a) == name(b); });
  if (same == sorted_.end()) return {};
  return duplicate(index.nodes[*(same + 1)]);
}

std::uint64_t JsonIndexer::hash(std::string_view name) const {
  std::uint64_t state = secret_[0] ^ name.size();
  while (name.size() > 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data(), sizeof word);
    state = mix(state ^ word, secret_[1]);
    name.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, name.data(), name.size());
  return mix(mix(state ^ word, secret_[1]), secret_[0]);
}

}  // namespace bartizan
