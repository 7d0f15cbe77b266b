#pragma once

#include <utility>

namespace bartizan {

/// A file descriptor that its owner closes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  /// A duplicate with an owner of its own; empty if the descriptor table is full.
  Descriptor duplicate() const;
  /// Gives up ownership of the descriptor.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace bartizan
