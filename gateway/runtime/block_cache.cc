#include "gateway/runtime/block_cache.h"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <random>
#include <utility>

namespace bartizan {
namespace {

/// Blocks are of 24, 40, 56 … bytes, as those of the C library's `malloc` are.
constexpr std::size_t kSmallest = 24;
constexpr std::size_t kStep = 16;

/// The memory that a heap keeps at its end: when idle, and when busy.
constexpr std::size_t kIdleKept = std::size_t{4} << 20;
constexpr std::size_t kBusyKept = std::size_t{64} << 20;

constexpr std::size_t number_of(std::size_t size) {
  return size <= kSmallest ? 0 : (size - kSmallest + kStep - 1) / kStep;
}

constexpr std::size_t size_of(std::size_t number) {
  return kSmallest + number * kStep;
}

// Without a destructor, since threads that end give back memory to the last.
constinit thread_local KeptBlocks* blocks = nullptr;

std::uintptr_t draw_secret() {
  std::random_device source;
  return (static_cast<std::uintptr_t>(source()) << 32U) | source();
}

}  // namespace

void tune_malloc(std::uint64_t budget) {
  constexpr int kFromHeapMax = 32 << 20;
  const std::uint64_t kept = std::clamp<std::uint64_t>(budget / 8, kIdleKept, kBusyKept);
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kept));
  mallopt(M_MMAP_THRESHOLD, kFromHeapMax);
}

void give_back_large_blocks() {
  malloc_trim(kIdleKept);
}

KeptBlocks::KeptBlocks() : secret_(draw_secret()) {
  blocks = this;
}

KeptBlocks::~KeptBlocks() {
  blocks = nullptr;
  for (List& list : lists_)
    give_up(list);
}

std::size_t KeptBlocks::rounded(std::size_t size) {
  const std::size_t number = number_of(size);
  return number < kSizes ? size_of(number) : size;
}

void* KeptBlocks::take(std::size_t size) {
  const std::size_t number = number_of(size);
  if (number >= kSizes) return nullptr;
  List& list = lists_[number];
  Free* const block = list.first;
  if (block == nullptr) return nullptr;
  list.first = next_of(*block);
  // It was given back a while ago, and is taken soon.
  __builtin_prefetch(list.first, 1);
  block->mark = 0;
  --list.count;
  bytes_ -= size_of(number);
  return block;
}

bool KeptBlocks::keep(void* block, std::size_t size) {
  const std::size_t number = number_of(size);
  if (number >= kSizes) return false;
  List& list = lists_[number];
  auto* const free = static_cast<Free*>(block);
  // Almost never true of one in use: then all of its size are looked at.
  if (free->mark == secret_) {
    for (const Free* one = list.first; one != nullptr; one = next_of(*one)) {
      if (one == free) std::abort();
    }
  }
  *free = {.next = std::bit_cast<std::uintptr_t>(list.first) ^ secret_, .mark = secret_};
  list.first = free;
  ++list.count;
  bytes_ += size_of(number);
  if (bytes_ > kBytesMax) give_up_most();
  return true;
}

KeptBlocks::Free* KeptBlocks::next_of(const Free& block) const {
  const std::uintptr_t next = block.next ^ secret_;
  // Whatever wrote to a block that had ended, it did not know where it led.
  if (next % alignof(std::max_align_t) != 0) std::abort();
  return std::bit_cast<Free*>(next);
}

std::size_t KeptBlocks::bytes_of(const List& list) const {
  return list.count * size_of(static_cast<std::size_t>(&list - lists_.data()));
}

void KeptBlocks::give_up_most() {
  give_up(
      *std::ranges::max_element(lists_, {}, [this](const List& list) { return bytes_of(list); }));
}

void KeptBlocks::give_up(List& list) {
  bytes_ -= bytes_of(list);
  list.count = 0;
  for (Free* one = std::exchange(list.first, nullptr); one != nullptr;) {
    Free* const next = next_of(*one);
    one->mark = 0;
    std::free(one);
    one = next;
  }
}

}  // namespace bartizan

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)

namespace {

[[gnu::noinline]] void* allocate(std::size_t size) {
  while (true) {
    void* const block = std::malloc(size);
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) {
  if (bartizan::blocks != nullptr) {
    if (void* const block = bartizan::blocks->take(size)) return block;
  }
  return allocate(bartizan::KeptBlocks::rounded(size));
}

void operator delete(void* block) noexcept {
  std::free(block);
}

void operator delete(void* block, std::size_t size) noexcept {
  const bool is_kept =
      bartizan::blocks != nullptr && block != nullptr && bartizan::blocks->keep(block, size);
  if (!is_kept) std::free(block);
}

#endif
