#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace bartizan {

/// Holds threads that ask for something slow until it is opened, and counts all that ask.
class Gate {
 public:
  enum class Pace : std::uint8_t { at_once, slow };

  /// One has asked; one that is slow passes when the gate is open.
  void pass(Pace pace) {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    if (pace == Pace::slow) changed_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait_for(int asked) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= asked; });
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int asked_ = 0;
};

}  // namespace bartizan
