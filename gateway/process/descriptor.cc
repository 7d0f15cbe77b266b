#include "gateway/process/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace bartizan {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) close(fd_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

Descriptor Descriptor::duplicate() const {
  return Descriptor(::fcntl(fd_, F_DUPFD_CLOEXEC, 0));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace bartizan
