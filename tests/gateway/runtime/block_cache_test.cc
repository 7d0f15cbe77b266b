#include "gateway/runtime/block_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

namespace bartizan {
namespace {

void* block_of(std::size_t size) {
  void* const block = std::malloc(KeptBlocks::rounded(size));
  std::memset(block, 'x', size);
  return block;
}

TEST(KeptBlocks, GivesOutWhatWasKeptAndNothingElse) {
  KeptBlocks kept;
  for (const std::size_t size : {1UL, 24UL, 25UL, 100UL, 4000UL, 16'384UL}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(kept.take(size), nullptr);
    std::set<void*> given;
    for (int i = 0; i < 3; ++i) {
      void* const block = block_of(size);
      given.insert(block);
      ASSERT_TRUE(kept.keep(block, size));
    }
    for (int i = 0; i < 3; ++i) {
      void* const block = kept.take(size);
      ASSERT_EQ(given.erase(block), 1U);
      std::memset(block, 'y', KeptBlocks::rounded(size));
      std::free(block);
    }
    EXPECT_EQ(kept.take(size), nullptr);
    EXPECT_EQ(kept.bytes(), 0U);
  }
}

TEST(KeptBlocks, RoundsLikeForBoth) {
  for (std::size_t size = 0; size < 20'000; ++size) {
    EXPECT_GE(KeptBlocks::rounded(size), size);
    EXPECT_EQ(KeptBlocks::rounded(KeptBlocks::rounded(size)), KeptBlocks::rounded(size));
  }
}

TEST(KeptBlocks, LeavesLargeOnesAlone) {
  KeptBlocks kept;
  constexpr std::size_t kLarge = 17'000;
  void* const block = block_of(kLarge);
  EXPECT_EQ(KeptBlocks::rounded(kLarge), kLarge);
  EXPECT_FALSE(kept.keep(block, kLarge));
  EXPECT_EQ(kept.take(kLarge), nullptr);
  std::free(block);
}

// However many of one size came, there is room for the others.
TEST(KeptBlocks, GivesUpTheSizeThatHasMost) {
  KeptBlocks kept;
  for (std::size_t i = 0; i < 100; ++i)
    kept.keep(block_of(64), 64);
  const std::size_t few = kept.bytes();
  for (std::size_t i = 0; i < 10'000; ++i) {
    kept.keep(block_of(4000), 4000);
    ASSERT_LE(kept.bytes(), KeptBlocks::kBytesMax);
  }
  EXPECT_GE(kept.bytes(), few);
  for (std::size_t i = 0; i < 100; ++i) {
    void* const block = kept.take(64);
    ASSERT_NE(block, nullptr);
    std::free(block);
  }
}

TEST(KeptBlocksDeathTest, EndsWhereOneIsGivenBackTwice) {
  KeptBlocks kept;
  void* const block = block_of(100);
  kept.keep(block, 100);
  kept.keep(block_of(100), 100);
  EXPECT_DEATH(kept.keep(block, 100), "");
}

/// By one secret in sixteen, what is written leads to where a block could be: several have others.
void write_to_what_has_ended() {
  std::array<KeptBlocks, 16> all;
  for (KeptBlocks& kept : all) {
    void* const block = block_of(100);
    kept.keep(block, 100);
    std::memset(block, 0, sizeof(std::uintptr_t));
    kept.take(100);
  }
}

TEST(KeptBlocksDeathTest, EndsWhereOneThatHasEndedWasWrittenTo) {
  EXPECT_EXIT(write_to_what_has_ended(), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace bartizan
