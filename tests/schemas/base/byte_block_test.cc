#include "schemas/base/byte_block.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

std::uint64_t bit(std::size_t place) {
  return std::uint64_t{1} << place;
}

TEST(ByteBlock, ComparesEachOfItsBytes) {
  std::string text(256, 'a');
  for (std::size_t value = 0; value < text.size(); ++value)
    text[value] = static_cast<char>(value);
  for (std::size_t at = 0; at + ByteBlock::kBytes <= text.size(); ++at) {
    const ByteBlock block(text, at);
    for (const char c : {'\n', ' ', '+', '<', '\x7F'}) {
      SCOPED_TRACE(testing::Message() << "from " << at << ", " << static_cast<int>(c));
      std::uint64_t equal = 0;
      std::uint64_t below = 0;
      for (std::size_t i = 0; i < ByteBlock::kBytes; ++i) {
        const auto value = static_cast<signed char>(text[at + i]);
        if (value == c) equal |= bit(i);
        if (value < c) below |= bit(i);
      }
      EXPECT_EQ(block.equal(c), equal);
      EXPECT_EQ(block.below(c), below) << "what is not ASCII is below all that is";
    }
  }
}

TEST(ByteBlock, GoesOnWithBlanksWhereTheTextEnds) {
  for (std::size_t size = 1; size <= ByteBlock::kBytes; ++size) {
    // Of its own size, so that a sanitizer sees a byte read behind it.
    const std::string text(size, 'x');
    const ByteBlock block(std::string_view(text), 0);
    const std::uint64_t all = size == ByteBlock::kBytes ? ~std::uint64_t{0} : bit(size) - 1;
    EXPECT_EQ(block.equal('x'), all) << size;
    EXPECT_EQ(block.equal(' '), ~all) << size;
  }
}

/// Where a character stands first, or one that is below a line feed.
[[gnu::always_inline]] inline std::size_t find_first(std::string_view text, char c) {
  for (std::size_t at = 0; at < text.size(); at += ByteBlock::kBytes) {
    const ByteBlock block(text, at);
    const std::uint64_t found = block.equal(c) | block.below('\n');
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
  return text.size();
}

TEST(Widest, FindsTheSameWithEachVector) {
  using Search = Widest<find_first, std::string_view, char>;
  std::vector<Search::Search> searches{find_first, Search::choose()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) searches.push_back(Search::with_avx2);
  if (__builtin_cpu_supports("avx512bw")) searches.push_back(Search::with_avx512);
#endif
  for (std::size_t size = 0; size < 200; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'"', '\x01', '\xC3'}) {
        std::string text(size, '.');
        text[at] = c;
        text.back() = '"';
        for (const Search::Search search : searches)
          ASSERT_EQ(search(text, '"'), at) << size;
      }
    }
  }
}

TEST(EitherSearch, FindsEachOfTwo) {
  for (std::size_t size = 0; size < 200; ++size) {
    std::string text(size, '.');
    EXPECT_EQ(EitherSearch(text, '<', ' ').next(0), size) << "nothing behind the text is found";
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = at % 2 == 0 ? '<' : ' ';
      const std::size_t last = size - 1;
      text[last] = '<';
      EitherSearch search(text, '<', ' ');
      EXPECT_EQ(search.next(at / 2), at) << size;
      EXPECT_EQ(search.next(at), at) << size;
      EXPECT_EQ(search.next(at + 1), at == last ? size : last) << at;
      EXPECT_EQ(search.next(size), size) << at;
      text[at] = text[last] = '.';
    }
  }
}

}  // namespace
}  // namespace bartizan
