#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bartizan {

/// Has the C library keep what ended at the end of its heaps, and take large blocks from these
/// heaps. By itself it gives back what is beyond 128 KiB, and the kernel then has pages to clear,
/// and to map, for the next message: ten for an answer of 64 KiB, up to a ninth of its time, and
/// hundreds for one of a megabyte. A heap is that of a thread: each keeps an eighth of the memory
/// budget at most, and 64 MiB. What the environment asks of the C library no longer holds.
///
/// Input:   the memory budget in bytes; 0 keeps 4 MiB.
/// Threads: before any others are started.
/// Source:  mallopt(3).
void tune_malloc(std::uint64_t budget);

/// Gives back to the kernel what ended and nobody has taken for a while, but for 4 MiB of each
/// heap.
///
/// Threads: any. Cost: a pass over the free blocks of all heaps, and a system call for each run of
///          free pages, with the heap's lock held.
/// Source:  malloc_trim(3).
void give_back_large_blocks();

/// While it lives, blocks of memory that its thread gives back are kept for those that it asks for
/// next: a call takes some ninety of a few sizes, the frames of its coroutines among them, and the
/// C library keeps seven of each size at hand.
///
/// Each block is one of `malloc`'s, of at most 16 KiB: it does not matter who gives it back, on
/// which thread, and when. Beyond four megabytes, as much as 150 calls at once take, the size that
/// has most is given up, so that no burst of others keeps out what calls need. A block that is
/// given back twice ends the process, as in the C library. In a build for a sanitizer nobody's
/// memory comes from here: what is used again would hide who uses what has ended.
///
/// Threads: made, used and ended on the thread that it is for, one at a time.
/// Cost:    some fifteen instructions for a block that was kept, where `malloc` takes sixty.
class KeptBlocks {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{4} << 20;

  KeptBlocks();
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  /// How many bytes to ask `malloc` for, so that the block can be kept.
  static std::size_t rounded(std::size_t size);
  /// A block of `rounded(size)` bytes, or null where none is kept.
  void* take(std::size_t size);
  /// Keeps a block of `rounded(size)` bytes; false where it is too large.
  bool keep(void* block, std::size_t size);
  /// Of all that are kept.
  std::size_t bytes() const { return bytes_; }

 private:
  /// Up to 16 KiB.
  static constexpr std::size_t kSizes = 1024;

  /// A block that nobody has: the next one of its size, and what tells it from one in use.
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
  std::uintptr_t secret_;  ///< Nobody who writes to a block that has ended knows where it leads.
};

}  // namespace bartizan
