#include "policy/text/long_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "policy/text/byte_set.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

constexpr ByteSet kBase64("A-Za-z0-9+/_-");
constexpr std::size_t kWord = sizeof(std::uint64_t);

/// Whether eight bytes have none below `+` and none above ASCII. A negative answer is always exact.
bool may_be_digits(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = kOnes << 7U;
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, kWord);
  const std::uint64_t is_low = (word - kOnes * '+') & ~word;
  return ((is_low | word) & kHighs) == 0;
}

/// Whether a search over blocks also stops at marks of escapes.
enum class Marks : std::uint8_t { skipped, found };

/// Skips whole blocks, from the one at `at` on, without two adjacent words of digits, the first of
/// the next block included. With `Marks::found` a block must have no mark of an escape either.
template <Marks kMarks>
[[gnu::always_inline]] inline std::size_t search_blocks(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = kOnes << 7U;
  constexpr unsigned kToFirst = 7 * kWord;
  std::uint64_t before = 0;  // Of the last word of the block before.
  for (; at + ByteBlock::kBytes <= text.size(); at += ByteBlock::kBytes) {
    const ByteBlock block(text, at);
    const std::uint64_t others = block.below('+');
    // The highest bit of each zero byte, for words in which all bytes may be digits. The byte above
    // such a byte may have it too; then the block is examined in vain.
    const std::uint64_t whole = (others - kOnes) & ~others & kHighs;
    std::uint64_t hits = whole & (whole << kWord | before);
    if constexpr (kMarks == Marks::found) {
      hits |= block.equal('\\') | block.equal('%') | block.equal('&') | block.equal('=');
    }
    if (hits != 0) break;
    before = whole >> kToFirst;
  }
  return before == 0 ? at : at - ByteBlock::kBytes;
}

template <Marks kMarks>
std::size_t skip_blocks(std::string_view text, std::size_t at) {
  static const auto search = Widest<search_blocks<kMarks>, std::string_view, std::size_t>::choose();
  return search(text, at);
}

bool are_digits(std::string_view text) {
  return std::ranges::all_of(text, is_base64_digit);
}

}  // namespace

bool is_base64_digit(char c) {
  return kBase64.holds(c);
}

LongRuns::LongRuns(std::string_view text, std::size_t from) : text_(text), at_(from + kWord) {}

std::optional<TextRange> LongRuns::next() {
  // A run of the least length covers one of every two words of eight bytes, and one beside it.
  for (; at_ + kWord <= text_.size(); at_ += 2 * kWord) {
    if (at_ % ByteBlock::kBytes == kWord)
      at_ = skip_blocks<Marks::skipped>(text_, at_ - kWord) + kWord;
    if (at_ < done_ || at_ + kWord > text_.size() || !may_be_digits(text_, at_)) continue;
    const bool has_next = at_ + 2 * kWord <= text_.size() && may_be_digits(text_, at_ + kWord);
    if (!has_next && !may_be_digits(text_, at_ - kWord)) continue;
    if (!are_digits(text_.substr(at_, kWord))) continue;
    std::size_t begin = at_;
    while (begin > done_ && kBase64.holds(text_[begin - 1]))
      --begin;
    std::size_t end = at_ + kWord;
    while (end < text_.size() && kBase64.holds(text_[end]))
      ++end;
    done_ = end;
    if (end - begin < kLengthMin) continue;
    at_ += 2 * kWord;
    return TextRange{.begin = begin, .end = end};
  }
  return std::nullopt;
}

void LongRuns::go_on_from(std::size_t place) {
  done_ = std::max(done_, place);
}

std::size_t skip_plain(std::string_view text) {
  return skip_blocks<Marks::found>(text, 0);
}

}  // namespace bartizan
