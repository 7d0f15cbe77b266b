#include "gateway/task.h"

#include <array>
#include <new>

namespace bartizan {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
// Frames that are used again would hide from the sanitizer who uses one that has ended.
constexpr std::size_t kFramesKept = 0;
#else
constexpr std::size_t kFramesKept = 128;
#endif

constexpr std::size_t kStep = 64;
constexpr std::size_t kSizes = 128;

constexpr std::size_t size_class(std::size_t size) {
  return (size + kStep - 1) / kStep;
}

/// Frames that have ended, of each size up to 8 KiB, linked through their own first bytes.
struct FramePool {
  struct Free {
    Free* next;
  };
  struct List {
    Free* first = nullptr;
    std::size_t count = 0;
  };

  ~FramePool() {
    for (List& list : lists) {
      while (list.first != nullptr)
        ::operator delete(std::exchange(list.first, list.first->next));
    }
  }

  std::array<List, kSizes + 1> lists;
};

thread_local FramePool pool;

}  // namespace

void* allocate_frame(std::size_t size) {
  const std::size_t number = size_class(size);
  if (number > kSizes) return ::operator new(size);
  FramePool::List& list = pool.lists[number];
  if (list.first == nullptr) return ::operator new(number * kStep);
  --list.count;
  return std::exchange(list.first, list.first->next);
}

void release_frame(void* frame, std::size_t size) noexcept {
  const std::size_t number = size_class(size);
  if (number > kSizes || pool.lists[number].count >= kFramesKept) return ::operator delete(frame);
  FramePool::List& list = pool.lists[number];
  list.first = new (frame) FramePool::Free{list.first};
  ++list.count;
}

}  // namespace bartizan
