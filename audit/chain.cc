#include "audit/chain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace bartizan {
namespace {

constexpr std::string_view kSequence = R"(,"seq":)";
constexpr std::string_view kPrev = R"(,"prev":")";
constexpr std::string_view kHash = R"(","hash":")";
constexpr std::string_view kEnd = R"("})";
constexpr std::size_t kHexSize = 64;
constexpr std::size_t kTailSize = kPrev.size() + kHexSize + kHash.size() + kHexSize + kEnd.size();

std::string_view view(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<Hash> take_hash(std::string_view& text) {
  const std::optional<Hash> hash = parse_hex(text.substr(0, kHexSize));
  text.remove_prefix(hash ? kHexSize : 0);
  return hash;
}

// Each number has one spelling: no sign, no leading zero. No record has number 0.
std::optional<std::uint64_t> read_sequence(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || digits.front() == '0') return std::nullopt;
  return value;
}

}  // namespace

Hash chain_hash(Digester& digester, const Hash& prev, std::uint64_t sequence, const Hash& digest) {
  constexpr std::size_t kNumber = 8;
  std::array<char, 2 * std::tuple_size_v<Hash> + kNumber> text;
  char* end = std::ranges::copy(view(prev), text.data()).out;
  for (std::size_t i = 0; i < kNumber; ++i)
    *end++ = static_cast<char>(sequence >> (56 - 8 * i));
  std::ranges::copy(view(digest), end);
  return digester.sha256(std::string_view(text.data(), text.size()));
}

void append_chain_line(std::string& out, const ChainLine& line) {
  std::array<char, 20> number;
  const char* end = std::to_chars(number.data(), number.data() + number.size(), line.sequence).ptr;
  const std::array<char, kHexSize> prev = hex_text(line.prev);
  const std::array<char, kHexSize> hash = hex_text(line.hash);
  out.append("{").append(line.body);
  out.append(kSequence).append(std::string_view(number.data(), end));
  out.append(kPrev).append(prev.data(), prev.size());
  out.append(kHash).append(hash.data(), hash.size());
  out.append(kEnd).append("\n");
}

std::optional<ChainLine> split_chain_line(std::string_view line) {
  if (line.size() < 1 + kTailSize || line[0] != '{') return std::nullopt;
  std::string_view tail = line.substr(line.size() - kTailSize);
  const std::string_view front = line.substr(1, line.size() - 1 - kTailSize);
  const std::size_t at = front.rfind(kSequence);
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> sequence = read_sequence(front.substr(at + kSequence.size()));
  if (!sequence || !take(tail, kPrev)) return std::nullopt;
  const std::optional<Hash> prev = take_hash(tail);
  if (!prev || !take(tail, kHash)) return std::nullopt;
  const std::optional<Hash> hash = take_hash(tail);
  if (!hash || tail != kEnd) return std::nullopt;
  return ChainLine{
      .body = front.substr(0, at), .sequence = *sequence, .prev = *prev, .hash = *hash};
}

bool is_self_consistent(Digester& digester, const ChainLine& line) {
  const Hash digest = digester.sha256(line.body);
  return chain_hash(digester, line.prev, line.sequence, digest) == line.hash;
}

}  // namespace bartizan
