#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bartizan {

/// Makes the C library keep freed memory at the end of its heaps, and allocate large blocks from
/// these heaps. By default it returns everything beyond 128 KiB to the kernel. The kernel must then
/// clear and map pages for the next message: ten for an answer of 64 KiB, up to a ninth of its
/// time, and hundreds for an answer of a megabyte. Each thread has a heap. Each heap keeps at most
/// an eighth of the memory budget, and 64 MiB. This overrides the environment's settings of the C
/// library.
///
/// Input:   the memory budget in bytes; 0 keeps 4 MiB.
/// Threads: before any others are started.
/// Source:  mallopt(3).
void tune_malloc(std::uint64_t budget);

/// Returns unused freed memory to the kernel, except 4 MiB of each heap.
///
/// Threads: any.
/// Cost:    a pass over the free blocks of all heaps, and a system call for each run of free pages,
///          with the heap's lock held.
/// Source:  malloc_trim(3).
void give_back_large_blocks();

/// While it lives, keeps the memory blocks that its thread frees, for the thread's next
/// allocations. A call allocates some ninety blocks of a few sizes, coroutine frames among them.
/// The C library keeps only seven of each size.
///
/// Each block is a `malloc` block of at most 16 KiB. Any thread may free it at any time. Beyond
/// four megabytes, as much as 150 concurrent calls need, it frees the size that has most bytes. So
/// a burst of other sizes does not displace the blocks of calls. A double free ends the process, as
/// in the C library. Builds with a sanitizer do not use it, since reuse would hide uses after free.
///
/// Threads: made, used and ended on the thread that it is for, one at a time.
/// Cost:    some fifteen instructions for a kept block; `malloc` takes sixty.
class KeptBlocks {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{4} << 20;

  KeptBlocks();
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  /// The number of bytes to allocate with `malloc` so that the block can be kept.
  static std::size_t rounded(std::size_t size);
  /// A block of `rounded(size)` bytes, or null if none is kept.
  void* take(std::size_t size);
  /// Keeps a block of `rounded(size)` bytes; false if it is too large.
  bool keep(void* block, std::size_t size);
  /// The bytes of all kept blocks.
  std::size_t bytes() const { return bytes_; }

 private:
  /// Up to 16 KiB.
  static constexpr std::size_t kSizes = 1024;

  /// A free block: the next one of its size, and a mark that tells it from a block in use.
  struct Free {
    std::uintptr_t next;
    std::uintptr_t mark;
  };
  struct List {
    Free* first = nullptr;
    std::size_t count = 0;
  };

  Free* next_of(const Free& block) const;
  std::size_t bytes_of(const List& list) const;
  void give_up_most();
  void give_up(List& list);

  std::array<List, kSizes> lists_{};
  std::size_t bytes_ = 0;
  std::uintptr_t secret_;  ///< Hides `next` and `mark` from writes after free.
};

}  // namespace bartizan
